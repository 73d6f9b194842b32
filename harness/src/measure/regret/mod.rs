//! `harness regret`: compares settings by the quality of their moves.
//!
//! Every setting searches every position. Where two settings choose different moves, a deeper search
//! by a judge scores the position after each of them. The regret of a move is the win probability
//! that it loses against the best move that any setting found. Games need thousands of pairs to show
//! a few Elo; moves of the same positions differ in every comparison by the same opponent, openings
//! and luck, so fewer searches can show the same difference. Whether regret predicts Elo is a
//! question for games: `tune::calibrate` compares both.
//!
//! An engine that prints the ballots of its threads has every move with a vote judged too, so that
//! `votes` can compare formulas of the vote without another search.
//!
//! Each position starts with `ucinewgame`, so neither order nor concurrency changes a result.
//! [`RegretRun`] is the experiment that the executor runs. `command` is the caller.

mod ballot;
mod changes;
pub(crate) mod command;
pub(crate) mod config;
mod judgements;
mod mean;
mod record;
mod report;
mod run;
mod state;
mod summary;
mod view;
mod votes;
mod worker;

pub(crate) use changes::{changed_options, option_value};
pub(crate) use config::RegretConfig;
pub(crate) use mean::Mean;
pub(crate) use record::RegretRecord;
pub(crate) use state::RegretRun;
pub(crate) use summary::RegretSummary;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::base::cancel::Cancel;
use crate::base::cpus::surplus_notice;
use crate::base::system::control_group::memory_limit;
use crate::config::{EngineConfig, FieldPath, Variant};
use crate::play::matches::setup::memory_notice;
use crate::play::matches::{PreflightError, RunError, Setup, try_engine};
use crate::uci::Launcher;
use judgements::Judgements;

/// An error that ends the comparison. All finished positions are in the journal.
#[derive(Debug, Error)]
pub(crate) enum RegretError {
    /// An engine could not be started, or the system failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An engine failed during a search; a comparison must be complete.
    #[error("{name} failed on position {position}: {how} (see {file})")]
    Engine {
        /// Name of the engine.
        name: String,
        /// Number of the position, from 1.
        position: usize,
        /// Description of the failure.
        how: String,
        /// The file with the dialogue.
        file: String,
    },
    /// A judgement could not be stored.
    #[error("cannot write {file}: {error}")]
    Store {
        /// The file of judgements.
        file: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// Everything that a comparison needs.
#[derive(Debug)]
pub(crate) struct Job {
    /// Engines, judge and limits.
    pub config: RegretConfig,
    /// The positions, as FEN.
    pub positions: Vec<String>,
    /// Scores of moves that the judge gave in this run and earlier ones.
    pub judgements: Judgements,
    /// Starts the engine processes.
    pub launcher: Launcher,
    /// Cancels the run when raised.
    pub cancel: Cancel,
}

/// Starts and ends every engine and the judge once and checks their options, before the run folder
/// is created.
///
/// Returns the `id name`s, that of the judge last, and warnings for the user.
pub(crate) fn trial(
    config: &RegretConfig,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<(Vec<String>, Vec<String>), PreflightError> {
    let setup = setup(config, launcher, cancel);
    let root = FieldPath::root();
    let engines = config.engines.iter().enumerate();
    let engines = engines.map(|(index, engine)| (engine, root.key("engines").index(index)));
    let (mut names, mut warnings) = (Vec::new(), Vec::new());
    for (engine, path) in engines.chain([(&config.judge, root.key("judge"))]) {
        let trial = try_engine(engine, &path, &setup)?;
        names.push(trial.id_name);
        warnings.extend(trial.warnings);
    }
    warnings.extend(idle_threads_notices(config));
    warnings.extend(machine_notices(config, num_cpus::get(), memory_limit()));
    Ok((names, warnings))
}

/// Returns a notice for each engine whose threads get too few turns in lockstep.
fn idle_threads_notices(config: &RegretConfig) -> Vec<String> {
    let engines = config.engines.iter().chain([&config.judge]);
    engines.filter_map(EngineConfig::idle_threads_notice).collect()
}

/// Returns the notices on searches for which a machine has too few processors or too little memory. Each worker keeps all
/// engines and the judge. Unit of `memory`: mebibytes.
fn machine_notices(config: &RegretConfig, processors: usize, memory: Option<u64>) -> Vec<String> {
    let engines = config.engines.iter().chain([&config.judge]);
    let memory = memory_notice(engines, usize::MAX, config.concurrency, memory);
    memory.into_iter().chain(surplus_notice(config.concurrency, "search", processors)).collect()
}

fn setup(config: &RegretConfig, launcher: &Launcher, cancel: &Cancel) -> Arc<Setup> {
    Arc::new(Setup {
        launcher: launcher.clone(),
        watchdog: config.watchdog,
        variant: Variant::Standard,
        // Limits count nodes or plies, so a suspended harness does no harm.
        is_timed: false,
        logs: None,
        shared_log: None,
        cancel: cancel.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> RegretConfig {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let source = crate::config::Source::new(dir.path().join("regret.yaml"), text.to_owned());
        RegretConfig::load(&source).unwrap()
    }

    #[test]
    fn searches_beyond_memory_and_processors_have_notices() {
        let config = config(
            "engines:\n  - { name: a, command: sh, options: { Hash: 100 }, nodes: 100 }\n  \
             - { name: b, command: sh, options: { Hash: 50, Threads: 2 }, nodes: 100 }\n\
             judge: { command: sh, options: { Hash: 300 }, nodes: 1000 }\n\
             positions: { file: p.epd }\nconcurrency: 4\n",
        );
        // Each of four workers keeps three engines with four threads of 3 MiB in all.
        let need = 4 * (100 + 50 + 300 + 4 * 3);
        assert!(machine_notices(&config, 4, Some(need)).is_empty());
        assert!(machine_notices(&config, 4, None).is_empty(), "the memory is unknown");
        let notices = machine_notices(&config, 2, Some(need - 1));
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert!(
            notices[0].starts_with("hash tables and threads of 12 engines need about 1848 MiB"),
            "{notices:?}"
        );
        assert!(notices[1].starts_with("4 searches at once are more than the 2 processors"), "{notices:?}");
    }

    #[test]
    fn threads_without_turns_have_a_notice() {
        let text = "engines:\n  - { name: few, command: sh, options: { Threads: 8, Lockstep: 500 }, nodes: 10000 }\n  \
             - { name: enough, command: sh, options: { Threads: 8, Lockstep: 500 }, nodes: 20000 }\n  \
             - { name: alone, command: sh, options: { Lockstep: 500 }, nodes: 100 }\n\
             judge: { command: sh, nodes: 200000 }\npositions: { file: p.epd }\n";
        let notices = idle_threads_notices(&config(text));
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(
            notices[0].starts_with("few: 10000 nodes are 2.5 turns for each of 8 threads"),
            "{notices:?}"
        );
    }
}
