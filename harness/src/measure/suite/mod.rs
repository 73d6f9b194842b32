//! Solves positions with known answers, scores the answers, and replays every claimed mate.
//!
//! Each position starts from a fresh `ucinewgame`, so a result depends on neither the order nor the
//! number of workers. [`SuiteRun`] is the experiment that the executor runs. A stop request
//! abandons the searches under way; they are done again when the run is resumed. The caller is the
//! command line.

pub(crate) mod command;
mod compare;
pub(crate) mod config;
mod expect;
mod load;
mod mate;
mod record;
mod report;
mod run;
mod summary;
mod trace;
mod view;
mod worker;

use thiserror::Error;

pub use compare::{Baseline, Change, Comparison};
pub use config::{SuiteConfig, SuiteRequest};
pub use expect::{Expectation, NamedMove};
pub use load::{Complaint, LoadError, Suite, Task};
pub use mate::{MateClaim, Relation, Verification, verify};
pub use record::{Fault, FaultKind, POSITION_VERSION, PositionRecord, Solution, list_unsolved};
pub use report::suite_report;
pub use run::{SuiteRun, SuiteState};
pub(crate) use summary::complaints_shown;
pub use summary::{Claim, Effort, FileSummary, MateCounts, Points, Row, SUITE_SUMMARY_VERSION, SuiteSummary};

use crate::base::cancel::Cancel;
use crate::config::FieldPath;
use crate::play::matches::{PreflightError, RunError, Setup, try_engine};
use crate::uci::Launcher;

/// Why a suite could not be solved to its end. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// The engine, or the machine.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Everything a suite run needs.
#[derive(Debug)]
pub struct Job {
    /// Who solves, and with which limit.
    pub config: SuiteConfig,
    /// What the engine calls itself.
    pub id_name: String,
    /// What there is to solve.
    pub suite: Suite,
    /// How engines are started.
    pub launcher: Launcher,
    /// Raised to stop.
    pub cancel: Cancel,
}

/// Starts the engine once, checks its options, and ends it again, before anything is written.
///
/// Returns what it calls itself, and warnings for the user.
pub fn trial(
    config: &SuiteConfig,
    suite: &Suite,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<(String, Vec<String>), PreflightError> {
    let setup = setup(config, suite, launcher, cancel);
    let trial = try_engine(&config.engine, &FieldPath::root(), &setup)?;
    Ok((trial.id_name, trial.warnings))
}

fn setup(config: &SuiteConfig, suite: &Suite, launcher: &Launcher, cancel: &Cancel) -> Setup {
    Setup {
        launcher: launcher.clone(),
        watchdog: config.watchdog,
        variant: suite.variant,
        // The report says how long an engine took, whatever its limit.
        is_timed: true,
        logs: None,
        cancel: cancel.clone(),
    }
}
