//! `harness suite`: solves EPD positions with known answers and verifies every claimed mate.
//!
//! Each position starts with `ucinewgame`, so results depend on neither the order nor the number of
//! workers. [`SuitePlay`] solves the positions and [`SuiteStudy`] reports on them. A stop request aborts the current
//! searches; a resumed run repeats them. `command` is the caller.

pub(crate) mod command;
mod compare;
pub(crate) mod config;
mod expect;
mod load;
mod mate;
mod play;
mod record;
mod report;
mod study;
mod summary;
mod worker;

use thiserror::Error;

pub(crate) use compare::{Baseline, Comparison};
pub(crate) use config::SuiteConfig;
pub use config::SuiteRequest;
pub use expect::Expectation;
pub use load::Suite;
pub(crate) use load::{Task, Warning};
pub use mate::{Relation, Verification, verify};
pub(crate) use play::SuitePlay;
pub(crate) use record::list_unsolved;
pub use record::{FaultKind, PositionRecord};
pub(crate) use report::suite_report;
pub(crate) use study::SuiteStudy;
pub(crate) use summary::{Points, SuiteSummary, warning_lines};

use crate::base::cancel::Cancel;
use crate::config::FieldPath;
use crate::play::referee::OpeningError;
use crate::pool::{EngineError, PreflightError, Setup, try_engine};
use crate::uci::Launcher;

/// An error that ends a suite run. All finished positions are in the journal.
#[derive(Debug, Error)]
pub(crate) enum SuiteError {
    /// The engine could not be started.
    #[error(transparent)]
    Start(#[from] EngineError),
    /// A position cannot be set up.
    #[error("opening: {0}")]
    Opening(OpeningError),
}

/// Starts and ends the engine once and checks its options, before the run folder is created.
///
/// Returns the `id name`, and warnings for the user.
pub(crate) fn trial(
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
    // The report gives the time of each search, for all limits.
    Setup::new(launcher.clone(), config.watchdog, suite.variant, true, cancel.clone())
}
