//! The parser of a command line, which follows the table of options.

use serde_yaml::{Mapping, Value};

use super::error::ImportError;
use super::table::{
    ADJUDICATION_KEYS, ADJUDICATION_KEYS_EXPECTED, ENGINE_KEYS, ENGINE_KEYS_EXPECTED, Entry, Kind, LOG_KEYS,
    LOG_KEYS_EXPECTED, OPENINGS_KEYS, OPENINGS_KEYS_EXPECTED, OPTIONS, OUTPUT_KEYS, OUTPUT_KEYS_EXPECTED,
    PGN_FIELDS, SPRT_KEYS, SPRT_KEYS_EXPECTED, Setting, Special, find,
};
use super::words::{engine_pairs, pairs, split_words};
use super::yaml::{Draft, EngineDraft, Imported, append, put, put_at};

/// Games, rounds and draw rule of `-quick`.
const QUICK_ROUNDS: u64 = 25_000;
const QUICK_CLOCK: &str = "10+0.1";
const QUICK_DRAW: [(&str, u64); 3] = [("from_move", 30), ("moves", 8), ("score", 8)];

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
            return Err(if is_own { ImportError::Own { option } } else { ImportError::Option { option } });
        };
        if let Kind::Special(kind) = entry.kind {
            return self.special(kind, option, params);
        }
        let text = params.concat();
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
        let count = || whole(option, &params.concat());
        match kind {
            // The other keys choose where the configuration is saved, which a run folder always does.
            Special::Config => {
                if let Some(file) = params.iter().find_map(|word| word.strip_prefix("file=")) {
                    return Err(ImportError::SavedConfig { file: file.to_owned() });
                }
            }
            Special::Engine => {
                let mut engine = EngineDraft::default();
                for (key, value) in engine_pairs(option, params)? {
                    self.engine_key(&mut engine, option, key, value)?;
                }
                self.draft.engines.push(engine);
            }
            Special::Each => self.each.extend_from_slice(params),
            Special::Openings => {
                let fields = std::mem::take(&mut self.draft.openings);
                self.draft.openings =
                    self.section(OPENINGS_KEYS, OPENINGS_KEYS_EXPECTED, option, params, fields)?;
            }
            Special::Sprt => {
                let fields = self.section(SPRT_KEYS, SPRT_KEYS_EXPECTED, option, params, Mapping::new())?;
                self.draft.sprt = Some(fields);
            }
            Special::Draw | Special::Resign => {
                let expected = ADJUDICATION_KEYS_EXPECTED;
                let rule = self.section(ADJUDICATION_KEYS, expected, option, params, Mapping::new())?;
                let place =
                    if matches!(kind, Special::Draw) { &mut self.draft.draw } else { &mut self.draft.win };
                *place = Some(rule);
            }
            Special::Rounds => self.draft.rounds = Some(count()?),
            Special::Repeat if params.is_empty() => self.draft.games = Some(2),
            Special::Games | Special::Repeat => self.draft.games = Some(count()?),
            Special::Seeds => self.draft.seeds = Some(count()?),
            Special::Tournament => {
                self.draft.is_gauntlet = match params.concat().as_str() {
                    "gauntlet" => true,
                    "roundrobin" | "round-robin" => false,
                    other => return Err(ImportError::word(option, other, "roundrobin or gauntlet")),
                };
            }
            Special::Recover => self.draft.recovers = true,
            Special::PgnOut => self.pgn_out(option, params),
            Special::EpdOut => {
                put_at(&mut self.draft.fields, "epd", true.into());
                for (index, word) in params.iter().enumerate() {
                    if !self.file_word("output.epd", index, word) {
                        self.draft.note(&format!("{option} {word}: left out"));
                    }
                }
            }
            Special::Log => {
                let mut fields = std::mem::take(&mut self.draft.fields);
                self.put_keys(LOG_KEYS, LOG_KEYS_EXPECTED, option, params, &mut fields)?;
                self.draft.fields = fields;
            }
            Special::Output => {
                let mut fields = std::mem::take(&mut self.draft.fields);
                self.put_keys(OUTPUT_KEYS, OUTPUT_KEYS_EXPECTED, option, params, &mut fields)?;
                self.draft.fields = fields;
            }
            Special::Quick => self.quick(option, params)?,
        }
        Ok(())
    }

    /// Reads keys into the fields of a section.
    fn section(
        &mut self,
        table: &'static [Entry],
        expected: &'static str,
        option: &str,
        params: &[String],
        mut fields: Mapping,
    ) -> Result<Mapping, ImportError> {
        self.put_keys(table, expected, option, params, &mut fields)?;
        Ok(fields)
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
            if let Some(converted) = convert(entry, option, value)? {
                put_at(fields, entry.field, converted);
            }
            self.record(entry, option, value);
        }
        Ok(())
    }

    /// Reads `file=NAME` or `append=` of a file in this section; returns whether the word was one of them.
    /// In cutechess-cli the file comes first and has no key.
    fn file_word(&mut self, section: &str, index: usize, word: &str) -> bool {
        let is_bare = index == 0 && !word.contains('=');
        let file = word.strip_prefix("file=").or_else(|| is_bare.then_some(word));
        let append = word.strip_prefix("append=").and_then(|text| text.parse::<bool>().ok());
        if let Some(file) = file {
            put_at(&mut self.draft.fields, &format!("{section}.file"), file.into());
        }
        if let Some(append) = append {
            put_at(&mut self.draft.fields, &format!("{section}.append"), append.into());
        }
        file.is_some() || append.is_some()
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
        self.draft.engines = engines;
        Ok(())
    }

    /// Reads the file and the details to record.
    fn pgn_out(&mut self, option: &str, params: &[String]) {
        for (index, word) in params.iter().enumerate() {
            let key = word.strip_suffix("=true");
            let field = PGN_FIELDS.iter().find(|(name, _)| Some(*name) == key);
            if let Some((_, field)) = field {
                append(&mut self.draft.fields, "pgn", [Value::from(*field)]);
            } else if !(self.file_word("output.pgn", index, word)
                || word.ends_with("=false")
                || word == "notation=san")
            {
                self.draft.note(&format!("{option} {word}: left out"));
            }
        }
    }

    /// Reads `-quick`: engines and a book, with a clock and a draw rule of its own.
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
                "book" => put(&mut self.draft.openings, "file", value),
                _ => return Err(ImportError::word(option, key, "cmd or book")),
            }
        }
        self.draft.recovers = true;
        self.draft.games = Some(2);
        self.draft.rounds = Some(QUICK_ROUNDS);
        let rule = QUICK_DRAW.into_iter().map(|(key, value)| (key.into(), value.into()));
        self.draft.draw = Some(rule.collect());
        Ok(())
    }
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
        Kind::Index => whole(option, text)?.saturating_sub(1).into(),
        Kind::Number => number()?,
        Kind::Rule => match text {
            "true" => true.into(),
            "false" => false.into(),
            _ => number()?,
        },
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
        Kind::Words => split_words(text).into(),
        Kind::Append => list(vec![text]),
        Kind::Lines => list(text.split("\\n").collect()),
        Kind::Folders => {
            let separators: &[char] = if cfg!(windows) { &[';'] } else { &[':', ';'] };
            list(text.split(separators).collect())
        }
        Kind::Format => (if text == "bin" { "polyglot" } else { text }).into(),
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
        Kind::Protocol | Kind::Margin | Kind::Ignored | Kind::LeftOutUnless(_) | Kind::Special(_) => {
            return Ok(None);
        }
    };
    Ok(Some(value))
}
