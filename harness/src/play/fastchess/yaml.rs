//! The imported match, and its text as a configuration.

use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

use serde_yaml::{Mapping, Value};

use super::table::{GAMES_OF_ROUND, MARGIN, RECOVER, REVERSE, ROUNDS, SEEDS, TOURNAMENT};
use crate::base::system::files::program_paths;
use crate::config::command::{resolve_command, resolve_file};

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
pub(super) struct Draft {
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

/// Whether a field is set, by a path such as `output.pgn.file`.
pub(super) fn has_at(mapping: &Mapping, path: &str) -> bool {
    let Some((section, rest)) = path.split_once('.') else { return mapping.contains_key(path) };
    mapping.get(section).and_then(Value::as_mapping).is_some_and(|fields| has_at(fields, rest))
}

impl Draft {
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
        // The default margin of fastchess is 0.
        let margin = |engine: &mut Mapping| engine.shift_remove(MARGIN)?.as_u64();
        let margins: Vec<u64> = self.engines.iter_mut().map(|engine| margin(engine).unwrap_or(0)).collect();
        let engines = std::mem::take(&mut self.engines).into_iter().map(Value::Mapping);
        put(&mut root, "engines", engines.collect::<Vec<_>>());
        self.move_to(&mut root, "openings");
        put(&mut root, "time_margin", margins.iter().copied().max().unwrap_or(0));
        if margins.iter().any(|margin| *margin != margins[0]) {
            self.note("timemargin: the largest applies to all engines");
        }
        let is_test = self.fields.contains_key("sprt");
        self.put_length(&mut root)?;
        let seeds = self.take(SEEDS);
        if self.fields.shift_remove(TOURNAMENT).is_some_and(|word| word == "gauntlet") {
            put(&mut root, "gauntlet", seeds.unwrap_or(1));
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

/// Replaces the relative paths of a configuration by absolute ones. They start from the working
/// directory, as in fastchess, and commands first from the working directory of the engine. An engine or
/// book that does not exist keeps its name, for the error.
pub(crate) fn with_absolute_paths(yaml: &str) -> io::Result<String> {
    let mut root: Value = serde_yaml::from_str(yaml).map_err(io::Error::other)?;
    let here = Path::new(".");
    for engine in root.get_mut("engines").and_then(Value::as_sequence_mut).into_iter().flatten() {
        let folder = engine.get("working_dir").and_then(Value::as_str).map(PathBuf::from);
        replace(engine.get_mut("command"), |name| {
            let program = |dir: &Path| program_paths(dir.join(name)).into_iter().find(|path| path.is_file());
            match folder.as_deref().and_then(program) {
                Some(file) => std::path::absolute(file).map(Some),
                None => Ok(resolve_command(name, here).ok()),
            }
        })?;
        replace(engine.get_mut("working_dir"), |name| std::path::absolute(here.join(name)).map(Some))?;
    }
    let book = root.get_mut("openings").and_then(|openings| openings.get_mut("file"));
    replace(book, |name| Ok(resolve_file(Path::new(name), here).ok()))?;
    let tables = root.get_mut("tablebases").and_then(|tables| tables.get_mut("syzygy"));
    for folder in tables.and_then(Value::as_sequence_mut).into_iter().flatten() {
        replace(Some(folder), |name| std::path::absolute(here.join(name)).map(Some))?;
    }
    for key in ["pgn", "epd", "log"] {
        let file = root.get_mut("output").and_then(|output| output.get_mut(key)?.get_mut("file"));
        replace(file, |name| std::path::absolute(here.join(name)).map(Some))?;
    }
    serde_yaml::to_string(&root).map_err(io::Error::other)
}

/// Replaces a path, if there is one and `resolve` finds it.
fn replace(
    value: Option<&mut Value>,
    resolve: impl Fn(&str) -> io::Result<Option<PathBuf>>,
) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let found = value.as_str().map(resolve).transpose()?.flatten();
    if let Some(path) = found {
        *value = Value::from(path.display().to_string());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_become_absolute_and_missing_ones_stay() {
        let yaml = "engines: [{ command: ./nowhere, working_dir: src }, { name: b, command: sh }]\n\
                    openings: { file: Cargo.toml }\ntablebases: { syzygy: [src] }\n\
                    output: { pgn: { file: g.pgn } }\n";
        let found: Value = serde_yaml::from_str(&with_absolute_paths(yaml).unwrap()).unwrap();
        let here = std::env::current_dir().unwrap();
        let absolute = |name: &str| Value::from(here.join(name).display().to_string());
        let engines = &found["engines"];
        assert_eq!(engines[0]["command"], Value::from("./nowhere"));
        assert_eq!(engines[0]["working_dir"], absolute("src"));
        assert_eq!(engines[1]["name"], Value::from("b"));
        assert!(Path::new(engines[1]["command"].as_str().unwrap()).is_absolute());
        assert_eq!(found["openings"]["file"], absolute("Cargo.toml"));
        assert_eq!(found["tablebases"]["syzygy"][0], absolute("src"));
        assert_eq!(found["output"]["pgn"]["file"], absolute("g.pgn"));
    }

    #[test]
    fn command_is_searched_in_the_working_directory_of_its_engine_first() {
        let dir = tempfile::tempdir().unwrap();
        for build in ["new", "old"] {
            std::fs::create_dir(dir.path().join(build)).unwrap();
            std::fs::write(dir.path().join(build).join("engine"), "").unwrap();
        }
        let engine = |build: &str, command: &str| {
            let folder = dir.path().join(build);
            format!("{{ command: {command}, working_dir: '{}' }}", folder.display())
        };
        let list = [engine("new", "./engine"), engine("old", "engine"), engine("old", "sh")].join(", ");
        let found: Value =
            serde_yaml::from_str(&with_absolute_paths(&format!("engines: [{list}]")).unwrap()).unwrap();
        let command = |index: usize| PathBuf::from(found["engines"][index]["command"].as_str().unwrap());
        assert_eq!(command(0), dir.path().join("new").join("engine"));
        assert_eq!(command(1), dir.path().join("old").join("engine"));
        assert_eq!(command(2), resolve_command("sh", Path::new(".")).unwrap(), "it is on PATH only");
    }
}
