//! The check of a command before its run begins: of one that will wait in a queue, and of a configuration before its engines
//! are built from commits.
//!
//! While a queue asks for it, a session checks its configuration, the engines and files that it names, and its commits, and
//! begins nothing.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::command::{Checked, Failure};
use crate::config::{ConfigError, Source};

/// Checks the configuration of a kind of run, with its engines and files.
pub(crate) type Check = fn(&str, &Source) -> Result<(), ConfigError>;

/// The check of the program's kinds of run.
static CHECK: OnceLock<Check> = OnceLock::new();
/// Whether the sessions of this process begin nothing.
static IS_ONLY_CHECK: AtomicBool = AtomicBool::new(false);

/// Sets the check of the program's kinds of run. The first one counts.
pub(crate) fn register(check: Check) {
    let _ = CHECK.set(check);
}

/// Checks the configuration of a kind of run. Without a registered check every configuration passes.
pub(super) fn configuration(kind: &str, source: &Source) -> Result<(), ConfigError> {
    CHECK.get().map_or(Ok(()), |check| check(kind, source))
}

/// Whether a session should only be checked.
pub(super) fn is_asked() -> bool {
    IS_ONLY_CHECK.load(Ordering::Relaxed)
}

/// Runs a command to the point where its run would begin; `None` if it has none.
///
/// Errors: those of the command.
pub(crate) fn run<T>(command: impl FnOnce() -> Result<T, Failure>) -> Result<Option<Checked>, Failure> {
    IS_ONLY_CHECK.store(true, Ordering::Relaxed);
    let result = command();
    IS_ONLY_CHECK.store(false, Ordering::Relaxed);
    match result {
        Ok(_) | Err(Failure::Printed) => Ok(None),
        Err(Failure::Checked(checked)) => Ok(Some(*checked)),
        Err(failure) => Err(failure),
    }
}
