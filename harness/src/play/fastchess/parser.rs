//! The parser of a command line, which follows the table of options.

use serde_yaml::{Mapping, Value};

use super::table::{ENGINE_KEYS, Entry, GAMES_OF_ROUND, Kind, OPTIONS, find, names};
use super::yaml::{ImportError, Imported, ImportedMatch, has_at, put, put_at, remove_at};
use crate::base::wording::similar;
use crate::config::limits::minutes_notice;

/// Parses a command line, with or without the name of the program.
///
/// Errors: one of cutechess-cli too, whose options have other defaults.
pub fn import_command_line(words: &[String]) -> Result<Imported, ImportError> {
    let start = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    if words[..start].iter().any(|word| word.contains("cutechess")) {
        return Err(ImportError::unsupported("a command line of cutechess-cli"));
    }
    let mut draft = ImportedMatch::default();
    let mut rest = &words[start..];
    while let Some((option, after)) = rest.split_first() {
        let is_option = |word: &String| word.starts_with('-') && word.parse::<f64>().is_err();
        let count = after.iter().position(is_option).unwrap_or(after.len());
        let (params, next) = after.split_at(count);
        draft.option(option, params)?;
        rest = next;
    }
    draft.apply_each()?;
    draft.finish()
}

impl ImportedMatch {
    fn option(&mut self, option: &str, params: &[String]) -> Result<(), ImportError> {
        let Some(entry) = find(OPTIONS, option.trim_start_matches('-')) else {
            // It has the form of the harness's own options.
            let is_own = option.starts_with("--") || option.len() == 2;
            let name = similar(option.trim_start_matches('-'), OPTIONS.iter().map(|entry| entry.name));
            let advice = match name {
                _ if is_own => ": options of the harness must precede --from-fastchess".to_owned(),
                Some(name) => format!("; did you mean `-{name}`?"),
                None => String::new(),
            };
            return Err(ImportError(format!("unknown option `{option}`{advice}")));
        };
        let text = match entry.kind {
            Kind::Engine => {
                let mut engine = Mapping::new();
                for (key, value) in pairs(option, params)? {
                    self.engine_key(&mut engine, option, key, value)?;
                }
                self.engines.push(engine);
                return Ok(());
            }
            Kind::Each => {
                self.each.extend_from_slice(params);
                return Ok(());
            }
            Kind::Rule(keys, required, defaults) => {
                for &(field, value) in defaults {
                    put_at(&mut self.fields, field, value.into());
                }
                return self.section(keys, required, option, params);
            }
            Kind::Repeat => {
                let games = if params.is_empty() { 2 } else { whole(option, single(option, params)?)? };
                put_at(&mut self.fields, GAMES_OF_ROUND, games.into());
                return Ok(());
            }
            Kind::Section(keys, required) => return self.section(keys, required, option, params),
            Kind::Ignored | Kind::Affinity => params.concat(),
            Kind::Flag(_) => match params.first() {
                Some(word) => return Err(ImportError::word(option, word, "no value")),
                None => String::new(),
            },
            _ => single(option, params)?.to_owned(),
        };
        match convert(entry, option, &text)? {
            Some(value) => put_at(&mut self.fields, entry.field, value),
            None => remove_at(&mut self.fields, entry.field),
        }
        self.note_on(entry, option, &text);
        Ok(())
    }

    fn note_on(&mut self, entry: &Entry, option: &str, value: &str) {
        if let Some(note) = entry.note_on(option, value) {
            self.note(&note);
        }
    }

    /// Sets the fields of the keys, the list of PGN details first.
    fn section(
        &mut self,
        keys: &'static [Entry],
        required: &[&str],
        option: &str,
        params: &[String],
    ) -> Result<(), ImportError> {
        let mut given = Vec::with_capacity(params.len());
        for (key, value) in pairs(option, params)? {
            let entry = find(keys, key).ok_or_else(|| ImportError::word(option, key, names(keys, &[])))?;
            if value.is_empty() {
                return Err(ImportError::word(option, &format!("{key}="), "KEY=VALUE"));
            }
            given.push((entry, value));
        }
        given.sort_by_key(|(entry, _)| !matches!(entry.kind, Kind::Detail));
        let fields = &mut self.fields;
        for &(entry, value) in &given {
            match (entry.kind, convert(entry, option, value)?) {
                (Kind::Detail, Some(detail)) => {
                    let list = fields.entry("pgn".into()).or_insert_with(|| Value::Sequence(Vec::new()));
                    list.as_sequence_mut().into_iter().for_each(|list| list.push(detail.clone()));
                }
                (_, Some(converted)) => put_at(fields, entry.field, converted),
                (Kind::Detail, None) => {}
                (_, None) => remove_at(fields, entry.field),
            }
        }
        let is_missing = |key: &&&str| find(keys, key).is_some_and(|entry| !has_at(fields, entry.field));
        if let Some(key) = required.iter().find(is_missing) {
            return Err(ImportError::missing(option, format!("{key}=")));
        }
        for (entry, value) in given {
            self.note_on(entry, option, value);
        }
        Ok(())
    }

    fn engine_key(
        &mut self,
        engine: &mut Mapping,
        option: &str,
        key: &str,
        value: &str,
    ) -> Result<(), ImportError> {
        if let Some(name) = key.strip_prefix("option.") {
            let options = engine.entry("options".into()).or_insert_with(|| Mapping::new().into());
            options.as_mapping_mut().into_iter().for_each(|options| put(options, name, value));
            return Ok(());
        }
        let entry = find(ENGINE_KEYS, key);
        let entry =
            entry.ok_or_else(|| ImportError::word(option, key, names(ENGINE_KEYS, &["option.NAME"])))?;
        match convert(entry, option, value)? {
            Some(converted) => put(engine, entry.field, converted),
            None => drop(engine.shift_remove(entry.field)),
        }
        if let (Kind::Clock, Some(text)) = (entry.kind, minutes_notice(value)) {
            self.note(&format!("tc={text}"));
        }
        self.note_on(entry, option, value);
        Ok(())
    }

    /// Applies `-each` to every engine; it overrides the keys of `-engine`.
    fn apply_each(&mut self) -> Result<(), ImportError> {
        let words = std::mem::take(&mut self.each);
        let mut engines = std::mem::take(&mut self.engines);
        for (key, value) in pairs("-each", &words)? {
            for engine in &mut engines {
                self.engine_key(engine, "-each", key, value)?;
            }
        }
        for engine in &engines {
            if !engine.contains_key("command") {
                return Err(ImportError::missing("-engine", "cmd="));
            }
        }
        self.engines = engines;
        Ok(())
    }
}

/// Parses the parameters `key=value` of an option.
fn pairs<'a>(option: &str, params: &'a [String]) -> Result<Vec<(&'a str, &'a str)>, ImportError> {
    let pair =
        |word: &'a String| word.split_once('=').ok_or_else(|| ImportError::word(option, word, "KEY=VALUE"));
    params.iter().map(pair).collect()
}

/// Returns the only parameter of an option.
fn single<'a>(option: &str, params: &'a [String]) -> Result<&'a str, ImportError> {
    match params {
        [value] if !value.is_empty() => Ok(value),
        [_, extra, ..] => Err(ImportError::word(option, extra, "one value only")),
        _ => Err(ImportError::missing(option, "value")),
    }
}

/// Parses a whole number.
fn whole(option: &str, text: &str) -> Result<u64, ImportError> {
    text.parse().map_err(|_| ImportError::word(option, text, "a whole number"))
}

/// Converts a value to that of the field; `None` leaves the field unset.
fn convert(entry: &Entry, option: &str, text: &str) -> Result<Option<Value>, ImportError> {
    let bad = |expected| ImportError::word(option, text, expected);
    let signed = || text.parse::<i64>().map_err(|_| bad("a whole number"));
    let value = match entry.kind {
        Kind::Count => whole(option, text)?.into(),
        Kind::Positive => match signed()? {
            count if count > 0 => count.into(),
            0 if entry.name == "plies" => {
                return Err(bad("a whole number above 0; openings without moves are an EPD file"));
            }
            _ => return Ok(None),
        },
        Kind::AboveZero => match whole(option, text)? {
            0 => return Err(bad("a whole number above 0")),
            count => count.into(),
        },
        Kind::Index => whole(option, text)?.saturating_sub(1).into(),
        // A whole number stays one.
        Kind::Number => text
            .parse::<u64>()
            .map(Value::from)
            .or_else(|_| text.parse::<f64>().map(Value::from))
            .map_err(|_| bad("a number"))?,
        Kind::Seconds => {
            let seconds: f64 = text.trim_end_matches('s').parse().map_err(|_| bad("seconds"))?;
            ((seconds * 1000.0).round() as u64).into()
        }
        Kind::Millis => (whole(option, text)? as f64 / 1000.0).into(),
        Kind::Flag(value) => value.into(),
        Kind::Choice(words, expected) => match words.iter().find(|(word, _)| *word == text) {
            Some((_, "")) => return Ok(None),
            Some((_, value)) => (*value).into(),
            None => return Err(bad(expected)),
        },
        Kind::Switch => match text {
            "true" | "on" => true.into(),
            "false" | "off" => false.into(),
            _ => return Err(bad("true or false")),
        },
        Kind::NoEffect(words, expected) if !words.contains(&text) => return Err(bad(expected)),
        Kind::Detail => match text {
            "true" => entry.field.into(),
            "false" => return Ok(None),
            _ => {
                let word = format!("{}={text}", entry.name);
                return Err(ImportError::word(option, &word, "true or false"));
            }
        },
        Kind::Words => {
            // A backslash only escapes quotes and is kept otherwise, because paths of Windows contain it.
            split(text, |next, quote| quote.map_or(matches!(next, '"' | '\''), |open| next == open)).into()
        }
        Kind::Folders => {
            let separators: &[char] = if cfg!(windows) { &[';'] } else { &[':', ';'] };
            Value::Sequence(text.split(separators).map(Value::from).collect())
        }
        Kind::Clock if matches!(text, "inf" | "infinite") => return Ok(None),
        Kind::Clock if text.contains("hg") => {
            return Err(ImportError::unsupported("an hourglass clock"));
        }
        Kind::Model if text == "bayesian" => {
            return Err(ImportError::unsupported("-sprt model=bayesian"));
        }
        // fastchess ignores the unit of seconds.
        Kind::Clock => text.replace('s', "").into(),
        Kind::Text | Kind::Model => text.into(),
        Kind::Protocol if text != "uci" => {
            return Err(ImportError::unsupported(format_args!("proto={text}")));
        }
        Kind::Concurrency => match signed()? {
            games if games > 0 => games.into(),
            less => (num_cpus::get() as i64 + less).max(1).into(),
        },
        Kind::Affinity => "auto".into(),
        Kind::SavedConfig => {
            return Err(ImportError(format!(
                "`-config file={text}` replaces engines and settings; to import the saved configuration, use \
                 `--from-fastchess {text}`"
            )));
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Splits a line into words by the rules of a shell for blanks, quotes and backslashes.
pub fn split_words(line: &str) -> Vec<String> {
    split(line, |next, quote| match quote {
        None => true,
        Some('"') => matches!(next, '"' | '\\' | '$' | '`' | '\n'),
        Some(_) => false,
    })
}

/// Splits a line into words. `is_escaped` decides whether a backslash escapes the next character, given
/// the quote that is open there.
fn split(line: &str, is_escaped: impl Fn(char, Option<char>) -> bool) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_open) = (Vec::new(), String::new(), None, false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\'
            && let Some(next) = letters.next_if(|&next| is_escaped(next, quote))
        {
            // A backslash at the end of a line continues it.
            if next != '\n' {
                word.push(next);
                is_open = true;
            }
            continue;
        }
        match (letter, quote) {
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
