//! Failures of engines that end a run.

use std::path::PathBuf;

use thiserror::Error;

use crate::uci::UciError;

/// The reason why an engine cannot be used. It ends the run.
#[derive(Debug, Error)]
pub enum EngineError {
    /// An engine failed in the trial start before the run.
    #[error("engine {name}: {error}\n{dialogue}")]
    Trial {
        /// Name of the engine.
        name: String,
        /// The failure.
        error: UciError,
        /// The dialogue with the engine.
        dialogue: String,
    },
    /// An engine fails to start again and again.
    #[error("engine {name} did not start: a worker gave up after {tries} attempts: {error}")]
    EngineBroken {
        /// Name of the engine.
        name: String,
        /// Number of attempts.
        tries: u32,
        /// Error of the last attempt.
        error: UciError,
    },
    /// The executable of an engine changed during the run.
    #[error("engine {name}: {} was replaced or removed during the run", program.display())]
    EngineChanged {
        /// Name of the engine.
        name: String,
        /// Path of the executable.
        program: PathBuf,
    },
    /// An engine does not know the limit of its searches.
    #[error(
        "engine {name} does not seem to know {limit}: {reason}; use another limit, or allow more time if it is only slow \
         (watchdog: {{ answer: SECONDS }})\n{dialogue}"
    )]
    UnknownLimit {
        /// Name of the engine.
        name: String,
        /// The limit, such as "`go depth`".
        limit: String,
        /// Observation in the trial search.
        reason: String,
        /// The dialogue with the engine.
        dialogue: String,
    },
}
