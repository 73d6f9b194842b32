//! The check of a command before it waits in a queue: it ends where its run would begin.
//!
//! While a check is asked for, a session checks its configuration, the engines and files that it names, and its commits, and
//! begins nothing.

use std::sync::{Mutex, PoisonError};

use super::command::{Checked, Failure};
use crate::config::{ConfigError, Source};

/// Checks the configuration of a kind of run, with its engines and files.
pub(crate) type Check = fn(&str, &Source) -> Result<(), ConfigError>;

/// The check asked for, for all sessions of this process.
static ASKED: Mutex<Option<Check>> = Mutex::new(None);

/// Returns the check asked for.
pub(super) fn asked() -> Option<Check> {
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command to the point where its run would begin; `None` if it has none.
///
/// Errors: those of the command.
pub(crate) fn run<T>(
    check: Check,
    command: impl FnOnce() -> Result<T, Failure>,
) -> Result<Option<Checked>, Failure> {
    let set = |check| *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = check;
    set(Some(check));
    let result = command();
    set(None);
    match result {
        Ok(_) => Ok(None),
        Err(Failure::Checked(checked)) => Ok(Some(*checked)),
        Err(failure) => Err(failure),
    }
}
