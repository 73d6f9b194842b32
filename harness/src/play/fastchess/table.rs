//! The options of fastchess and cutechess-cli, each with its counterpart in a configuration.

use Kind::{
    AboveZero, Affinity, Append, Choice, Clock, Concurrency, Count, Flag, Folders, Ignored, Index, Lines,
    Margin, Millis, Model, Number, Positive, Protocol, Seconds, Text, Words,
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
    /// Whether only cutechess-cli has it.
    pub(super) is_cutechess: bool,
}

/// The values of an option or key, and their conversion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Text, used unchanged.
    Text,
    /// A whole number, 0 or more.
    Count,
    /// A whole number that sets the field if it is above 0.
    Positive,
    /// A whole number above 0.
    AboveZero,
    /// A number counted from 1, which the configuration counts from 0.
    Index,
    /// Any number.
    Number,
    /// Seconds, converted to milliseconds.
    Seconds,
    /// Milliseconds, converted to seconds.
    Millis,
    /// No value: the field is set to this one.
    Flag(bool),
    /// One of these words, each with the value of the field.
    Choice { words: &'static [(&'static str, Setting)], expected: &'static str },
    /// Arguments separated by blanks, which replace the list.
    Words,
    /// An item added to the list.
    Append,
    /// Items separated by `\n`, added to the list.
    Lines,
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
    /// The time margin of an engine, in milliseconds.
    Margin,
    /// Ignored for any value.
    Ignored,
    /// An option with keys or rules of its own.
    Special(Special),
}

/// The value of a field for one word of a choice.
#[derive(Clone, Copy, Debug)]
pub(super) enum Setting {
    /// This text.
    Text(&'static str),
    /// This truth value.
    Flag(bool),
    /// The default.
    Default,
}

/// Options that the parser handles one by one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Special {
    Config,
    Draw,
    Each,
    Engine,
    EpdOut,
    Games,
    Log,
    Openings,
    Output,
    PgnOut,
    Quick,
    Recover,
    Repeat,
    Resign,
    Rounds,
    Seeds,
    Sprt,
    Tournament,
}

const fn entry(name: &'static str, field: &'static str, kind: Kind) -> Entry {
    Entry { name, field, kind, note: "", silent: "", is_cutechess: false }
}

const fn special(name: &'static str, kind: Special) -> Entry {
    entry(name, "", Kind::Special(kind))
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

    const fn cutechess(self) -> Self {
        Self { is_cutechess: true, ..self }
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

const RESULTS: Kind = Choice {
    words: &[
        ("WIN_LOSS", Setting::Text("decisive")),
        ("DRAW", Setting::Text("drawn")),
        ("BOTH", Setting::Text("both")),
    ],
    expected: "WIN_LOSS, DRAW or BOTH",
};

const VARIANTS: Kind = Choice {
    words: &[
        ("standard", Setting::Default),
        ("fischerandom", Setting::Text("chess960")),
        ("chess960", Setting::Text("chess960")),
    ],
    expected: "standard or fischerandom",
};

const ORDERS: Kind = Choice {
    words: &[("random", Setting::Text("random")), ("sequential", Setting::Text("sequential"))],
    expected: "random or sequential",
};

const BOOK_FORMATS: Kind = Choice {
    words: &[
        ("epd", Setting::Text("epd")),
        ("pgn", Setting::Text("pgn")),
        ("bin", Setting::Text("polyglot")),
        ("polyglot", Setting::Text("polyglot")),
    ],
    expected: "epd, pgn or bin",
};

const POLICIES: Kind = Choice {
    words: &[("round", Setting::Default), ("encounter", Setting::Default), ("default", Setting::Default)],
    expected: "round, encounter or default",
};

const LOG_LEVELS: Kind = Choice {
    words: &[
        ("trace", Setting::Default),
        ("info", Setting::Default),
        ("warn", Setting::Default),
        ("err", Setting::Default),
        ("error", Setting::Default),
        ("fatal", Setting::Default),
    ],
    expected: "trace, info, warn, err or fatal",
};

const NOTATIONS: Kind = Choice {
    words: &[("san", Setting::Default), ("lan", Setting::Default), ("uci", Setting::Default)],
    expected: "san, lan or uci",
};

/// A switch without a field.
const IGNORED_SWITCH: Kind = Choice {
    words: &[
        ("true", Setting::Default),
        ("on", Setting::Default),
        ("false", Setting::Default),
        ("off", Setting::Default),
    ],
    expected: "true or false",
};

const SWITCH: Kind = Choice {
    words: &[
        ("true", Setting::Flag(true)),
        ("on", Setting::Flag(true)),
        ("false", Setting::Flag(false)),
        ("off", Setting::Flag(false)),
    ],
    expected: "true or false",
};

/// The field of `-reverse`, which no configuration has.
pub(super) const REVERSE: &str = "reverse";

/// The options of the command line.
pub(super) const OPTIONS: &[Entry] = &[
    special("engine", Special::Engine),
    special("each", Special::Each),
    special("quick", Special::Quick),
    special("openings", Special::Openings),
    special("sprt", Special::Sprt),
    special("draw", Special::Draw),
    special("resign", Special::Resign),
    entry("maxmoves", "adjudication.max_moves", Positive),
    entry("tb", "tablebases.syzygy", Folders),
    entry("tbpieces", "tablebases.pieces", Positive),
    entry("tbignore50", "tablebases.ignore_fifty", Flag(true)),
    entry("tbadjudicate", "tablebases.results", RESULTS),
    special("rounds", Special::Rounds),
    special("games", Special::Games),
    special("repeat", Special::Repeat),
    special("tournament", Special::Tournament),
    special("seeds", Special::Seeds),
    special("recover", Special::Recover),
    entry("noswap", "swap", Flag(false)),
    entry("reverse", REVERSE, Flag(true)).note("-reverse: left out, because the engines swap colours"),
    entry("srand", "seed", Count),
    entry("variant", "variant", VARIANTS),
    entry("concurrency", "concurrency", Concurrency),
    entry("use-affinity", "affinity", Affinity)
        .note("-use-affinity: the list of processors is left out; use taskset to restrict the harness"),
    special("pgnout", Special::PgnOut),
    special("epdout", Special::EpdOut),
    special("log", Special::Log),
    special("output", Special::Output),
    entry("ratinginterval", "output.rating_interval", Count),
    entry("scoreinterval", "output.score_interval", Count),
    entry("startup-ms", "watchdog.uci", Millis),
    entry("ucinewgame-ms", "watchdog.new_game", Millis),
    entry("ping-ms", "watchdog.ready", Millis),
    entry("check-mate-pvs", "check_mate_pvs", Flag(true)),
    entry("strict", "strict_pv", Flag(true)),
    special("config", Special::Config),
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
    ignored("outcomeinterval").cutechess(),
    ignored("resultformat").cutechess(),
    ignored("debug").cutechess(),
    ignored("bookmode").cutechess(),
    ignored("livepgnout").note("-livepgnout: left out").cutechess(),
];

/// The keys of `-engine` and `-each`, besides `option.NAME`.
pub(super) const ENGINE_KEYS: &[Entry] = &[
    entry("name", "name", Text),
    entry("cmd", "command", Text),
    entry("dir", "working_dir", Text),
    entry("args", "args", Words),
    entry("arg", "args", Append).cutechess(),
    entry("initstr", "init", Lines).cutechess(),
    entry("tc", "time_control", Clock),
    entry("st", "movetime", Seconds),
    entry("nodes", "nodes", Count),
    entry("depth", "depth", Count),
    entry("plies", "depth", Count),
    entry("timemargin", "", Margin),
    entry("ponder", "ponder", SWITCH).cutechess(),
    entry("proto", "", Protocol),
    ignored("restart").note("restart={value}: left out"),
    ignored("trust").note("trust={value}: left out").cutechess(),
    ignored("stderr").cutechess(),
    ignored("whitepov").note("whitepov: left out; scores are read from the side to move").cutechess(),
];

/// The keys in messages on an unknown one.
pub(super) const ENGINE_KEYS_EXPECTED: &str = "name, cmd, dir, args, arg, initstr, tc, st, nodes, depth, plies, \
    timemargin, ponder, proto, restart, stderr, trust, whitepov or option.NAME";

/// Keys of an engine that cutechess-cli accepts without a value.
pub(super) const ENGINE_FLAGS: [&str; 3] = ["ponder", "trust", "whitepov"];

/// The keys of `-openings`.
pub(super) const OPENINGS_KEYS: &[Entry] = &[
    entry("file", "file", Text),
    entry("format", "format", BOOK_FORMATS),
    entry("order", "order", ORDERS),
    entry("plies", "plies", Positive),
    entry("start", "start", Index),
    entry("policy", "", POLICIES)
        .note("-openings policy={value}: every pairing plays the same openings here")
        .except("round"),
];

/// The keys in messages on an unknown one.
pub(super) const OPENINGS_KEYS_EXPECTED: &str = "file, format, order, plies, start or policy";

/// The keys of `-sprt`.
pub(super) const SPRT_KEYS: &[Entry] = &[
    entry("elo0", "elo0", Number),
    entry("elo1", "elo1", Number),
    entry("alpha", "alpha", Number),
    entry("beta", "beta", Number),
    entry("model", "model", Model),
];

/// The keys in messages on an unknown one.
pub(super) const SPRT_KEYS_EXPECTED: &str = "elo0, elo1, alpha, beta or model";

/// The keys of `-draw`.
pub(super) const DRAW_KEYS: &[Entry] = &[
    entry("movenumber", "from_move", Count),
    entry("movecount", "moves", AboveZero),
    entry("score", "score", Count),
];

/// The keys in messages on an unknown one.
pub(super) const DRAW_KEYS_EXPECTED: &str = "movenumber, movecount or score";

/// The keys of `-resign`.
pub(super) const RESIGN_KEYS: &[Entry] = &[
    entry("movecount", "moves", AboveZero),
    entry("score", "score", AboveZero),
    entry("twosided", "two_sided", SWITCH),
];

/// The keys in messages on an unknown one.
pub(super) const RESIGN_KEYS_EXPECTED: &str = "movecount, score or twosided";

/// The keys of `-log`.
pub(super) const LOG_KEYS: &[Entry] = &[
    entry("file", "output.log.file", Text),
    entry("append", "output.log.append", SWITCH),
    entry("engine", "output.log.engines", SWITCH),
    entry("level", "", LOG_LEVELS),
    entry("compress", "", IGNORED_SWITCH),
    entry("realtime", "", IGNORED_SWITCH),
];

/// The keys in messages on an unknown one.
pub(super) const LOG_KEYS_EXPECTED: &str = "file, append, engine, level, compress or realtime";

/// The keys of `-output`.
pub(super) const OUTPUT_KEYS: &[Entry] = &[entry("format", "output.format", FORMATS)];

/// The keys in messages on an unknown one.
pub(super) const OUTPUT_KEYS_EXPECTED: &str = "format";

const FORMATS: Kind = Choice {
    words: &[("fastchess", Setting::Text("fastchess")), ("cutechess", Setting::Text("cutechess"))],
    expected: "fastchess or cutechess",
};

/// The keys of `-pgnout` besides the details of [`PGN_FIELDS`].
pub(super) const PGN_KEYS: &[Entry] = &[
    entry("file", "output.pgn.file", Text),
    entry("append", "output.pgn.append", SWITCH),
    entry("notation", "", NOTATIONS).note("-pgnout notation={value}: left out").except("san"),
    entry("min", "", IGNORED_SWITCH).note("-pgnout min={value}: left out").except("false"),
    ignored("match_line").note("-pgnout match_line={value}: left out"),
];

/// The keys in messages on an unknown one.
pub(super) const PGN_KEYS_EXPECTED: &str = "file, append, notation, min, match_line, nodes, seldepth, nps, hashfull, tbhits, \
    timeleft, latency or pv";

/// The words that `-pgnout` of cutechess-cli has after the file.
pub(super) const PGN_WORDS: [&str; 2] = ["min", "fi"];

/// The keys of `-epdout`.
pub(super) const EPD_KEYS: &[Entry] =
    &[entry("file", "output.epd.file", Text), entry("append", "output.epd.append", SWITCH)];

/// The keys in messages on an unknown one.
pub(super) const EPD_KEYS_EXPECTED: &str = "file or append";

/// The keys of `-config`. All but `file` choose where fastchess saves the configuration.
pub(super) const CONFIG_KEYS: [&str; 4] = ["file", "outname", "discard", "stats"];

/// Details in the comments of PGN games, each with its name in a configuration.
pub(super) const PGN_FIELDS: [(&str, &str); 8] = [
    ("nodes", "nodes"),
    ("seldepth", "seldepth"),
    ("nps", "nps"),
    ("hashfull", "hashfull"),
    ("tbhits", "tbhits"),
    ("timeleft", "clock"),
    ("latency", "latency"),
    ("pv", "pv"),
];
