//! The options of fastchess, each with its counterpart in a configuration.

use Kind::{
    AboveZero, Affinity, Choice, Clock, Concurrency, Count, Detail, Each, Engine, Flag, Folders, Ignored,
    Index, Millis, Model, NoEffect, Number, Positive, Protocol, Repeat, Rule, SavedConfig, Seconds, Section,
    Switch, Text, Words,
};

/// An option, or a key of an option such as `-engine`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its name, without dashes.
    pub(super) name: &'static str,
    /// The field of the configuration that it sets; empty if it sets none.
    pub(super) field: &'static str,
    /// The values it accepts.
    pub(super) kind: Kind,
    /// A note for the user; empty if there is none. `{option}` and `{value}` are replaced.
    pub(super) note: &'static str,
    /// The value for which the note is omitted.
    pub(super) silent: &'static str,
}

/// The values of an option or key, and their conversion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Text, which becomes the value of the field as it stands.
    Text,
    /// A whole number, 0 or more.
    Count,
    /// A whole number that sets the field if it is above 0.
    Positive,
    /// A whole number above 0.
    AboveZero,
    /// A number counted from 1, which the configuration counts from 0.
    Index,
    /// A number, whole or decimal, of either sign.
    Number,
    /// Seconds, converted to milliseconds.
    Seconds,
    /// Milliseconds, converted to seconds.
    Millis,
    /// No value: the field is set to this one.
    Flag(bool),
    /// One of these words, each with the value of the field, and their list for messages. An empty value leaves the field
    /// unset, because its default means the same.
    Choice(&'static [(&'static str, &'static str)], &'static str),
    /// `true` or `on`, `false` or `off`.
    Switch,
    /// One of these words, none of which has an effect here, and their list for messages.
    NoEffect(&'static [&'static str], &'static str),
    /// Arguments separated by blanks, which replace the list.
    Words,
    /// Whether the list of PGN details has the field.
    Detail,
    /// Folders separated by colons or semicolons.
    Folders,
    /// A time control; `inf` sets none.
    Clock,
    /// A model of Elo.
    Model,
    /// The protocol, which must be UCI.
    Protocol,
    /// Games at once; a number below 1 is added to the number of cores.
    Concurrency,
    /// Cores of each game; a list of cores is left out.
    Affinity,
    /// A saved configuration, which would replace all other options.
    SavedConfig,
    /// Any value, none of which has an effect here.
    Ignored,
    /// An option with these keys, and those of them that it requires.
    Section(&'static [Entry], &'static [&'static str]),
    /// The same for an adjudication, with the defaults of fastchess for the keys that it lacks: each the field and its value.
    Rule(&'static [Entry], &'static [&'static str], &'static [(&'static str, u64)]),
    /// Keys of all engines.
    Each,
    /// An engine, whose keys follow.
    Engine,
    /// The games of a round, 2 without a number.
    Repeat,
}

const fn entry(name: &'static str, field: &'static str, kind: Kind) -> Entry {
    Entry { name, field, kind, note: "", silent: "" }
}

const fn ignored(name: &'static str) -> Entry {
    entry(name, "", Ignored)
}

impl Entry {
    const fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Omits the note for this value.
    const fn except(self, silent: &'static str) -> Self {
        Self { silent, ..self }
    }

    /// Returns the note for a value, if there is one.
    pub(super) fn note_on(&self, option: &str, value: &str) -> Option<String> {
        let is_silent = match self.kind {
            Affinity => value.is_empty(),
            _ => self.note.is_empty() || (!self.silent.is_empty() && value == self.silent),
        };
        (!is_silent).then(|| self.note.replace("{option}", option).replace("{value}", value))
    }
}

/// Returns the entry of this name.
pub(super) fn find(table: &'static [Entry], name: &str) -> Option<&'static Entry> {
    table.iter().find(|entry| entry.name == name)
}

/// Returns the names of a table, and those in `more`, for messages: `elo0, elo1 or model`.
pub(super) fn names(table: &[Entry], more: &[&str]) -> String {
    let names: Vec<&str> = table.iter().map(|entry| entry.name).chain(more.iter().copied()).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

const RESULTS: Kind =
    Choice(&[("WIN_LOSS", "decisive"), ("DRAW", "drawn"), ("BOTH", "both")], "WIN_LOSS, DRAW or BOTH");

const VARIANTS: Kind = Choice(
    &[("standard", ""), ("fischerandom", "chess960"), ("chess960", "chess960")],
    "standard or fischerandom",
);

const TOURNAMENTS: Kind = Choice(
    &[("gauntlet", "gauntlet"), ("roundrobin", "roundrobin"), ("round-robin", "roundrobin")],
    "roundrobin or gauntlet",
);

const ORDERS: Kind = Choice(&[("random", "random"), ("sequential", "sequential")], "random or sequential");

const BOOK_FORMATS: Kind = Choice(
    &[("epd", "epd"), ("pgn", "pgn"), ("bin", "polyglot"), ("polyglot", "polyglot")],
    "epd, pgn or bin",
);

/// The format of cutechess-cli, which fastchess also knows, is printed as that of fastchess.
const FORMATS: Kind =
    Choice(&[("fastchess", "fastchess"), ("cutechess", "fastchess")], "fastchess or cutechess");

/// A switch without a field.
const IGNORED_SWITCH: Kind = NoEffect(&["true", "on", "false", "off"], "true or false");

/// Fields that no configuration has; the import computes others from them.
pub(super) const REVERSE: &str = "reverse";
/// Whether the match goes on after a crash.
pub(super) const RECOVER: &str = "recover";
/// The value of `-rounds`.
pub(super) const ROUNDS: &str = "rounds";
/// The value of `-games` or `-repeat`, whichever comes last: fastchess takes both as the games of a round.
pub(super) const GAMES_OF_ROUND: &str = "games_of_round";
/// The word of `-tournament`; the last one counts.
pub(super) const TOURNAMENT: &str = "tournament";
/// The engines of a gauntlet that meet all others.
pub(super) const SEEDS: &str = "seeds";

/// The options of the command line.
pub(super) const OPTIONS: &[Entry] = &[
    entry("engine", "", Engine),
    entry("each", "", Each),
    entry("openings", "", Section(OPENINGS_KEYS, &["file"])),
    entry("sprt", "", Section(SPRT_KEYS, &["elo0", "elo1"])),
    entry("draw", "", Rule(DRAW_KEYS, &[], DRAW_DEFAULTS)),
    entry("resign", "", Rule(RESIGN_KEYS, &["score"], &[("adjudication.win.moves", 1)])),
    entry("maxmoves", "adjudication.max_moves", Positive),
    entry("tb", "tablebases.syzygy", Folders),
    entry("tbpieces", "tablebases.pieces", Positive),
    entry("tbignore50", "tablebases.ignore_fifty", Flag(true)),
    entry("tbadjudicate", "tablebases.results", RESULTS),
    entry("rounds", ROUNDS, Count),
    entry("games", GAMES_OF_ROUND, Count),
    entry("repeat", "", Repeat),
    entry("tournament", TOURNAMENT, TOURNAMENTS),
    entry("seeds", SEEDS, Count),
    entry("recover", RECOVER, Flag(true)),
    entry("noswap", "swap", Flag(false)),
    entry("reverse", REVERSE, Flag(true)).note("-reverse: left out, because the engines swap colours"),
    entry("srand", "seed", Count),
    entry("variant", "variant", VARIANTS),
    entry("concurrency", "concurrency", Concurrency),
    entry("use-affinity", "affinity", Affinity)
        .note("-use-affinity: the list of processors is left out; use taskset to restrict the harness"),
    entry("pgnout", "", Section(PGN_KEYS, &["file"])),
    entry("epdout", "", Section(EPD_KEYS, &["file"])),
    entry("log", "", Section(LOG_KEYS, &["file"])),
    entry("output", "", Section(OUTPUT_KEYS, &["format"])),
    entry("ratinginterval", "output.rating_interval", Count),
    ignored("scoreinterval"),
    entry("startup-ms", "watchdog.uci", Millis),
    entry("ucinewgame-ms", "watchdog.new_game", Millis),
    entry("ping-ms", "watchdog.ready", Millis),
    entry("check-mate-pvs", "check_mate_pvs", Flag(true)),
    entry("strict", "strict_pv", Flag(true)),
    entry("config", "", Section(CONFIG_KEYS, &[])),
    // Always done here, or without effect on the games.
    ignored("autosaveinterval"),
    ignored("force-concurrency"),
    ignored("testEnv"),
    ignored("show-latency"),
    ignored("report").note("-report: left out"),
    ignored("crc32").note("-crc32: left out"),
    ignored("event").note("-event: left out"),
    ignored("site").note("-site: left out"),
    ignored("wait").note("-wait: left out"),
];

/// All but `file` choose where fastchess saves the configuration. A run folder always stores it.
const CONFIG_KEYS: &[Entry] = &[
    entry("file", "", SavedConfig),
    ignored("outname")
        .note("-config outname={value}: left out, because the run folder keeps the configuration"),
    ignored("discard"),
    ignored("stats"),
];

/// The keys of `-engine` and `-each`, besides `option.NAME`.
pub(super) const ENGINE_KEYS: &[Entry] = &[
    entry("name", "name", Text),
    entry("cmd", "command", Text),
    entry("dir", "working_dir", Text),
    entry("args", "args", Words),
    entry("tc", "time_control", Clock),
    entry("st", "movetime", Seconds),
    entry("nodes", "nodes", Count),
    entry("depth", "depth", Count),
    entry("plies", "depth", Count),
    entry("timemargin", MARGIN, Count),
    entry("proto", "", Protocol),
    ignored("restart").note("restart={value}: left out"),
];

/// The field of `timemargin`, in milliseconds, which no engine of a configuration has.
pub(super) const MARGIN: &str = "margin";

const OPENINGS_KEYS: &[Entry] = &[
    entry("file", "openings.file", Text),
    entry("format", "openings.format", BOOK_FORMATS),
    entry("order", "openings.order", ORDERS),
    entry("plies", "openings.plies", Positive),
    entry("start", "openings.start", Index),
    entry("policy", "", NoEffect(&["round", "encounter", "default"], "round, encounter or default"))
        .note("-openings policy={value}: every pairing plays the same openings here")
        .except("round"),
];

const SPRT_KEYS: &[Entry] = &[
    entry("elo0", "sprt.elo0", Number),
    entry("elo1", "sprt.elo1", Number),
    entry("alpha", "sprt.alpha", Number),
    entry("beta", "sprt.beta", Number),
    entry("model", "sprt.model", Model),
];

/// The keys of `-draw`.
const DRAW_KEYS: &[Entry] = &[
    entry("movenumber", "adjudication.draw.from_move", Count),
    entry("movecount", "adjudication.draw.moves", AboveZero),
    entry("score", "adjudication.draw.score", Count),
];

const DRAW_DEFAULTS: &[(&str, u64)] =
    &[("adjudication.draw.from_move", 0), ("adjudication.draw.moves", 1), ("adjudication.draw.score", 0)];

const RESIGN_KEYS: &[Entry] = &[
    entry("movecount", "adjudication.win.moves", AboveZero),
    entry("score", "adjudication.win.score", AboveZero),
    entry("twosided", "adjudication.win.two_sided", Switch),
];

const LOG_KEYS: &[Entry] = &[
    entry("file", "output.log.file", Text),
    entry("append", "output.log.append", Switch),
    entry("engine", "output.log.engines", Switch),
    entry("level", "", NoEffect(LOG_LEVELS, "trace, info, warn, err or fatal")),
    entry("compress", "", IGNORED_SWITCH).note("-log compress={value}: left out").except("false"),
    entry("realtime", "", IGNORED_SWITCH),
];

const LOG_LEVELS: &[&str] = &["trace", "info", "warn", "err", "error", "fatal"];

const OUTPUT_KEYS: &[Entry] = &[entry("format", "output.format", FORMATS)
    .note("-output format={value}: printed in the format of fastchess")
    .except("fastchess")];

/// The keys of `-pgnout`. The details are tracked in the comments of the games.
pub(super) const PGN_KEYS: &[Entry] = &[
    entry("file", "output.pgn.file", Text),
    entry("append", "output.pgn.append", Switch),
    entry("notation", "", NoEffect(&["san", "lan", "uci"], "san, lan or uci"))
        .note("-pgnout notation={value}: left out")
        .except("san"),
    entry("min", "", IGNORED_SWITCH).note("-pgnout min={value}: left out").except("false"),
    ignored("match_line").note("-pgnout match_line={value}: left out"),
    entry("nodes", "nodes", Detail),
    entry("seldepth", "seldepth", Detail),
    entry("nps", "nps", Detail),
    entry("hashfull", "hashfull", Detail),
    entry("tbhits", "tbhits", Detail),
    entry("timeleft", "clock", Detail),
    entry("latency", "latency", Detail),
    entry("pv", "pv", Detail),
];

/// The keys of `-epdout`.
pub(super) const EPD_KEYS: &[Entry] =
    &[entry("file", "output.epd.file", Text), entry("append", "output.epd.append", Switch)];
