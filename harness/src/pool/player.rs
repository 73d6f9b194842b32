//! A worker's engine process, kept running between games and searches and restarted after a fault.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::base::system::files::FileStamp;
use crate::config::{EngineConfig, EngineOption, Variant, Watchdog};
use crate::uci::{Engine, Launcher, OptionCheck, UciError, check_option};

/// Time to exit after `quit` of an engine that has not exited in time before.
const HURRY: Duration = Duration::from_secs(2);
/// Consecutive failed starts that end the run.
const MAX_FAILED_STARTS: u32 = 3;

/// Settings shared by the players of a worker.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Starts the engines, on the processors of the worker.
    pub launcher: Launcher,
    /// Time limits of the answers to `uci`, `isready`, `ucinewgame` and `go`.
    pub watchdog: Watchdog,
    /// The rules of chess that apply.
    pub variant: Variant,
    /// Whether time is measured. If not, a suspended harness does no harm.
    pub is_timed: bool,
    /// Path prefix of the files with the complete dialogues.
    pub logs: Option<PathBuf>,
    /// Whether names of engines differ in case only, so that some file systems take their files for one.
    pub has_similar_names: bool,
    /// A file with the dialogues of all engines.
    pub shared_log: Option<PathBuf>,
    /// Ends waiting for engines.
    pub cancel: Cancel,
}

impl Setup {
    /// Returns settings without files of the dialogues.
    pub fn new(
        launcher: Launcher,
        watchdog: Watchdog,
        variant: Variant,
        is_timed: bool,
        cancel: Cancel,
    ) -> Self {
        let (logs, shared_log, has_similar_names) = (None, None, false);
        Self { launcher, watchdog, variant, is_timed, logs, has_similar_names, shared_log, cancel }
    }
}

/// An engine as one worker runs it.
#[derive(Debug)]
pub struct Player<'a> {
    config: &'a EngineConfig,
    stamp: Option<FileStamp>,
    setup: Arc<Setup>,
    engine: Option<Engine>,
    /// Failed starts and faults between games that are not counted yet.
    restarts: u64,
    /// Whether the engine did not exit after `quit` before.
    is_stubborn: bool,
}

impl<'a> Player<'a> {
    /// Returns the player of an engine, whose executable had `stamp` when the run began.
    pub(crate) fn new(config: &'a EngineConfig, stamp: Option<FileStamp>, setup: &Arc<Setup>) -> Self {
        Self { config, stamp, setup: Arc::clone(setup), engine: None, restarts: 0, is_stubborn: false }
    }

    /// Returns the engine, ready for a new game. `report` receives the reason of each failed attempt and the dialogue.
    pub(crate) fn ready(&mut self, mut report: impl FnMut(&str, &str)) -> Result<&mut Engine, Stop> {
        let EngineConfig { name, program, .. } = self.config;
        let mut failures = 0;
        loop {
            // A rebuild during a run would mix two engines in one result.
            if self.engine.is_none() && FileStamp::of(program) != self.stamp {
                let program = program.display();
                return Err(anyhow!("engine {name}: {program} was replaced or removed during the run").into());
            }
            let was_running = self.engine.is_some();
            let (error, dialogue) = match self.try_ready() {
                Ok(engine) => {
                    self.engine = Some(engine);
                    break;
                }
                Err(failure) => failure,
            };
            // A stop request may have ended the engine first.
            if matches!(error, UciError::Cancelled) || self.setup.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let restarted = || format!("{error} between games; restarted");
            let reason = if was_running { restarted() } else { format!("failed to start: {error}") };
            report(&reason, &dialogue);
            self.restarts += 1;
            failures += 1;
            if failures == MAX_FAILED_STARTS {
                let start =
                    format!("engine {name} did not start: a worker gave up after {failures} attempts");
                return Err(anyhow!("{start}: {error}").into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        self.engine.as_mut().ok_or(Stop::Cancelled)
    }

    fn try_ready(&mut self) -> Result<Engine, (UciError, String)> {
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => start(self.config, &self.setup)?,
        };
        engine.new_game().map_err(|error| (error, engine.dialogue()))?;
        Ok(engine)
    }

    /// Returns the name and the command line, for the evidence of a fault.
    pub(crate) fn identity(&self) -> (&'a str, String) {
        let program = self.config.program.display().to_string();
        let words: Vec<&str> =
            std::iter::once(program.as_str()).chain(self.config.args.iter().map(String::as_str)).collect();
        (&self.config.name, words.join(" "))
    }

    /// Returns the engine if it is running.
    pub(crate) fn engine_mut(&mut self) -> Option<&mut Engine> {
        self.engine.as_mut()
    }

    /// Kills the engine; it is started again when it is needed.
    pub(crate) fn discard(&mut self) {
        self.engine = None;
    }

    /// Returns the failed starts and faults between games since the last call.
    pub(crate) fn take_restarts(&mut self) -> u64 {
        std::mem::take(&mut self.restarts)
    }

    /// Asks the engines of players to quit and waits for them; returns a notice on each that had to be killed for the first
    /// time. The next time it gets [`HURRY`] to exit.
    pub(crate) fn quit<'p>(players: impl IntoIterator<Item = &'p mut Self>) -> Vec<String>
    where
        'a: 'p,
    {
        let mut players: Vec<&'p mut Self> = players.into_iter().collect();
        let running = players.iter_mut().filter_map(|player| {
            let mut engine = player.engine.take()?;
            if player.is_stubborn {
                engine.hurry(HURRY);
            }
            Some((player.config.name.as_str(), engine))
        });
        let killed = Engine::quit_all(running.collect::<Vec<_>>()).into_iter().filter(|(name, _)| {
            let player = players.iter_mut().find(|player| player.config.name == *name);
            player.is_some_and(|player| !std::mem::replace(&mut player.is_stubborn, true))
        });
        killed.map(|(_, notice)| notice).collect()
    }
}

/// Starts an engine and sets its options.
pub(super) fn start(config: &EngineConfig, setup: &Setup) -> Result<Engine, (UciError, String)> {
    let mut engine = Engine::start(config, &setup.launcher, setup.watchdog, &setup.cancel)?;
    if let Some(start) = &setup.logs {
        // The log is optional: if it cannot be written, the run goes on.
        let path = log_file(start, &config.name, setup.has_similar_names);
        if let Ok(file) = OpenOptions::new().create(true).append(true).open(path) {
            engine.log_to(file, None);
        }
    }
    if let Some(log) = &setup.shared_log
        && let Ok(file) = OpenOptions::new().append(true).open(log)
    {
        engine.log_to(file, Some(&config.name));
    }
    let known = |option: &&EngineOption| check_option(&engine.options, option) != OptionCheck::Unknown;
    let mut options: Vec<EngineOption> = config.options.iter().filter(known).cloned().collect();
    if setup.variant == Variant::Chess960 {
        options.push(EngineOption { name: "UCI_Chess960".to_owned(), value: Some("true".to_owned()) });
    }
    let is_ponder = |name: &str| name.eq_ignore_ascii_case("ponder");
    let is_declared = engine.options.iter().any(|option| is_ponder(&option.name));
    if config.ponder && is_declared && !options.iter().any(|option| is_ponder(&option.name)) {
        // Some engines manage their time differently with pondering enabled.
        options.push(EngineOption { name: "Ponder".to_owned(), value: Some("true".to_owned()) });
    }
    engine.extends_on_stall = !setup.is_timed;
    engine.set_up(&options, &config.init).map_err(|error| (error, engine.dialogue()))?;
    Ok(engine)
}

/// Returns the log file of an engine, with characters replaced that file systems may reject. A name that differs from that
/// of the engine gets a hash, because another engine may have it too, as one that is similar to others does.
fn log_file(start: &Path, name: &str, is_similar: bool) -> PathBuf {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let mut short: String = name.chars().take(60).map(plain).collect();
    if is_similar || short != name {
        short = format!("{short}-{}", &blake3::hash(name.as_bytes()).to_hex()[..8]);
    }
    let mut file = start.as_os_str().to_owned();
    file.push(format!("{short}.log"));
    PathBuf::from(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_files_of_engines_with_similar_names_differ() {
        let file = |name: &str| log_file(Path::new("logs/1-"), name, false).display().to_string();
        assert_eq!(file("a-1.0_b"), "logs/1-a-1.0_b.log");
        let long = "a".repeat(60);
        for [one, other] in [["a b", "a/b"], ["a b", "a_b"], [&format!("{long}1"), &format!("{long}2")]] {
            assert_ne!(file(one), file(other));
        }
        let [one, other] = ["Stock1", "stocK1"].map(|name| log_file(Path::new("1-"), name, true));
        assert_ne!(one.display().to_string().to_lowercase(), other.display().to_string().to_lowercase());
    }
}
