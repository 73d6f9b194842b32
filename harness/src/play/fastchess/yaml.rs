//! The imported match, and its text as a configuration.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;
use thiserror::Error;

use serde_yaml::{Mapping, Value};

use super::table::{GAMES_OF_ROUND, MARGIN, RECOVER, REVERSE, ROUNDS, SEEDS, TOURNAMENT};

/// Why a match cannot be imported, with the option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ImportError(pub(super) String);

impl ImportError {
    /// Returns the error of a word that an option does not accept.
    pub(super) fn word(option: &str, word: &str, expected: impl Display) -> Self {
        Self(format!("`{word}` after `{option}`: expected {expected}"))
    }

    /// Returns the error of an option without its value or key.
    pub(super) fn missing(option: &str, missing: impl Display) -> Self {
        Self(format!("`{option}`: missing {missing}"))
    }

    /// Returns the error of a feature that changes the games and has no counterpart in the harness.
    pub(super) fn unsupported(feature: impl Display) -> Self {
        Self(format!("{feature} is not supported"))
    }

    /// Returns the error of a file that is no saved configuration.
    pub(super) fn json(error: impl Display) -> Self {
        Self(format!("not a saved configuration of fastchess: {error}"))
    }
}

/// The error of two options that the harness lacks together.
const ALWAYS_BLACK: &str = "`-noswap -reverse` gives the first engine Black in every game, which is not supported: exchange the \
                            engines and omit -reverse";
/// The error of Chess960 without openings.
const NO_OPENINGS: &str = "no openings: the built-in ones are not of Chess960; add -openings file=BOOK";

/// Default number of rounds of fastchess.
const USUAL_ROUNDS: u64 = 2;
/// Rounds of a test without `-rounds`.
const TEST_ROUNDS: u64 = 500_000;

/// Default time of fastchess from `ucinewgame` to `readyok`.
const NEW_GAME_SECONDS: f64 = 60.0;

/// A match in the form of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The configuration, for `harness sprt` if `is_test`, else for `harness match`.
    pub yaml: String,
    /// Whether it is a sequential test.
    pub is_test: bool,
    /// Options that were left out or have another meaning here.
    pub notes: Vec<String>,
}

/// The match as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct ImportedMatch {
    pub(super) engines: Vec<Mapping>,
    /// The words of `-each`, which apply to engines before and after it.
    pub(super) each: Vec<String>,
    /// The fields besides the engines, among them some that only this file reads, such as [`ROUNDS`].
    pub(super) fields: Mapping,
    pub(super) notes: Vec<String>,
}

pub(super) fn put(mapping: &mut Mapping, key: &str, value: impl Into<Value>) {
    mapping.insert(key.into(), value.into());
}

/// Sets a field by a path such as `output.pgn.file`.
pub(super) fn put_at(mapping: &mut Mapping, path: &str, value: Value) {
    let Some((section, rest)) = path.split_once('.') else { return put(mapping, path, value) };
    let fields = mapping.entry(section.into()).or_insert_with(|| Mapping::new().into());
    if let Value::Mapping(fields) = fields {
        put_at(fields, rest, value);
    }
}

/// Removes a field by a path such as `output.pgn.file`.
pub(super) fn remove_at(mapping: &mut Mapping, path: &str) {
    let Some((section, rest)) = path.split_once('.') else { return drop(mapping.shift_remove(path)) };
    if let Some(Value::Mapping(fields)) = mapping.get_mut(section) {
        remove_at(fields, rest);
    }
}

/// Whether a field is set, by a path such as `output.pgn.file`.
pub(super) fn has_at(mapping: &Mapping, path: &str) -> bool {
    let Some((section, rest)) = path.split_once('.') else { return mapping.contains_key(path) };
    mapping.get(section).and_then(Value::as_mapping).is_some_and(|fields| has_at(fields, rest))
}

impl ImportedMatch {
    /// Adds a note unless it is there already.
    pub(super) fn note(&mut self, text: &str) {
        if self.notes.iter().all(|known| known != text) {
            self.notes.push(text.to_owned());
        }
    }

    /// Returns the configuration, its fields in the usual order.
    pub(super) fn finish(mut self) -> Result<Imported, ImportError> {
        self.adapt_openings()?;
        self.check_tables()?;
        if self.fields.shift_remove(REVERSE).is_some() && self.fields.contains_key("swap") {
            return Err(ImportError(ALWAYS_BLACK.to_owned()));
        }
        if self.fields.shift_remove(RECOVER).is_none() {
            self.note(
                "without -recover a crash ends the match there; here the run goes on: set max_faults to stop",
            );
        }
        let mut root = Mapping::new();
        self.set_names();
        // The default margin of fastchess is 0. It counts whole milliseconds, so an answer may come almost one later.
        let margin = |engine: &mut Mapping| engine.shift_remove(MARGIN)?.as_u64();
        let margins: Vec<u64> = self.engines.iter_mut().map(|engine| margin(engine).unwrap_or(0)).collect();
        let engines = std::mem::take(&mut self.engines).into_iter().map(Value::Mapping);
        put(&mut root, "engines", engines.collect::<Vec<_>>());
        self.move_to(&mut root, "openings");
        put(&mut root, "time_margin", margins.iter().copied().max().unwrap_or(0).saturating_add(1));
        if margins.iter().any(|margin| *margin != margins[0]) {
            self.note("timemargin: the largest applies to all engines");
        }
        let is_test = self.fields.contains_key("sprt");
        self.put_length(&mut root)?;
        let seeds = self.take(SEEDS);
        if self.fields.shift_remove(TOURNAMENT).is_some_and(|word| word == "gauntlet") {
            // As in fastchess, all but one engine at most.
            put(&mut root, "gauntlet", seeds.unwrap_or(1).min(margins.len().max(2) as u64 - 1));
        }
        self.put_adjudication(&mut root);
        // A limit of pings does not apply to `ucinewgame` there.
        if let Some(Value::Mapping(watchdog)) = self.fields.get_mut("watchdog")
            && watchdog.contains_key("ready")
        {
            watchdog.entry("new_game".into()).or_insert(NEW_GAME_SECONDS.into());
        }
        // fastchess checks the mates of PVs only on request.
        self.fields.entry("check_mate_pvs".into()).or_insert(Value::Bool(false));
        self.move_to(&mut root, "tablebases");
        root.extend(std::mem::take(&mut self.fields));
        // fastchess plays one game at a time by default.
        root.entry("concurrency".into()).or_insert(1.into());
        let yaml = serde_yaml::to_string(&root).map_err(ImportError::json)?;
        Ok(Imported { yaml, is_test, notes: self.notes })
    }

    /// Takes the number of a field that no configuration has.
    fn take(&mut self, field: &str) -> Option<u64> {
        self.fields.shift_remove(field)?.as_u64()
    }

    fn move_to(&mut self, root: &mut Mapping, key: &str) {
        if let Some(value) = self.fields.shift_remove(key) {
            put(root, key, value);
        }
    }

    /// Sets the default order of fastchess, and drops the plies of positions. Without a file the games
    /// start from the built-in openings.
    fn adapt_openings(&mut self) -> Result<(), ImportError> {
        let has_seed = self.fields.contains_key("seed");
        let Some(Value::Mapping(openings)) = self.fields.get_mut("openings") else {
            if self.fields.contains_key("variant") {
                return Err(ImportError(NO_OPENINGS.to_owned()));
            }
            self.note(
                "no -openings: the games start from 3000 balanced openings that ship with the harness; in fastchess \
                 every game would begin at the start position",
            );
            return Ok(());
        };
        let text = |key: &str| openings.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_epd = match text("format") {
            "" => Path::new(text("file")).extension().is_some_and(|extension| extension == "epd"),
            format => format == "epd",
        };
        let has_plies = is_epd && openings.shift_remove("plies").is_some();
        let is_random = *openings.entry("order".into()).or_insert("sequential".into()) == "random";
        if has_plies {
            self.note("-openings plies: left out, because positions have no moves");
        }
        if is_random && has_seed {
            self.note("the seed shuffles the openings in another order here");
        }
        Ok(())
    }

    /// Names engines after their file where no name is given, and numbers equal names, as fastchess does. The name comes
    /// first, and the options last.
    fn set_names(&mut self) {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for engine in &mut self.engines {
            let text = |key: &str| engine.get(key).and_then(Value::as_str).unwrap_or_default();
            let (name, command) = (text("name"), text("command"));
            let stem = Path::new(command).file_stem().and_then(|stem| stem.to_str()).unwrap_or(command);
            let mut name = if name.is_empty() { stem } else { name }.to_owned();
            let count = counts.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count > 1 {
                name = format!("{name}_{count}");
            }
            engine.shift_remove("name");
            let (options, rest) = (engine.shift_remove("options"), std::mem::take(engine));
            put(engine, "name", name);
            engine.extend(rest.into_iter().chain(options.map(|options| ("options".into(), options))));
        }
    }

    /// Refuses settings of endgame tables without a folder.
    fn check_tables(&self) -> Result<(), ImportError> {
        let Some(tables) = self.fields.get("tablebases").and_then(Value::as_mapping) else { return Ok(()) };
        if tables.contains_key("syzygy") {
            return Ok(());
        }
        let options =
            [("pieces", "-tbpieces"), ("ignore_fifty", "-tbignore50"), ("results", "-tbadjudicate")];
        let given = options.into_iter().find(|(field, _)| tables.contains_key(*field));
        given.map_or(Ok(()), |(_, option)| Err(ImportError(format!("`{option}` needs `-tb FOLDER`"))))
    }

    /// Sets the number of games, and the bounds of a test. With more than two games in a round, fastchess exchanges
    /// the two numbers.
    ///
    /// Errors: more than two games in a round after that.
    fn put_length(&mut self, root: &mut Mapping) -> Result<(), ImportError> {
        let is_test = self.fields.contains_key("sprt");
        let rounds = self.take(ROUNDS);
        let (rounds, games_of_round) = match self.take(GAMES_OF_ROUND).unwrap_or(2) {
            games @ 0..=2 => (rounds.unwrap_or(if is_test { TEST_ROUNDS } else { USUAL_ROUNDS }), games),
            games => match rounds.unwrap_or(USUAL_ROUNDS) {
                exchanged @ 0..=2 => (games, exchanged),
                _ => {
                    return Err(ImportError(format!(
                        "{games} games per round: expected at most 2; use -games 2 and more -rounds"
                    )));
                }
            },
        };
        // All games of a round have the same opening.
        if games_of_round == 1 {
            put(root, "repeat", false);
        }
        let mut games = rounds.saturating_mul(games_of_round);
        if games % 2 == 1 {
            games += 1;
            self.note("games come in pairs: one more is played");
        }
        self.move_to(root, "sprt");
        put_at(root, if is_test { "sprt.max_games" } else { "games" }, games.into());
        Ok(())
    }

    /// Sets the adjudication rules: `-maxmoves`, then `-draw` and `-resign`.
    fn put_adjudication(&mut self, root: &mut Mapping) {
        let Some(Value::Mapping(mut given)) = self.fields.shift_remove("adjudication") else { return };
        let mut rules = Mapping::new();
        for key in ["max_moves", "draw", "win"] {
            if let Some(rule) = given.shift_remove(key) {
                put(&mut rules, key, rule);
            }
        }
        if let Some(Value::Mapping(draw)) = rules.get_mut("draw") {
            put(draw, "irreversible_restarts", true);
        }
        put(root, "adjudication", rules);
    }
}
