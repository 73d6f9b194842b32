//! A match described for fastchess (or cutechess-cli, which much of its command line comes from), as one of ours.
//!
//! What has no counterpart is named in the notes, never dropped in silence; what would change the match is an error. The
//! result is YAML text, to be read like any configuration and kept with the run.

use serde_json::Value as Json;
use serde_yaml::{Mapping, Value};
use thiserror::Error;

/// Why a description cannot be taken over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportError {
    /// A word that is not understood.
    #[error("`{word}` after `{option}`: expected {expected}")]
    Word {
        /// The option it belongs to, such as `-each`.
        option: String,
        /// The word.
        word: String,
        /// What was expected.
        expected: &'static str,
    },
    /// An option of which nothing is known.
    #[error("unknown option `{option}`")]
    Option {
        /// The option.
        option: String,
    },
    /// An option that looks like one of the harness, which would be taken for one of theirs.
    #[error("unknown option `{option}`: the harness's own options stand before --from-fastchess")]
    Own {
        /// The option.
        option: String,
    },
    /// Something that is not played here.
    #[error("{what} is not supported")]
    Unsupported {
        /// What it is.
        what: String,
    },
    /// Games would all begin alike.
    #[error("no openings: every game would begin at the start position; add -openings file=BOOK")]
    NoOpenings,
    /// A saved configuration that does not read.
    #[error("not a saved configuration of fastchess: {0}")]
    Json(String),
}

/// A description taken over.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// A configuration for `harness match`, or `harness sprt` where `is_test`.
    pub yaml: String,
    /// Is it a sequential test?
    pub is_test: bool,
    /// What was left out or means something else here.
    pub notes: Vec<String>,
}

/// An engine, or what is said of each.
#[derive(Clone, Debug, Default)]
struct Player {
    fields: Mapping,
    options: Mapping,
    margin: Option<u64>,
}

/// What has been understood so far.
#[derive(Debug, Default)]
struct Draft {
    engines: Vec<Player>,
    /// The words of `-each`, which hold wherever they stand.
    each: Vec<String>,
    openings: Mapping,
    sprt: Option<Mapping>,
    draw: Option<Mapping>,
    win: Option<Mapping>,
    adjudication: Mapping,
    tablebases: Mapping,
    fields: Mapping,
    rounds: Option<u64>,
    games: Option<u64>,
    is_gauntlet: bool,
    /// Do words stand there that only cutechess-cli knows?
    is_cutechess: bool,
    /// Does the match go on after a crash?
    recovers: bool,
    seeds: Option<u64>,
    notes: Vec<String>,
}

/// What can stand in the comments of their games, with the word for it here.
const PGN_FIELDS: [(&str, &str); 8] = [
    ("nodes", "nodes"),
    ("seldepth", "seldepth"),
    ("nps", "nps"),
    ("hashfull", "hashfull"),
    ("tbhits", "tbhits"),
    ("timeleft", "clock"),
    ("latency", "latency"),
    ("pv", "pv"),
];

/// Words about an engine that cutechess-cli takes without a value.
const FLAGS: [&str; 3] = ["ponder", "trust", "whitepov"];

fn put(mapping: &mut Mapping, key: &str, value: impl Into<Value>) {
    mapping.insert(key.into(), value.into());
}

/// Adds to a list, which need not be there yet.
fn add<'a>(mapping: &mut Mapping, key: &str, values: impl IntoIterator<Item = &'a str>) {
    let mut list = mapping.get(key).and_then(Value::as_sequence).cloned().unwrap_or_default();
    list.extend(values.into_iter().map(Value::from));
    put(mapping, key, list);
}

/// A number as short as it can be written.
fn number(text: &str) -> Option<Value> {
    text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok()
}

/// Reads the words of a command line, with or without the program's name before them.
pub fn import_command_line(words: &[String]) -> Result<Imported, ImportError> {
    let start = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let is_cutechess = words[..start].iter().any(|word| word.contains("cutechess"));
    let mut draft = Draft { is_cutechess, ..Draft::default() };
    let mut rest = &words[start..];
    while let Some((option, after)) = rest.split_first() {
        let is_option = |word: &String| word.starts_with('-') && word.parse::<f64>().is_err();
        let count = after.iter().position(is_option).unwrap_or(after.len());
        let (params, next) = after.split_at(count);
        draft.take(option, params)?;
        rest = next;
    }
    draft.finish()
}

/// Cuts a line into words as a shell would, as far as blanks and quotes go.
pub fn split_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_open) = (Vec::new(), String::new(), None, false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None) => {
                // A backslash before a line's end joins the lines.
                word.extend(letters.next().filter(|&next| next != '\n'));
                is_open = !word.is_empty();
            }
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => (quote, is_open) = (Some(letter), true),
            (_, None) if letter.is_whitespace() => {
                if is_open {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            _ => {
                word.push(letter);
                is_open = true;
            }
        }
    }
    if is_open {
        words.push(word);
    }
    words
}

impl Draft {
    fn take(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let bad = |word: &str, expected| ImportError::Word {
            option: option.to_owned(),
            word: word.to_owned(),
            expected,
        };
        let single = || params.concat();
        let count = || single().parse::<u64>().map_err(|_| bad(&single(), "a whole number"));
        match option.trim_start_matches('-') {
            "engine" => {
                let mut player = Player::default();
                for (key, value) in settings(option, params)? {
                    self.player_field(&mut player, option, key, value)?;
                }
                self.engines.push(player);
            }
            "each" => self.each.extend_from_slice(params),
            "openings" => self.openings(option, params)?,
            "sprt" => self.sprt(option, params)?,
            "draw" | "resign" => self.adjudication(option, params)?,
            "maxmoves" => {
                let moves = count()?;
                put(&mut self.adjudication, "max_moves", moves);
            }
            "tb" | "tbpieces" | "tbignore50" | "tbadjudicate" => self.tablebases(option, params)?,
            "concurrency" => match single().parse::<i64>() {
                Ok(games) if games > 0 => put(&mut self.fields, "concurrency", games),
                Ok(less) => {
                    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as i64;
                    put(&mut self.fields, "concurrency", (cores + less).max(1));
                }
                Err(_) => return Err(bad(&single(), "a whole number")),
            },
            "rounds" => self.rounds = Some(count()?),
            "repeat" if params.is_empty() => self.games = Some(2),
            "games" | "repeat" => self.games = Some(count()?),
            "noswap" => put(&mut self.fields, "swap", false),
            "srand" => {
                let seed = count()?;
                put(&mut self.fields, "seed", seed);
                self.note("the seed shuffles openings in another order here");
            }
            "seeds" => self.seeds = Some(count()?),
            "tournament" => match single().as_str() {
                "gauntlet" => self.is_gauntlet = true,
                "roundrobin" | "round-robin" => self.is_gauntlet = false,
                _ => return Err(bad(&single(), "roundrobin or gauntlet")),
            },
            "variant" => match single().as_str() {
                "standard" => {}
                "fischerandom" | "chess960" => put(&mut self.fields, "variant", "chess960"),
                _ => return Err(bad(&single(), "standard or fischerandom")),
            },
            "use-affinity" => {
                put(&mut self.fields, "affinity", "auto");
                if !params.is_empty() {
                    self.note("-use-affinity: the list of processors is left out; use taskset to restrict the harness");
                }
            }
            "quick" => self.quick(option, params)?,
            "reverse" => return Err(ImportError::Unsupported { what: option.to_owned() }),
            // Done here in any case, or of no influence on the games.
            "force-concurrency" | "testEnv" | "strict" | "show-latency" | "report" => {}
            "recover" => self.recovers = true,
            "pgnout" => self.pgnout(option, params),
            "config" | "autosaveinterval" => self.note("-config: runs are kept and resumed with --resume"),
            "epdout" => {
                put(&mut self.fields, "epd", true);
                self.note("-epdout: final.epd is written to the run folder");
            }
            "log" => {
                put(&mut self.fields, "logs", true);
                self.note("-log: dialogues are written to logs/ in the run folder");
            }
            "output" | "crc32" | "event" | "site" | "wait" | "ratinginterval" | "scoreinterval" => {
                self.note(&format!("{option}: left out"));
            }
            "outcomeinterval" | "resultformat" | "debug" | "bookmode" | "livepgnout" => {
                self.is_cutechess = true;
                self.note(&format!("{option}: left out"));
            }
            _ if option.starts_with("--") => return Err(ImportError::Own { option: option.to_owned() }),
            _ => return Err(ImportError::Option { option: option.to_owned() }),
        }
        Ok(())
    }

    /// What is said of each engine may be said again: once is enough.
    fn note(&mut self, text: &str) {
        if self.notes.iter().all(|known| known != text) {
            self.notes.push(text.to_owned());
        }
    }

    fn player_field(
        &mut self,
        player: &mut Player,
        option: &str,
        key: &str,
        value: &str,
    ) -> Result<(), ImportError> {
        let bad =
            |expected| ImportError::Word { option: option.to_owned(), word: value.to_owned(), expected };
        let whole = || value.parse::<u64>().map_err(|_| bad("a whole number"));
        self.is_cutechess |= matches!(key, "arg" | "initstr" | "ponder" | "stderr" | "trust" | "whitepov");
        match key {
            "name" => put(&mut player.fields, "name", value),
            "cmd" => put(&mut player.fields, "command", value),
            "dir" => put(&mut player.fields, "working_dir", value),
            // All of them; one argument is cutechess-cli's `arg`, which adds up.
            "args" => {
                let args: Vec<Value> = split_words(value).into_iter().map(Value::from).collect();
                put(&mut player.fields, "args", args);
            }
            "arg" => add(&mut player.fields, "args", [value]),
            "tc" if matches!(value, "inf" | "infinite") => {}
            "tc" if value.contains("hg") => {
                return Err(ImportError::Unsupported { what: "an hourglass clock".to_owned() });
            }
            "tc" => put(&mut player.fields, "time_control", value),
            "st" => {
                let seconds: f64 = value.parse().map_err(|_| bad("seconds"))?;
                put(&mut player.fields, "movetime", (seconds * 1000.0).round() as u64);
            }
            "nodes" => put(&mut player.fields, "nodes", whole()?),
            "depth" | "plies" => put(&mut player.fields, "depth", whole()?),
            "timemargin" => player.margin = Some(whole()?),
            "proto" if value == "uci" => {}
            "proto" => return Err(ImportError::Unsupported { what: format!("proto={value}") }),
            "initstr" => add(&mut player.fields, "init", value.split("\\n")),
            "ponder" => match value {
                "true" | "on" => put(&mut player.fields, "ponder", true),
                "false" | "off" => put(&mut player.fields, "ponder", false),
                _ => return Err(bad("true or false")),
            },
            "whitepov" => self.note("whitepov: left out; scores are taken for those of the side to move"),
            "stderr" => {
                self.note("stderr: left out; what an engine says there is kept in faults/ where it fails");
            }
            "restart" | "trust" => self.note(&format!("{key}={value}: left out")),
            _ => match key.strip_prefix("option.") {
                Some(name) => put(&mut player.options, name, value),
                None => {
                    return Err(ImportError::Word {
                        option: option.to_owned(),
                        word: key.to_owned(),
                        expected: "name, cmd, dir, args, arg, initstr, tc, st, nodes, depth, plies, timemargin, ponder, \
                                   proto, restart, stderr, trust, whitepov or option.NAME",
                    });
                }
            },
        }
        Ok(())
    }

    /// What is said of each engine, on top of what is said of one.
    fn apply_each(&mut self) -> Result<(), ImportError> {
        let (words, mut engines) = (std::mem::take(&mut self.each), std::mem::take(&mut self.engines));
        for (key, value) in settings("-each", &words)? {
            for player in &mut engines {
                self.player_field(player, "-each", key, value)?;
            }
        }
        self.engines = engines;
        Ok(())
    }

    /// The file's place is our own; what its comments hold is taken over.
    fn pgnout(&mut self, option: &str, params: &[String]) {
        self.note("-pgnout: games.pgn is written to the run folder");
        for (index, word) in params.iter().enumerate() {
            let key = word.strip_suffix("=true");
            let field = PGN_FIELDS.iter().find(|(theirs, _)| Some(*theirs) == key);
            // cutechess-cli has the file first, without a key.
            let is_file = word.starts_with("file=") || index == 0 && !word.contains('=');
            if let Some((_, ours)) = field {
                add(&mut self.fields, "pgn", [*ours]);
            } else if !(is_file || word.ends_with("=false") || word == "notation=san") {
                self.note(&format!("{option} {word}: left out"));
            }
        }
    }

    fn sprt(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let bad = |word: &str, expected| ImportError::Word {
            option: option.to_owned(),
            word: word.to_owned(),
            expected,
        };
        let mut sprt = Mapping::new();
        for (key, value) in pairs(option, params)? {
            match key {
                "elo0" | "elo1" | "alpha" | "beta" => {
                    put(&mut sprt, key, number(value).ok_or_else(|| bad(value, "a number"))?);
                }
                "model" if value == "bayesian" => {
                    return Err(ImportError::Unsupported { what: "-sprt model=bayesian".to_owned() });
                }
                "model" => put(&mut sprt, key, value),
                _ => return Err(bad(key, "elo0, elo1, alpha, beta or model")),
            }
        }
        self.sprt = Some(sprt);
        Ok(())
    }

    fn openings(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        for (key, value) in pairs(option, params)? {
            let bad =
                |expected| ImportError::Word { option: option.to_owned(), word: value.to_owned(), expected };
            match key {
                "file" => put(&mut self.openings, "file", value),
                "format" => {
                    put(&mut self.openings, "format", if value == "bin" { "polyglot" } else { value });
                }
                "order" => put(&mut self.openings, "order", value),
                "plies" => {
                    let plies: i64 = value.parse().map_err(|_| bad("a whole number"))?;
                    if plies > 0 {
                        put(&mut self.openings, "plies", plies);
                    }
                }
                // Counted from 1 there.
                "start" => {
                    let start: u64 = value.parse().map_err(|_| bad("a whole number"))?;
                    put(&mut self.openings, "start", start.saturating_sub(1));
                }
                "policy" if value == "round" => {}
                "policy" => self
                    .note(&format!("-openings policy={value}: every pairing plays the same openings here")),
                _ => {
                    return Err(ImportError::Word {
                        option: option.to_owned(),
                        word: key.to_owned(),
                        expected: "file, format, order, plies or start",
                    });
                }
            }
        }
        Ok(())
    }

    fn adjudication(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let mut rule = Mapping::new();
        for (key, value) in pairs(option, params)? {
            let name = match key {
                "movenumber" => "from_move",
                "movecount" => "moves",
                "score" => "score",
                "twosided" => "two_sided",
                _ => {
                    return Err(ImportError::Word {
                        option: option.to_owned(),
                        word: key.to_owned(),
                        expected: "movenumber, movecount, score or twosided",
                    });
                }
            };
            let value = match value {
                "true" => Value::from(true),
                "false" => Value::from(false),
                other => number(other).ok_or_else(|| ImportError::Word {
                    option: option.to_owned(),
                    word: other.to_owned(),
                    expected: "a number",
                })?,
            };
            put(&mut rule, name, value);
        }
        if option.ends_with("draw") {
            self.draw = Some(rule);
        } else {
            self.win = Some(rule);
        }
        Ok(())
    }

    fn tablebases(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let text = params.concat();
        let bad = |expected| ImportError::Word { option: option.to_owned(), word: text.clone(), expected };
        match option.trim_start_matches('-') {
            "tb" => {
                let separators: &[char] = if cfg!(windows) { &[';'] } else { &[':', ';'] };
                let folders: Vec<Value> = text.split(separators).map(Value::from).collect();
                put(&mut self.tablebases, "syzygy", folders);
            }
            "tbpieces" => {
                let pieces: u64 = text.parse().map_err(|_| bad("a number of men"))?;
                put(&mut self.tablebases, "pieces", pieces);
            }
            "tbignore50" => put(&mut self.tablebases, "ignore_fifty", true),
            _ => {
                let results = match text.as_str() {
                    "WIN_LOSS" => "decisive",
                    "DRAW" => "drawn",
                    "BOTH" => "both",
                    _ => return Err(bad("WIN_LOSS, DRAW or BOTH")),
                };
                put(&mut self.tablebases, "results", results);
            }
        }
        Ok(())
    }

    /// Two engines at ten seconds and a tenth a move, as `-quick` has it.
    fn quick(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        for (key, value) in pairs(option, params)? {
            match key {
                "cmd" => {
                    let mut player = Player::default();
                    put(&mut player.fields, "name", format!("{value} {}", self.engines.len() + 1));
                    put(&mut player.fields, "command", value);
                    put(&mut player.fields, "time_control", "10+0.1");
                    self.engines.push(player);
                }
                "book" => put(&mut self.openings, "file", value),
                _ => {
                    return Err(ImportError::Word {
                        option: option.to_owned(),
                        word: key.to_owned(),
                        expected: "cmd or book",
                    });
                }
            }
        }
        self.recovers = true;
        self.games = Some(2);
        self.rounds = Some(25_000);
        let mut draw = Mapping::new();
        for (key, value) in [("from_move", 30_u64), ("moves", 8), ("score", 8)] {
            put(&mut draw, key, value);
        }
        self.draw = Some(draw);
        Ok(())
    }

    fn finish(mut self) -> Result<Imported, ImportError> {
        self.apply_each()?;
        if !self.openings.contains_key("file") {
            return Err(ImportError::NoOpenings);
        }
        if !self.recovers {
            self.note(
                "without -recover a crash ends the match there; here the run goes on: set max_faults to stop",
            );
        }
        let mut root = Mapping::new();
        let margins: Vec<u64> = self.engines.iter().filter_map(|player| player.margin).collect();
        let engines: Vec<Value> =
            std::mem::take(&mut self.engines).into_iter().map(Player::into_value).collect();
        put(&mut root, "engines", engines);
        put(&mut root, "openings", std::mem::take(&mut self.openings));
        // Without a margin fastchess forgives nothing.
        put(&mut root, "time_margin", margins.iter().copied().max().unwrap_or(0));
        if margins.iter().any(|margin| *margin != margins[0]) {
            self.note("timemargin: the largest counts for all engines");
        }
        let per_round = self.games.unwrap_or(2);
        let rounds = self.rounds.unwrap_or(if self.sprt.is_some() { 500_000 } else { 2 });
        let mut games = rounds.saturating_mul(per_round);
        if per_round == 1 {
            put(&mut root, "repeat", false);
        } else if per_round > 2 {
            self.note("more than two games a round: each pair of them has an opening of its own here");
        }
        if games % 2 == 1 {
            games += 1;
            self.note("games come in pairs: one more is played");
        }
        if let Some(mut sprt) = self.sprt.clone() {
            put(&mut sprt, "max_games", games);
            if self.is_cutechess && !sprt.contains_key("model") {
                put(&mut sprt, "model", "logistic");
                self.note("-sprt: the bounds are logistic Elo, as cutechess-cli has them; fastchess's are normalized");
            }
            put(&mut root, "sprt", sprt);
        } else {
            put(&mut root, "games", games);
        }
        if self.is_gauntlet {
            put(&mut root, "gauntlet", self.seeds.unwrap_or(1));
        }
        for (name, rule) in [("draw", self.draw.take()), ("win", self.win.take())] {
            if let Some(rule) = rule {
                put(&mut self.adjudication, name, rule);
            }
        }
        if !self.adjudication.is_empty() {
            put(&mut root, "adjudication", std::mem::take(&mut self.adjudication));
        }
        if !self.tablebases.is_empty() {
            put(&mut root, "tablebases", std::mem::take(&mut self.tablebases));
        }
        root.extend(std::mem::take(&mut self.fields));
        let yaml = serde_yaml::to_string(&root).map_err(|error| ImportError::Json(error.to_string()))?;
        Ok(Imported { yaml, is_test: self.sprt.is_some(), notes: self.notes })
    }
}

impl Player {
    fn into_value(self) -> Value {
        let mut fields = self.fields;
        if !self.options.is_empty() {
            put(&mut fields, "options", self.options);
        }
        Value::Mapping(fields)
    }
}

/// The words `key=value` of an option.
fn pairs<'a>(option: &str, params: &'a [String]) -> Result<Vec<(&'a str, &'a str)>, ImportError> {
    params.iter().map(|word| pair(option, word)).collect()
}

/// The words of an engine, some of which have no value.
fn settings<'a>(option: &str, params: &'a [String]) -> Result<Vec<(&'a str, &'a str)>, ImportError> {
    let setting = |word: &'a String| {
        if FLAGS.contains(&word.as_str()) { Ok((word.as_str(), "true")) } else { pair(option, word) }
    };
    params.iter().map(setting).collect()
}

fn pair<'a>(option: &str, word: &'a str) -> Result<(&'a str, &'a str), ImportError> {
    word.split_once('=').ok_or_else(|| ImportError::Word {
        option: option.to_owned(),
        word: word.to_owned(),
        expected: "KEY=VALUE",
    })
}

/// Reads the `config.json` that fastchess saves; its results are left behind.
pub fn import_saved(text: &str) -> Result<Imported, ImportError> {
    let json: Json = serde_json::from_str(text).map_err(|error| ImportError::Json(error.to_string()))?;
    let mut words: Vec<String> = Vec::new();
    let engines = json["engines"].as_array().filter(|engines| !engines.is_empty());
    let engines = engines.ok_or_else(|| ImportError::Json("it has no engines".to_owned()))?;
    for engine in engines {
        words.push("-engine".to_owned());
        words.extend(saved_engine(engine));
    }
    let mut section = |option: &str, value: &Json, keys: &[(&str, &str)]| {
        let given: Vec<String> = keys
            .iter()
            .filter_map(|(theirs, ours)| Some(format!("{ours}={}", scalar(&value[*theirs])?)))
            .collect();
        if !given.is_empty() {
            words.push(option.to_owned());
            words.extend(given);
        }
    };
    let is_enabled = |value: &Json| value["enabled"].as_bool() == Some(true);
    let opening = &json["opening"];
    let keys = [("file", "file"), ("plies", "plies"), ("start", "start")];
    section("-openings", opening, &keys);
    if is_enabled(&json["draw"]) {
        let keys = [("move_number", "movenumber"), ("move_count", "movecount"), ("score", "score")];
        section("-draw", &json["draw"], &keys);
    }
    if is_enabled(&json["resign"]) {
        let keys = [("move_count", "movecount"), ("score", "score"), ("twosided", "twosided")];
        section("-resign", &json["resign"], &keys);
    }
    if is_enabled(&json["sprt"]) {
        let keys =
            [("elo0", "elo0"), ("elo1", "elo1"), ("alpha", "alpha"), ("beta", "beta"), ("model", "model")];
        section("-sprt", &json["sprt"], &keys);
    }
    let mut single = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([option.to_owned(), value]);
        }
    };
    if is_enabled(&json["maxmoves"]) {
        single("-maxmoves", scalar(&json["maxmoves"]["move_count"]));
    }
    if is_enabled(&json["tb_adjudication"]) {
        single("-tb", scalar(&json["tb_adjudication"]["syzygy_dirs"]));
    }
    for (option, key) in
        [("-rounds", "rounds"), ("-games", "games"), ("-concurrency", "concurrency"), ("-srand", "seed")]
    {
        single(option, scalar(&json[key]));
    }
    let lower = |value: &Json| scalar(value).map(|text| text.to_lowercase());
    if let Some(order) = lower(&opening["order"]).filter(|order| order == "sequential" || order == "random") {
        words.extend(["-openings".to_owned(), format!("order={order}")]);
    }
    if lower(&json["type"]).is_some_and(|kind| kind.contains("gauntlet")) {
        words.extend(["-tournament", "gauntlet"].map(str::to_owned));
        words.extend(
            scalar(&json["gauntlet_seeds"]).into_iter().flat_map(|seeds| ["-seeds".to_owned(), seeds]),
        );
    }
    if lower(&json["variant"]).is_some_and(|variant| variant.contains("fr") || variant.contains("fischer")) {
        words.extend(["-variant", "fischerandom"].map(str::to_owned));
    }
    for (option, key) in [("-noswap", "noswap"), ("-use-affinity", "affinity"), ("-recover", "recover")] {
        if json[key].as_bool() == Some(true) {
            words.push(option.to_owned());
        }
    }
    let is_kept = |theirs: &str| json["pgn"][format!("track_{theirs}")].as_bool() == Some(true);
    let kept: Vec<&str> =
        PGN_FIELDS.iter().map(|(theirs, _)| *theirs).filter(|theirs| is_kept(theirs)).collect();
    if !kept.is_empty() {
        words.push("-pgnout".to_owned());
        words.extend(kept.into_iter().map(|theirs| format!("{theirs}=true")));
    }
    let mut imported = import_command_line(&words)?;
    if json["stats"].as_object().is_some_and(|stats| !stats.is_empty()) {
        imported.notes.push("the results it holds are totals only, and are left behind".to_owned());
    }
    Ok(imported)
}

/// The words of `-engine` for a saved engine.
fn saved_engine(engine: &Json) -> Vec<String> {
    let limit = &engine["limit"];
    let mut words: Vec<String> = ["name", "cmd", "dir", "args"]
        .into_iter()
        .filter_map(|key| Some(format!("{key}={}", scalar(&engine[key]).filter(|text| !text.is_empty())?)))
        .collect();
    let ms = |key: &str| limit["tc"][key].as_f64().filter(|&time| time > 0.0).map(|time| time / 1000.0);
    if let Some(time) = ms("time") {
        let moves = limit["tc"]["moves"].as_u64().filter(|&moves| moves > 0);
        let moves = moves.map_or_else(String::new, |moves| format!("{moves}/"));
        let increment = ms("increment").map_or_else(String::new, |increment| format!("+{increment}"));
        words.push(format!("tc={moves}{time}{increment}"));
    }
    words.extend(ms("fixed_time").map(|time| format!("st={time}")));
    words.extend(limit["tc"]["timemargin"].as_u64().map(|margin| format!("timemargin={margin}")));
    let above_zero = |key: &str| limit[key].as_u64().filter(|&value| value > 0);
    words.extend(above_zero("nodes").map(|nodes| format!("nodes={nodes}")));
    words.extend(above_zero("plies").map(|plies| format!("depth={plies}")));
    for option in engine["options"].as_array().into_iter().flatten() {
        words.extend(
            scalar(&option[0]).zip(scalar(&option[1])).map(|(name, value)| format!("option.{name}={value}")),
        );
    }
    words
}

/// A text, number or truth value as text.
fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Source;
    use crate::play::adjudication::TableResults;
    use crate::play::matches::{ExecutionArgs, LoadedMatch, PgnField, RunKind};
    use crate::play::openings::{Format, Order};
    use crate::stats::llr::Model;

    fn import(line: &str) -> Result<Imported, ImportError> {
        import_command_line(&split_words(line))
    }

    /// The configuration that comes of it.
    fn load(imported: &Imported) -> LoadedMatch {
        let dir = tempfile::tempdir().unwrap();
        for name in ["book.epd", "book.pgn"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let source = Source::new(dir.path().join("imported.yaml"), imported.yaml.clone());
        let kind = if imported.is_test { RunKind::Sprt } else { RunKind::Match };
        LoadedMatch::load(&source, kind, ExecutionArgs::default())
            .unwrap_or_else(|error| panic!("{error}\n{}", imported.yaml))
    }

    #[test]
    fn words_are_cut_as_a_shell_does() {
        assert_eq!(split_words("a  'b c' d=\"e f\"g \\\n h\\ i ''"), ["a", "b c", "d=e fg", "h i", ""]);
        assert_eq!(split_words("  "), [""; 0]);
    }

    #[test]
    fn a_usual_test_is_taken_over() {
        let imported = import(
            "fastchess -engine cmd=sh name=new option.Hash=16 -engine cmd=sh name=old args='-c \"x y\"' tc=5+0.05 \
             -each tc=8+0.08 option.Threads=1 timemargin=20 -openings file=book.epd format=epd order=random start=11 \
             -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized -rounds 1000 -repeat -concurrency 2 -recover \
             -draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=400 twosided=true -maxmoves 200 \
             -pgnout file=out.pgn -srand 42",
        )
        .unwrap();
        assert!(imported.is_test);
        assert_eq!(imported.notes.len(), 2, "{:?}", imported.notes);
        let LoadedMatch { config, execution, .. } = load(&imported);
        let [new, old] = &config.engines[..] else { panic!("two engines") };
        assert_eq!((new.name.as_str(), new.limits.to_string().as_str()), ("new", "8+0.08"));
        assert_eq!(
            (old.args.as_slice(), old.limits.to_string().as_str()),
            (&["-c".to_owned(), "x y".to_owned()][..], "8+0.08")
        );
        assert_eq!(new.options.len(), 2);
        let sprt = config.sprt.unwrap();
        assert_eq!((sprt.elo1, sprt.max_games), (5.0, Some(2000)));
        assert_eq!((config.openings.start, config.openings.order, config.seed), (10, Order::Random, 42));
        let (win, draw) = (config.adjudication.win.unwrap(), config.adjudication.draw.unwrap());
        assert_eq!((win.score, win.moves.get(), win.two_sided), (400, 3, true));
        assert_eq!((draw.from_move, draw.moves.get(), draw.score), (40, 8, 10));
        assert_eq!((config.time_margin.as_millis(), execution.concurrency), (20, 2));
    }

    #[test]
    fn tournaments_and_other_limits_are_taken_over() {
        let imported = import(
            "-engine cmd=sh name=a nodes=500 -engine cmd=sh name=b st=0.5 -engine cmd=sh name=c tc=40/1:00 depth=9 \
             -openings file=book.pgn plies=8 order=sequential -rounds 3 -games 1 -tournament gauntlet -variant fischerandom \
             -noswap -use-affinity -tb . -tbpieces 5 -tbadjudicate DRAW -recover",
        )
        .unwrap();
        assert!(!imported.is_test);
        assert_eq!(imported.notes, ["games come in pairs: one more is played"]);
        let LoadedMatch { config, .. } = load(&imported);
        let limits: Vec<String> = config.engines.iter().map(|engine| engine.limits.to_string()).collect();
        assert_eq!(limits, ["500 nodes", "500 ms a move", "40/60, depth 9"]);
        assert_eq!(config.openings.format, Format::Pgn { plies: std::num::NonZero::new(8) });
        assert_eq!((config.games, config.repeat, config.swap), (Some(4), false, false));
        assert_eq!(config.pairings.count(), 2);
        let tables = config.tablebases.unwrap();
        assert_eq!(
            (tables.pieces.map(std::num::NonZero::get), tables.results),
            (Some(5), TableResults::Drawn)
        );
        assert_eq!(config.time_margin.as_millis(), 0);
    }

    #[test]
    fn the_words_of_cutechess_are_taken_over() {
        let imported = import(
            "cutechess-cli -each tc=8+0.08 option.Hash=64 timemargin=50 -engine cmd=sh name=a arg=--lab 'arg=--foo x' ponder \
             initstr='one\\ntwo' initstr=three stderr=a.txt -engine cmd=sh name=b whitepov option.Hash=16 \
             -openings file=book.epd -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 -rounds 10 -pgnout games.pgn fi",
        )
        .unwrap();
        assert_eq!(
            imported.notes,
            [
                "stderr: left out; what an engine says there is kept in faults/ where it fails",
                "whitepov: left out; scores are taken for those of the side to move",
                "-pgnout: games.pgn is written to the run folder",
                "-pgnout fi: left out",
                "without -recover a crash ends the match there; here the run goes on: set max_faults to stop",
                "-sprt: the bounds are logistic Elo, as cutechess-cli has them; fastchess's are normalized",
            ]
        );
        let LoadedMatch { config, .. } = load(&imported);
        let [one, two] = &config.engines[..] else { panic!("two engines") };
        assert_eq!(
            (one.args.as_slice(), one.ponder),
            (&["--lab".to_owned(), "--foo x".to_owned()][..], true)
        );
        assert_eq!((one.init.join("|").as_str(), two.ponder), ("one|two|three", false));
        for engine in [one, two] {
            assert_eq!(engine.limits.to_string(), "8+0.08");
            assert_eq!(
                engine.options[0].value.as_deref(),
                Some("64"),
                "-each comes last, wherever it stands"
            );
        }
        assert_eq!(config.time_margin.as_millis(), 50);
        assert_eq!(config.sprt.unwrap().model, Model::Logistic);
    }

    #[test]
    fn the_model_of_a_test_is_that_of_the_tool() {
        let model = |before: &str, bounds: &str| {
            let line = format!(
                "{before} name=a cmd=sh nodes=9 -engine name=b cmd=sh nodes=9 -openings file=book.epd -sprt elo0=0 elo1=5 {bounds}"
            );
            load(&import(&line).unwrap()).config.sprt.unwrap().model
        };
        assert_eq!(model("fastchess -engine", ""), Model::Normalized);
        assert_eq!(model("-engine", ""), Model::Normalized);
        assert_eq!(model("/usr/bin/cutechess-cli -engine", ""), Model::Logistic);
        assert_eq!(model("-engine arg=x", ""), Model::Logistic);
        assert_eq!(model("-outcomeinterval 10 -engine", ""), Model::Logistic);
        assert_eq!(model("cutechess-cli -engine", "model=normalized"), Model::Normalized);
    }

    #[test]
    fn comments_of_games_hold_what_was_asked_for() {
        let imported = import(
            "-engine cmd=sh name=a nodes=9 -engine cmd=sh name=b nodes=9 -openings file=book.epd -recover \
             -pgnout file=p.pgn nodes=true seldepth=true timeleft=true nps=false notation=san min=true append=false",
        )
        .unwrap();
        assert_eq!(load(&imported).config.pgn, [PgnField::Nodes, PgnField::Seldepth, PgnField::Clock]);
        assert_eq!(
            imported.notes,
            ["-pgnout: games.pgn is written to the run folder", "-pgnout min=true: left out"]
        );
    }

    #[test]
    fn what_cannot_be_taken_over_is_said() {
        for (line, expected) in [
            ("-engine cmd=sh -frobnicate 3", "unknown option `-frobnicate`"),
            (
                "-engine cmd=sh -rounds 2 --out xx",
                "unknown option `--out`: the harness's own options stand before --from-fastchess",
            ),
            ("-engine cmd=sh ponder=perhaps", "`perhaps` after `-engine`: expected true or false"),
            ("-engine cmd", "`cmd` after `-engine`: expected KEY=VALUE"),
            ("-engine cmd=sh colour=red", "`colour` after `-engine`: expected name, cmd"),
            ("-engine cmd=sh -each nodes=many", "`many` after `-each`: expected a whole number"),
            ("-engine cmd=sh tc=hg5", "an hourglass clock is not supported"),
            ("-sprt elo0=0 elo1=x", "`x` after `-sprt`: expected a number"),
            ("-sprt model=bayesian", "model=bayesian is not supported"),
            ("-engine cmd=sh name=a -engine cmd=sh name=b -rounds 5", "no openings: every game would begin"),
            ("-tournament swiss", "`swiss` after `-tournament`: expected roundrobin or gauntlet"),
        ] {
            let error = import(line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn a_saved_configuration_is_taken_over() {
        let text = r#"{
            "resign": { "enabled": true, "move_count": 3, "score": 500, "twosided": false },
            "draw": { "enabled": false, "move_count": 1, "score": 0, "move_number": 0 },
            "maxmoves": { "enabled": true, "move_count": 150 },
            "opening": { "file": "book.epd", "format": "EPD", "order": "SEQUENTIAL", "plies": -1, "start": 1 },
            "sprt": { "enabled": false }, "rounds": 10, "games": 2, "concurrency": 2, "seed": 7,
            "type": "ROUNDROBIN", "variant": "STANDARD", "noswap": false, "recover": true,
            "pgn": { "file": "p.pgn", "track_nodes": true, "track_pv": false },
            "engines": [
                { "name": "a", "cmd": "sh", "args": "", "dir": "", "options": [["Hash", "16"]],
                  "limit": { "tc": { "time": 8000, "increment": 80, "moves": 0, "fixed_time": 0, "timemargin": 5 }, "nodes": 0, "plies": 0 } },
                { "name": "b", "cmd": "sh", "args": "x", "dir": "", "options": [],
                  "limit": { "tc": { "time": 0, "increment": 0, "moves": 0, "fixed_time": 250 }, "nodes": 0, "plies": 6 } }
            ],
            "stats": { "a vs b": { "wins": 1 } }
        }"#;
        let imported = import_saved(text).unwrap();
        assert!(imported.notes.iter().any(|note| note.contains("totals only")), "{:?}", imported.notes);
        assert!(imported.notes.iter().all(|note| !note.contains("-recover")), "{:?}", imported.notes);
        let LoadedMatch { config, .. } = load(&imported);
        assert_eq!(config.pgn, [PgnField::Nodes]);
        let limits: Vec<String> = config.engines.iter().map(|engine| engine.limits.to_string()).collect();
        assert_eq!(limits, ["8+0.08", "depth 6, 250 ms a move"]);
        assert_eq!((config.games, config.openings.order), (Some(20), Order::Sequential));
        assert_eq!(config.adjudication.max_moves.map(std::num::NonZero::get), Some(150));
        assert!(config.adjudication.draw.is_none() && config.adjudication.win.is_some());
        for text in ["", "[]", "{}", "{\"engines\": []}"] {
            assert!(matches!(import_saved(text), Err(ImportError::Json(_))), "{text}");
        }
    }
}
