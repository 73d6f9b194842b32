//! The imported match, and its text as a configuration.

use std::collections::HashMap;
use std::path::Path;

use serde_yaml::{Mapping, Value};

use super::error::ImportError;
use super::table::REVERSE;

/// Default number of rounds of fastchess.
const ROUNDS: u64 = 2;
/// Rounds of a test without `-rounds`.
const TEST_ROUNDS: u64 = 500_000;

/// Default time of fastchess from `ucinewgame` to `readyok`.
const NEW_GAME_SECONDS: f64 = 60.0;

/// An imported match.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The configuration, for `harness sprt` if `is_test`, else for `harness match`.
    pub yaml: String,
    /// Whether it is a sequential test.
    pub is_test: bool,
    /// Options that were left out or have another meaning here.
    pub notes: Vec<String>,
}

/// An engine.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineDraft {
    pub(super) fields: Mapping,
    pub(super) options: Mapping,
    /// The time margin in milliseconds.
    pub(super) margin: Option<u64>,
}

/// The match as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) engines: Vec<EngineDraft>,
    pub(super) openings: Mapping,
    pub(super) sprt: Option<Mapping>,
    pub(super) draw: Option<Mapping>,
    pub(super) win: Option<Mapping>,
    /// All other fields.
    pub(super) fields: Mapping,
    pub(super) rounds: Option<u64>,
    /// The value of `-games` or `-repeat`, whichever comes last: fastchess takes both as the games of a round.
    pub(super) games_of_round: Option<u64>,
    /// The value of `-games`.
    pub(super) games: Option<u64>,
    /// The value of `-repeat`: in cutechess-cli, the games from each opening.
    pub(super) repeats: Option<u64>,
    pub(super) is_gauntlet: bool,
    /// Whether it has options that only cutechess-cli knows.
    pub(super) is_cutechess: bool,
    /// Whether the match goes on after a crash.
    pub(super) recovers: bool,
    pub(super) seeds: Option<u64>,
    pub(super) notes: Vec<String>,
}

/// Sets a field.
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

/// Appends items to a list, which may be absent.
pub(super) fn append(mapping: &mut Mapping, key: &str, items: impl IntoIterator<Item = Value>) {
    let mut list = mapping.get(key).and_then(Value::as_sequence).cloned().unwrap_or_default();
    list.extend(items);
    put(mapping, key, list);
}

impl Draft {
    /// Adds a note unless it is there already.
    pub(super) fn note(&mut self, text: &str) {
        if self.notes.iter().all(|known| known != text) {
            self.notes.push(text.to_owned());
        }
    }

    /// Returns the configuration.
    pub(super) fn finish(mut self) -> Result<Imported, ImportError> {
        self.adapt_openings()?;
        self.check_tables()?;
        if self.fields.shift_remove(REVERSE).is_some() && self.fields.contains_key("swap") {
            return Err(ImportError::AlwaysBlack);
        }
        if !self.recovers {
            self.note(
                "without -recover a crash ends the match there; here the run goes on: set max_faults to stop",
            );
        }
        let mut root = Mapping::new();
        self.set_names();
        // The default margin of both programs is 0.
        let margins: Vec<u64> = self.engines.iter().map(|engine| engine.margin.unwrap_or(0)).collect();
        let engines: Vec<Value> =
            std::mem::take(&mut self.engines).into_iter().map(EngineDraft::into_value).collect();
        put(&mut root, "engines", engines);
        if !self.openings.is_empty() {
            put(&mut root, "openings", std::mem::take(&mut self.openings));
        }
        put(&mut root, "time_margin", margins.iter().copied().max().unwrap_or(0));
        if margins.iter().any(|margin| *margin != margins[0]) {
            self.note("timemargin: the largest applies to all engines");
        }
        self.put_length(&mut root)?;
        if self.is_gauntlet {
            put(&mut root, "gauntlet", self.seeds.unwrap_or(1));
        }
        self.put_adjudication(&mut root);
        // A limit of pings does not apply to `ucinewgame` there.
        if let Some(Value::Mapping(watchdog)) = self.fields.get_mut("watchdog")
            && watchdog.contains_key("ready")
        {
            watchdog.entry("new_game".into()).or_insert(NEW_GAME_SECONDS.into());
        }
        // Both programs check the mates of PVs only on request.
        self.fields.entry("check_mate_pvs".into()).or_insert(Value::Bool(false));
        if let Some(tablebases) = self.fields.shift_remove("tablebases") {
            put(&mut root, "tablebases", tablebases);
        }
        root.extend(std::mem::take(&mut self.fields));
        // Both programs play one game at a time by default.
        root.entry("concurrency".into()).or_insert(1.into());
        let yaml = serde_yaml::to_string(&root).map_err(|error| ImportError::Json(error.to_string()))?;
        Ok(Imported { yaml, is_test: self.sprt.is_some(), notes: self.notes })
    }

    /// Sets the default order of both programs, and drops the plies of positions. Without a file the games
    /// start from the built-in openings.
    fn adapt_openings(&mut self) -> Result<(), ImportError> {
        if !self.openings.contains_key("file") {
            if self.fields.contains_key("variant") {
                return Err(ImportError::NoOpenings);
            }
            self.note(
                "no -openings: the games start from 3000 balanced openings that ship with the harness; in fastchess \
                 every game would begin at the start position",
            );
            return Ok(());
        }
        let text = |key: &str| self.openings.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_epd = match text("format") {
            "" => Path::new(text("file")).extension().is_some_and(|extension| extension == "epd"),
            format => format == "epd",
        };
        if is_epd && self.openings.shift_remove("plies").is_some() {
            self.note("-openings plies: left out, because positions have no moves");
        }
        let order = self.openings.entry("order".into()).or_insert("sequential".into());
        if *order == "random" && self.fields.contains_key("seed") {
            self.note("the seed shuffles the openings in another order here");
        }
        Ok(())
    }

    /// Names engines after their file where no name is given, and numbers equal names, as fastchess does.
    fn set_names(&mut self) {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for engine in &mut self.engines {
            let text = |key: &str| engine.fields.get(key).and_then(Value::as_str).unwrap_or_default();
            let (name, command) = (text("name"), text("command"));
            let stem = Path::new(command).file_stem().and_then(|stem| stem.to_str()).unwrap_or(command);
            let mut name = if name.is_empty() { stem } else { name }.to_owned();
            let count = counts.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count > 1 {
                name = format!("{name}_{count}");
            }
            engine.fields.shift_remove("name");
            let rest = std::mem::take(&mut engine.fields);
            put(&mut engine.fields, "name", name);
            engine.fields.extend(rest);
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
        given.map_or(Ok(()), |(_, option)| Err(ImportError::Needs { option, needed: "-tb FOLDER" }))
    }

    /// Sets the number of games, and the bounds of a test.
    fn put_length(&mut self, root: &mut Mapping) -> Result<(), ImportError> {
        let mut games = if self.is_cutechess {
            self.put_cutechess_openings(root);
            // Both default to 1, also in a test.
            self.rounds.unwrap_or(1).saturating_mul(self.games.unwrap_or(1))
        } else {
            let (rounds, games) = self.fastchess_rounds()?;
            // All games of a round have the same opening.
            if games == 1 {
                put(root, "repeat", false);
            }
            rounds.saturating_mul(games)
        };
        if games % 2 == 1 {
            games += 1;
            self.note("games come in pairs: one more is played");
        }
        let Some(mut sprt) = self.sprt.clone() else {
            put(root, "games", games);
            return Ok(());
        };
        put(&mut sprt, "max_games", games);
        if self.is_cutechess && !sprt.contains_key("model") {
            put(&mut sprt, "model", "logistic");
            self.note(
                "-sprt: the bounds are logistic Elo, as in cutechess-cli; those of fastchess are normalized",
            );
        }
        put(root, "sprt", sprt);
        Ok(())
    }

    /// Returns the rounds and the games of a round. With more than two games in a round, fastchess exchanges
    /// the two numbers.
    ///
    /// Errors: more than two games in a round after that.
    fn fastchess_rounds(&self) -> Result<(u64, u64), ImportError> {
        let games = self.games_of_round.unwrap_or(2);
        if games <= 2 {
            let default = if self.sprt.is_some() { TEST_ROUNDS } else { ROUNDS };
            return Ok((self.rounds.unwrap_or(default), games));
        }
        let exchanged = self.rounds.unwrap_or(ROUNDS);
        if exchanged <= 2 { Ok((games, exchanged)) } else { Err(ImportError::GamesPerRound { games }) }
    }

    /// Sets whether openings are repeated: cutechess-cli does so only with `-repeat`, whatever the number of games.
    fn put_cutechess_openings(&mut self, root: &mut Mapping) {
        match self.repeats.unwrap_or(1) {
            0 | 1 => {
                put(root, "repeat", false);
                self.note(
                    "without -repeat every game has its own opening, as in cutechess-cli; -repeat plays each opening \
                     with both colours",
                );
            }
            2 => {}
            _ => self.note("-repeat: each opening is played twice here"),
        }
    }

    /// Sets the adjudication rules: `-maxmoves`, then `-draw` and `-resign`.
    fn put_adjudication(&mut self, root: &mut Mapping) {
        let rules = self.fields.shift_remove("adjudication");
        let mut rules = rules.and_then(|rules| rules.as_mapping().cloned()).unwrap_or_default();
        if let Some(mut rule) = self.draw.take() {
            put(&mut rule, "irreversible_restarts", true);
            put(&mut rules, "draw", rule);
        }
        if let Some(rule) = self.win.take() {
            put(&mut rules, "win", rule);
        }
        if !rules.is_empty() {
            put(root, "adjudication", rules);
        }
    }
}

impl EngineDraft {
    fn into_value(self) -> Value {
        let mut fields = self.fields;
        if !self.options.is_empty() {
            put(&mut fields, "options", self.options);
        }
        Value::Mapping(fields)
    }
}
