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
use crate::config::{EngineConfig, FieldPath, Variant};
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
    Ok((names, warnings))
}

/// Returns a notice for each engine whose threads get too few turns in lockstep.
fn idle_threads_notices(config: &RegretConfig) -> Vec<String> {
    let engines = config.engines.iter().chain([&config.judge]);
    engines.filter_map(EngineConfig::idle_threads_notice).collect()
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

    #[test]
    fn threads_without_turns_have_a_notice() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let text = "engines:\n  - { name: few, command: sh, options: { Threads: 8, Lockstep: 500 }, nodes: 10000 }\n  \
             - { name: enough, command: sh, options: { Threads: 8, Lockstep: 500 }, nodes: 20000 }\n  \
             - { name: alone, command: sh, options: { Lockstep: 500 }, nodes: 100 }\n\
             judge: { command: sh, nodes: 200000 }\npositions: { file: p.epd }\n";
        let source = crate::config::Source::new(dir.path().join("regret.yaml"), text.to_owned());
        let notices = idle_threads_notices(&RegretConfig::load(&source).unwrap());
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(
            notices[0].starts_with("few: 10000 nodes are 2.5 turns for each of 8 threads"),
            "{notices:?}"
        );
    }
}
