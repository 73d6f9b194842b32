//! The parser of a command line, which follows the table of options.

use serde_yaml::{Mapping, Value};

use super::error::ImportError;
use super::table::{
    CONFIG_KEYS, DRAW_KEYS, DRAW_KEYS_EXPECTED, ENGINE_KEYS, ENGINE_KEYS_EXPECTED, EPD_KEYS,
    EPD_KEYS_EXPECTED, Entry, Kind, LOG_KEYS, LOG_KEYS_EXPECTED, OPENINGS_KEYS, OPENINGS_KEYS_EXPECTED,
    OPTIONS, OUTPUT_KEYS, OUTPUT_KEYS_EXPECTED, PGN_FIELDS, PGN_KEYS, PGN_KEYS_EXPECTED, PGN_WORDS,
    RESIGN_KEYS, RESIGN_KEYS_EXPECTED, SPRT_KEYS, SPRT_KEYS_EXPECTED, Setting, Special, find,
};
use super::words::{engine_pairs, pairs, split_arguments};
use super::yaml::{Draft, EngineDraft, Imported, append, has_at, put, put_at};
use crate::base::wording::similar;
use crate::config::limits::minutes_notice;

/// Rounds, clock and draw rule of `-quick`, and the processors that it leaves to other programs.
const QUICK_ROUNDS: u64 = 25_000;
const QUICK_FREE_CPUS: usize = 2;
const QUICK_CLOCK: &str = "10+0.1";
const QUICK_DRAW: [(&str, u64); 3] = [("from_move", 30), ("moves", 8), ("score", 8)];

/// Fields that `-draw` and `-resign` must set, each with its key.
const ADJUDICATION_REQUIRED: &[(&str, &str)] = &[("moves", "movecount="), ("score", "score=")];

/// Parses a command line, with or without the name of the program.
pub fn import_command_line(words: &[String]) -> Result<Imported, ImportError> {
    let start = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let is_cutechess = words[..start].iter().any(|word| word.contains("cutechess"));
    let mut parser = Parser { draft: Draft { is_cutechess, ..Draft::default() }, each: Vec::new() };
    let mut rest = &words[start..];
    while let Some((option, after)) = rest.split_first() {
        let is_option = |word: &String| word.starts_with('-') && word.parse::<f64>().is_err();
        let count = after.iter().position(is_option).unwrap_or(after.len());
        let (params, next) = after.split_at(count);
        parser.option(option, params)?;
        rest = next;
    }
    parser.apply_each()?;
    parser.draft.finish()
}

struct Parser {
    draft: Draft,
    /// The words of `-each`, which apply to engines before and after it.
    each: Vec<String>,
}

impl Parser {
    fn option(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let Some(entry) = find(OPTIONS, option.trim_start_matches('-')) else {
            let option = option.to_owned();
            let is_own = option.starts_with("--") || option.len() == 2;
            if is_own {
                return Err(ImportError::Own { option });
            }
            let name = similar(option.trim_start_matches('-'), OPTIONS.iter().map(|entry| entry.name));
            let similar = name.map(|name| format!("; did you mean `-{name}`?")).unwrap_or_default();
            return Err(ImportError::Option { option, similar });
        };
        if let Kind::Special(kind) = entry.kind {
            return self.special(kind, option, params);
        }
        let text = match entry.kind {
            Kind::Ignored | Kind::Affinity => params.concat(),
            Kind::Flag(_) => no_value(option, params).map(|()| String::new())?,
            _ => single(option, params)?.to_owned(),
        };
        if let Some(value) = convert(entry, option, &text)? {
            put_at(&mut self.draft.fields, entry.field, value);
        }
        self.record(entry, option, &text);
        Ok(())
    }

    /// Takes the note of an entry, and whether only cutechess-cli has it.
    fn record(&mut self, entry: &Entry, option: &str, value: &str) {
        self.draft.is_cutechess |= entry.is_cutechess;
        if let Some(note) = entry.note_on(option, value) {
            self.draft.note(&note);
        }
    }

    fn special(&mut self, kind: Special, option: &str, params: &[String]) -> Result<(), ImportError> {
        let count = || whole(option, single(option, params)?);
        match kind {
            Special::Config => config_keys(option, params)?,
            Special::Engine => {
                let mut engine = EngineDraft::default();
                for (key, value) in engine_pairs(option, params)? {
                    self.engine_key(&mut engine, option, key, value)?;
                }
                self.draft.engines.push(engine);
            }
            Special::Each => self.each.extend_from_slice(params),
            Special::Openings => {
                let mut fields = std::mem::take(&mut self.draft.openings);
                self.put_keys(OPENINGS_KEYS, OPENINGS_KEYS_EXPECTED, option, params, &mut fields)?;
                require(option, &fields, &[("file", "file=")])?;
                self.draft.openings = fields;
            }
            Special::Sprt => {
                let mut fields = Mapping::new();
                self.put_keys(SPRT_KEYS, SPRT_KEYS_EXPECTED, option, params, &mut fields)?;
                require(option, &fields, &[("elo0", "elo0="), ("elo1", "elo1=")])?;
                self.draft.sprt = Some(fields);
            }
            Special::Draw => {
                // The default of fastchess; cutechess-cli requires the key.
                let mut rule: Mapping = [("from_move".into(), 0.into())].into_iter().collect();
                self.put_keys(DRAW_KEYS, DRAW_KEYS_EXPECTED, option, params, &mut rule)?;
                require(option, &rule, ADJUDICATION_REQUIRED)?;
                self.draft.draw = Some(rule);
            }
            Special::Resign => {
                let mut rule = Mapping::new();
                self.put_keys(RESIGN_KEYS, RESIGN_KEYS_EXPECTED, option, params, &mut rule)?;
                require(option, &rule, ADJUDICATION_REQUIRED)?;
                self.draft.win = Some(rule);
            }
            Special::Rounds => self.draft.rounds = Some(count()?),
            Special::Games => {
                let games = count()?;
                self.draft.games_of_round = Some(games);
                self.draft.games = Some(games);
            }
            Special::Repeat => {
                let repeats = if params.is_empty() { 2 } else { count()? };
                self.draft.games_of_round = Some(repeats);
                self.draft.repeats = Some(repeats);
            }
            Special::Seeds => self.draft.seeds = Some(count()?),
            Special::Tournament => {
                self.draft.is_gauntlet = match single(option, params)? {
                    "gauntlet" => true,
                    "roundrobin" | "round-robin" => false,
                    other => return Err(ImportError::word(option, other, "roundrobin or gauntlet")),
                };
            }
            Special::Recover => {
                no_value(option, params)?;
                self.draft.recovers = true;
            }
            Special::PgnOut => self.pgn_out(option, params)?,
            Special::EpdOut => {
                put_at(&mut self.draft.fields, "epd", true.into());
                let params = self.bare_file("output.epd.file", params);
                self.put_fields(EPD_KEYS, EPD_KEYS_EXPECTED, option, params)?;
                require(option, &self.draft.fields, &[("output.epd.file", "file=")])?;
            }
            Special::Log => {
                self.put_fields(LOG_KEYS, LOG_KEYS_EXPECTED, option, params)?;
                require(option, &self.draft.fields, &[("output.log.file", "file=")])?;
            }
            Special::Output => {
                self.put_fields(OUTPUT_KEYS, OUTPUT_KEYS_EXPECTED, option, params)?;
                require(option, &self.draft.fields, &[("output.format", "format=")])?;
            }
            Special::Quick => self.quick(option, params)?,
        }
        Ok(())
    }

    /// Reads keys into the fields of the configuration.
    fn put_fields(
        &mut self,
        table: &'static [Entry],
        expected: &'static str,
        option: &str,
        params: &[String],
    ) -> Result<(), ImportError> {
        let mut fields = std::mem::take(&mut self.draft.fields);
        self.put_keys(table, expected, option, params, &mut fields)?;
        self.draft.fields = fields;
        Ok(())
    }

    /// Sets the fields of the keys.
    fn put_keys(
        &mut self,
        table: &'static [Entry],
        expected: &'static str,
        option: &str,
        params: &[String],
        fields: &mut Mapping,
    ) -> Result<(), ImportError> {
        for (key, value) in pairs(option, params)? {
            let entry = find(table, key).ok_or_else(|| ImportError::word(option, key, expected))?;
            if value.is_empty() {
                return Err(ImportError::word(option, &format!("{key}="), "KEY=VALUE"));
            }
            if let Some(converted) = convert(entry, option, value)? {
                put_at(fields, entry.field, converted);
            }
            self.record(entry, option, value);
        }
        Ok(())
    }

    /// Reads a file without key, which comes first in cutechess-cli; returns the parameters after it.
    fn bare_file<'a>(&mut self, field: &str, params: &'a [String]) -> &'a [String] {
        match params.split_first() {
            Some((file, rest)) if !file.contains('=') => {
                put_at(&mut self.draft.fields, field, file.as_str().into());
                rest
            }
            _ => params,
        }
    }

    fn engine_key(
        &mut self,
        engine: &mut EngineDraft,
        option: &str,
        key: &str,
        value: &str,
    ) -> Result<(), ImportError> {
        if let Some(name) = key.strip_prefix("option.") {
            put(&mut engine.options, name, value);
            return Ok(());
        }
        let entry = find(ENGINE_KEYS, key);
        let entry = entry.ok_or_else(|| ImportError::word(option, key, ENGINE_KEYS_EXPECTED))?;
        match (entry.kind, convert(entry, option, value)?) {
            (Kind::Clock, Some(clock)) => {
                if let Some(text) = minutes_notice(value) {
                    self.draft.note(&format!("tc={text}"));
                }
                put(&mut engine.fields, entry.field, clock);
            }
            (Kind::Margin, _) => engine.margin = Some(whole(option, value)?),
            (Kind::Append | Kind::Lines, Some(Value::Sequence(items))) => {
                append(&mut engine.fields, entry.field, items);
            }
            (_, Some(value)) => put(&mut engine.fields, entry.field, value),
            (_, None) => {}
        }
        self.record(entry, option, value);
        Ok(())
    }

    /// Applies `-each` to every engine; it overrides the keys of `-engine`.
    fn apply_each(&mut self) -> Result<(), ImportError> {
        let words = std::mem::take(&mut self.each);
        let mut engines = std::mem::take(&mut self.draft.engines);
        for (key, value) in engine_pairs("-each", &words)? {
            for engine in &mut engines {
                self.engine_key(engine, "-each", key, value)?;
            }
        }
        for engine in &engines {
            require("-engine", &engine.fields, &[("command", "cmd=")])?;
        }
        self.draft.engines = engines;
        Ok(())
    }

    /// Reads the file and the details to record.
    fn pgn_out(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let params = self.bare_file("output.pgn.file", params);
        let (words, params): (Vec<String>, Vec<String>) =
            params.iter().cloned().partition(|word| PGN_WORDS.contains(&word.as_str()));
        for word in words {
            self.draft.note(&format!("{option} {word}: left out"));
        }
        let mut others = Vec::new();
        for (param, (key, value)) in params.iter().zip(pairs(option, &params)?) {
            match (PGN_FIELDS.iter().find(|(name, _)| *name == key), value) {
                (Some((_, field)), "true") => {
                    append(&mut self.draft.fields, "pgn", [Value::from(*field)]);
                }
                (Some(_), "false") => {}
                (Some(_), _) => return Err(ImportError::word(option, param, "true or false")),
                (None, _) => others.push(param.clone()),
            }
        }
        self.put_fields(PGN_KEYS, PGN_KEYS_EXPECTED, option, &others)?;
        require(option, &self.draft.fields, &[("output.pgn.file", "file=")])
    }

    /// Reads `-quick`: engines and a book, with settings of its own.
    fn quick(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        for (key, value) in pairs(option, params)? {
            match key {
                "cmd" => {
                    let mut engine = EngineDraft::default();
                    let name = format!("{value} {}", self.draft.engines.len() + 1);
                    put(&mut engine.fields, "name", name);
                    put(&mut engine.fields, "command", value);
                    put(&mut engine.fields, "time_control", QUICK_CLOCK);
                    self.draft.engines.push(engine);
                }
                "book" => {
                    put(&mut self.draft.openings, "file", value);
                    put(&mut self.draft.openings, "order", "random");
                }
                _ => return Err(ImportError::word(option, key, "cmd or book")),
            }
        }
        self.draft.recovers = true;
        self.draft.games_of_round = Some(2);
        self.draft.rounds = Some(QUICK_ROUNDS);
        // `-concurrency` applies on either side of `-quick`.
        let games_at_once = num_cpus::get().saturating_sub(QUICK_FREE_CPUS).max(1);
        self.draft.fields.entry("concurrency".into()).or_insert(games_at_once.into());
        let rule = QUICK_DRAW.into_iter().map(|(key, value)| (key.into(), value.into()));
        self.draft.draw = Some(rule.collect());
        Ok(())
    }
}

/// Returns the only parameter of an option.
fn single<'a>(option: &str, params: &'a [String]) -> Result<&'a str, ImportError> {
    match params {
        [value] if !value.is_empty() => Ok(value),
        [_, extra, ..] => Err(ImportError::word(option, extra, "one value only")),
        _ => Err(ImportError::missing(option, "value")),
    }
}

/// Refuses parameters of an option that has none.
fn no_value(option: &str, params: &[String]) -> Result<(), ImportError> {
    params.first().map_or(Ok(()), |word| Err(ImportError::word(option, word, "no value")))
}

/// Refuses an option that leaves one of these fields unset; `keys` are pairs of field and key.
fn require(option: &str, fields: &Mapping, keys: &[(&str, &'static str)]) -> Result<(), ImportError> {
    let missing = keys.iter().find(|(field, _)| !has_at(fields, field));
    missing.map_or(Ok(()), |(_, key)| Err(ImportError::missing(option, key)))
}

/// Reads the keys of `-config`. A run folder always stores the configuration, so they choose nothing.
///
/// Errors: a saved configuration, which would replace all other options.
fn config_keys(option: &str, params: &[String]) -> Result<(), ImportError> {
    for (key, value) in pairs(option, params)? {
        match key {
            "file" => return Err(ImportError::SavedConfig { file: value.to_owned() }),
            key if CONFIG_KEYS.contains(&key) => {}
            key => return Err(ImportError::word(option, key, "file, outname, discard or stats")),
        }
    }
    Ok(())
}

/// Parses a whole number.
fn whole(option: &str, text: &str) -> Result<u64, ImportError> {
    text.parse().map_err(|_| ImportError::word(option, text, "a whole number"))
}

/// Parses a number; a whole number stays one.
fn number(text: &str) -> Option<Value> {
    text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok()
}

/// Converts a value to that of the field; `None` leaves the field unset.
fn convert(entry: &Entry, option: &str, text: &str) -> Result<Option<Value>, ImportError> {
    let bad = |expected| ImportError::word(option, text, expected);
    let signed = || text.parse::<i64>().map_err(|_| bad("a whole number"));
    let number = || number(text).ok_or_else(|| bad("a number"));
    let list = |items: Vec<&str>| Value::Sequence(items.into_iter().map(Value::from).collect());
    let value = match entry.kind {
        Kind::Count => whole(option, text)?.into(),
        Kind::Positive => match signed()? {
            count if count > 0 => count.into(),
            _ => return Ok(None),
        },
        Kind::AboveZero => match whole(option, text)? {
            0 => return Err(bad("a whole number above 0")),
            count => count.into(),
        },
        Kind::Index => whole(option, text)?.saturating_sub(1).into(),
        Kind::Number => number()?,
        Kind::Seconds => {
            let seconds: f64 = text.parse().map_err(|_| bad("seconds"))?;
            ((seconds * 1000.0).round() as u64).into()
        }
        Kind::Millis => (whole(option, text)? as f64 / 1000.0).into(),
        Kind::Flag(value) => value.into(),
        Kind::Choice { words, expected } => match words.iter().find(|(word, _)| *word == text) {
            Some((_, Setting::Text(value))) => (*value).into(),
            Some((_, Setting::Flag(value))) => (*value).into(),
            Some((_, Setting::Default)) => return Ok(None),
            None => return Err(bad(expected)),
        },
        Kind::Words => split_arguments(text).into(),
        Kind::Append => list(vec![text]),
        Kind::Lines => list(text.split("\\n").collect()),
        Kind::Folders => {
            let separators: &[char] = if cfg!(windows) { &[';'] } else { &[':', ';'] };
            list(text.split(separators).collect())
        }
        Kind::Clock if matches!(text, "inf" | "infinite") => return Ok(None),
        Kind::Clock if text.contains("hg") => return Err(ImportError::unsupported("an hourglass clock")),
        Kind::Model if text == "bayesian" => return Err(ImportError::unsupported("-sprt model=bayesian")),
        Kind::Text | Kind::Clock | Kind::Model => text.into(),
        Kind::Protocol if text != "uci" => return Err(ImportError::unsupported(format!("proto={text}"))),
        Kind::Concurrency => match signed()? {
            games if games > 0 => games.into(),
            less => {
                let cores = num_cpus::get() as i64;
                (cores + less).max(1).into()
            }
        },
        Kind::Affinity => "auto".into(),
        Kind::Protocol | Kind::Margin | Kind::Ignored | Kind::Special(_) => return Ok(None),
    };
    Ok(Some(value))
}
