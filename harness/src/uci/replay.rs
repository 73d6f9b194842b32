//! Replay files: everything that led to an engine's failure, in a form that reproduces it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Engine, Launcher, ReplaySearch, SearchAnswer, UciError};
use crate::base::cancel::Cancel;
use crate::base::wording::parser_message;
use crate::config::{EngineConfig, Watchdog};

/// Version of the file format.
pub(crate) const REPLAY_VERSION: u32 = 1;

/// A game as sent to one of its engines. Earlier games of the same engine process are not included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// Format version; see [`REPLAY_VERSION`].
    pub v: u32,
    /// Description of how the game ended.
    pub ended: String,
    /// Command line and environment of the engine.
    pub engine: ReplayEngine,
    /// Lines sent before the game.
    pub setup: Vec<String>,
    /// Whether `isready` was sent after each `bestmove`.
    #[serde(default)]
    pub syncs: bool,
    /// The searches in order.
    pub searches: Vec<ReplaySearch>,
}

/// The command line and environment of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayEngine {
    /// Name of the engine in the match.
    pub name: String,
    /// Path of the program, as started in the match.
    pub program: PathBuf,
    /// Arguments of its command line, without the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables added to the environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Folder in which it runs; that of the harness if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<PathBuf>,
}

/// The result of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// The failure that ended the replay, if any.
    pub error: Option<UciError>,
    /// Whether the engine started and answered `uci`.
    pub has_started: bool,
    /// The answers in the order of the searches. The caller checks their legality.
    pub answers: Vec<SearchAnswer>,
    /// The dialogue of the replay.
    pub dialogue: String,
}

impl Replay {
    /// Builds the replay of an engine's current game.
    pub(crate) fn of(engine: &Engine, config: &EngineConfig, ended: String) -> Self {
        Self {
            v: REPLAY_VERSION,
            ended,
            engine: ReplayEngine {
                name: config.name.clone(),
                program: config.program.clone(),
                args: config.args.clone(),
                env: config.env.clone(),
                working_dir: Some(config.folder()),
            },
            setup: engine.setup.iter().map(|(_, line)| line.clone()).collect(),
            syncs: !config.ponder,
            searches: engine.searches.iter().cloned().collect(),
        }
    }

    /// Parses a replay file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let not_one =
            |error: serde_yaml::Error| format!("not a replay: {}", parser_message(&error.to_string()));
        let replay: Self = serde_yaml::from_str(text).map_err(not_one)?;
        let (found, expected) = (replay.v, REPLAY_VERSION);
        if found == expected {
            Ok(replay)
        } else {
            Err(format!("a replay of version {found}, expected {expected}"))
        }
    }

    /// Starts the engine and repeats every search with its time limit plus `patience`.
    pub fn run(
        &self,
        launcher: &Launcher,
        watchdog: Watchdog,
        patience: Duration,
        cancel: &Cancel,
    ) -> Replayed {
        let ReplayEngine { name, program, args, env, working_dir } = self.engine.clone();
        let config = EngineConfig { name, program, args, env, working_dir, ..EngineConfig::default() };
        let mut engine = match Engine::start(&config, launcher, watchdog, cancel) {
            Ok(engine) => engine,
            Err((error, dialogue)) => {
                return Replayed { error: Some(error), has_started: false, answers: Vec::new(), dialogue };
            }
        };
        let mut answers = Vec::with_capacity(self.searches.len());
        let error = self.ask(&mut engine, patience, &mut answers).err();
        let dialogue = engine.dialogue();
        if error.is_none() {
            engine.quit(&self.engine.name);
        }
        Replayed { error, has_started: true, answers, dialogue }
    }

    fn ask(
        &self,
        engine: &mut Engine,
        patience: Duration,
        answers: &mut Vec<SearchAnswer>,
    ) -> Result<(), UciError> {
        engine.set_up(&[], &self.setup)?;
        engine.new_game()?;
        for search in &self.searches {
            engine.await_ready()?;
            let text = search.lines.join("\n") + "\n";
            answers.push(engine.search(&text, Duration::from_millis(search.time_ms) + patience)?);
            if self.syncs {
                engine.ask_ready();
            }
        }
        engine.await_ready().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_files_round_trip_and_other_versions_are_rejected() {
        let replay = Replay {
            v: REPLAY_VERSION,
            ended: "Black's engine exited with code 1".to_owned(),
            engine: ReplayEngine {
                name: "a: b".to_owned(),
                program: "/bin/x".into(),
                args: vec!["--lab".to_owned()],
                env: BTreeMap::new(),
                working_dir: None,
            },
            setup: vec!["setoption name Hash value 16".to_owned()],
            syncs: true,
            searches: vec![ReplaySearch {
                lines: vec!["position startpos".to_owned(), "go".to_owned()],
                time_ms: 5,
                nodes: None,
            }],
        };
        let text = serde_yaml::to_string(&replay).unwrap();
        assert_eq!(Replay::parse(&text).unwrap(), replay);
        let other = Replay::parse(&text.replace("v: 1", "v: 7"));
        assert_eq!(other.unwrap_err(), "a replay of version 7, expected 1");
        assert!(Replay::parse("hello").is_err() && Replay::parse("").is_err());
    }
}
