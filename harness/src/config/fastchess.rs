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
    seeds: Option<u64>,
    notes: Vec<String>,
}

fn put(mapping: &mut Mapping, key: &str, value: impl Into<Value>) {
    mapping.insert(key.into(), value.into());
}

/// A number as short as it can be written.
fn number(text: &str) -> Option<Value> {
    text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok()
}

/// Reads the words of a command line, with or without the program's name before them.
pub fn import_command_line(words: &[String]) -> Result<Imported, ImportError> {
    let start = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let mut draft = Draft::default();
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
                for (key, value) in pairs(option, params)? {
                    self.player_field(&mut player, option, key, value)?;
                }
                self.engines.push(player);
            }
            "each" => {
                for (key, value) in pairs(option, params)? {
                    let mut engines = std::mem::take(&mut self.engines);
                    let result = engines
                        .iter_mut()
                        .try_for_each(|player| self.player_field(player, option, key, value));
                    self.engines = engines;
                    result?;
                }
            }
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
            "recover" | "force-concurrency" | "testEnv" | "strict" | "show-latency" | "report" => {}
            "pgnout" => self.note("-pgnout: games.pgn is written to the run folder"),
            "config" | "autosaveinterval" => self.note("-config: runs are kept and resumed with --resume"),
            "epdout" => {
                put(&mut self.fields, "epd", true);
                self.note("-epdout: final.epd is written to the run folder");
            }
            "log" => {
                put(&mut self.fields, "logs", true);
                self.note("-log: dialogues are written to logs/ in the run folder");
            }
            "output" | "crc32" | "event" | "site" | "wait" | "ratinginterval" | "scoreinterval"
            | "outcomeinterval" | "resultformat" | "debug" => {
                self.note(&format!("{option}: left out"));
            }
            _ => return Err(ImportError::Option { option: option.to_owned() }),
        }
        Ok(())
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
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
        match key {
            "name" => put(&mut player.fields, "name", value),
            "cmd" => put(&mut player.fields, "command", value),
            "dir" => put(&mut player.fields, "working_dir", value),
            "args" | "arg" => {
                let args: Vec<Value> = split_words(value).into_iter().map(Value::from).collect();
                put(&mut player.fields, "args", args);
            }
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
            "initstr" => {
                let lines: Vec<Value> = value.split("\\n").map(Value::from).collect();
                put(&mut player.fields, "init", lines);
            }
            "restart" | "trust" | "whitepov" | "ponder" => self.note(&format!("{key}={value}: left out")),
            _ => match key.strip_prefix("option.") {
                Some(name) => put(&mut player.options, name, value),
                None => {
                    return Err(ImportError::Word {
                        option: option.to_owned(),
                        word: key.to_owned(),
                        expected: "name, cmd, dir, args, tc, st, nodes, depth, timemargin or option.NAME",
                    });
                }
            },
        }
        Ok(())
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
        if !self.openings.contains_key("file") {
            return Err(ImportError::NoOpenings);
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
    let pair = |word: &'a String| {
        word.split_once('=').ok_or_else(|| ImportError::Word {
            option: option.to_owned(),
            word: word.clone(),
            expected: "KEY=VALUE",
        })
    };
    params.iter().map(pair).collect()
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
    for (option, key) in [("-noswap", "noswap"), ("-use-affinity", "affinity")] {
        if json[key].as_bool() == Some(true) {
            words.push(option.to_owned());
        }
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
    use crate::config::{MatchConfig, RunKind, Source, TableResults};
    use crate::openings::{Format, Order};

    fn import(line: &str) -> Result<Imported, ImportError> {
        import_command_line(&split_words(line))
    }

    /// The configuration that comes of it.
    fn load(imported: &Imported) -> MatchConfig {
        let dir = tempfile::tempdir().unwrap();
        for name in ["book.epd", "book.pgn"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let source = Source { file: dir.path().join("imported.yaml"), text: imported.yaml.clone() };
        let kind = if imported.is_test { RunKind::Sprt } else { RunKind::Match };
        MatchConfig::load(&source, kind).unwrap_or_else(|error| panic!("{error}\n{}", imported.yaml))
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
        let config = load(&imported);
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
        assert_eq!((config.time_margin.as_millis(), config.concurrency), (20, 2));
    }

    #[test]
    fn tournaments_and_other_limits_are_taken_over() {
        let imported = import(
            "-engine cmd=sh name=a nodes=500 -engine cmd=sh name=b st=0.5 -engine cmd=sh name=c tc=40/1:00 depth=9 \
             -openings file=book.pgn plies=8 order=sequential -rounds 3 -games 1 -tournament gauntlet -variant fischerandom \
             -noswap -use-affinity -tb . -tbpieces 5 -tbadjudicate DRAW",
        )
        .unwrap();
        assert!(!imported.is_test);
        assert_eq!(imported.notes, ["games come in pairs: one more is played"]);
        let config = load(&imported);
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
    fn what_cannot_be_taken_over_is_said() {
        for (line, expected) in [
            ("-engine cmd=sh -frobnicate 3", "unknown option `-frobnicate`"),
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
            "type": "ROUNDROBIN", "variant": "STANDARD", "noswap": false,
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
        let config = load(&imported);
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
