//! The errors that end a run before its tasks are done.

use thiserror::Error;

use crate::base::workers::SpawnError;
use crate::run::StoreError;

/// An error that stops a run. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum ExecuteError<E> {
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No worker could be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Too many tasks were void because the harness was not running.
    #[error(
        "the harness itself was not running during {voided} {item}s: the machine is too busy to measure on"
    )]
    Starved {
        /// Void attempts.
        voided: u32,
        /// Word for one record.
        item: &'static str,
    },
    /// One task was void too often because of steal time.
    #[error("{subject}: {tries} attempts in a row had more steal time than watchdog.max_steal_time allows")]
    StealTime {
        /// The task.
        subject: String,
        /// Void attempts.
        tries: u32,
    },
    /// One task was void too often because of other programs.
    #[error(
        "{subject}: {tries} attempts in a row had more load from other programs than watchdog.max_other_load allows"
    )]
    OtherLoad {
        /// The task.
        subject: String,
        /// Void attempts.
        tries: u32,
    },
    /// An error of this kind of run.
    #[error(transparent)]
    Experiment(E),
}
