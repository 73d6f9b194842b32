//! Failures of an engine process.

use std::time::Duration;

use thiserror::Error;

/// A failure of an engine or of the harness.
#[derive(Debug, Error)]
pub enum UciError {
    /// The process could not be started.
    #[error("cannot start {program}: {error}")]
    Spawn {
        /// Path of the program, as started.
        program: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The process ended, or closed its output.
    #[error("the engine {how}")]
    Exited {
        /// Exit description such as `exited with code 1`.
        how: String,
    },
    /// The engine did not answer in time.
    #[error("no {awaited} within {} s{}", after.as_secs_f64(), remedy(awaited))]
    Timeout {
        /// The first word of the line that did not come.
        awaited: &'static str,
        /// Time that the engine had.
        after: Duration,
    },
    /// An option has a value that the engine does not declare as valid. It was not sent.
    #[error("option {name}: `{value}` is not valid for the engine: expected {expected}")]
    Option {
        /// Name of the option.
        name: String,
        /// The configured value; `null` for none.
        value: String,
        /// Type or range that the engine declares.
        expected: String,
    },
    /// The engine answered that it cannot set an option, and keeps its former value.
    #[error("option {name}: refused by the engine: {reason}")]
    Refused {
        /// Name of the option, as configured.
        name: String,
        /// The reason in the engine's words.
        reason: String,
    },
    /// Cancellation was requested; the engine is not at fault.
    #[error("stopped on request")]
    Cancelled,
    /// The harness was suspended or starved for a while; the engine is not at fault.
    #[error("the harness itself was not running for a while")]
    Stalled,
    /// A system call failed.
    #[error("pipe to the engine: {0}")]
    Pipe(#[from] std::io::Error),
}

/// Returns what helps against a timeout. Only the start is long for a good reason: tables and networks are read.
fn remedy(awaited: &str) -> &'static str {
    if awaited == "uciok" {
        "; perhaps it is no UCI engine, or it starts slowly (`watchdog.uci`, --answer-limit of doctor)"
    } else {
        ""
    }
}
