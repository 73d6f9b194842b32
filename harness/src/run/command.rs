//! The parts common to all commands: arguments of a kept run, failures, signals, output, and the number of threads of
//! computations whose result does not depend on it.

use std::fmt::Display;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;

use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::base::system::signals;
use crate::config::ConfigError;

pub use super::args::RunArgs;
pub use super::console::{print, print_json, say};

/// Signals this close together count as one request: `timeout` sends two, and so does a closing
/// terminal.
pub(crate) const ONE_REQUEST: Duration = Duration::from_millis(500);

/// The reason why a command failed.
pub enum Failure {
    /// The command could not be carried out. Exit code 1.
    Run(anyhow::Error),
    /// A field of the configuration is invalid. Exit code 2.
    Config(ConfigError),
    /// Exit code 2, for arguments.
    Usage(String),
    /// A signal stopped the command; all results are saved. Exit code 3.
    Interrupted,
    /// The command was only to be checked, and its run could begin.
    Checked(Box<Checked>),
    /// The command was only to print its configuration, and has done so. Exit code 0.
    Printed,
}

/// A command whose run could begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The kind of run, such as `sprt`.
    pub(crate) kind: &'static str,
    /// The folder of the run that it resumes.
    pub(crate) resumed: Option<PathBuf>,
    /// The `--set` arguments that keep engines at the commits that their branches have now.
    pub(crate) commits: Vec<String>,
}

impl Failure {
    /// Refuses the arguments with this message.
    pub(crate) fn usage<T>(message: impl Into<String>) -> Result<T, Self> {
        Err(Self::Usage(message.into()))
    }

    /// Refuses the arguments with this message unless a condition holds.
    pub fn require(holds: bool, message: impl Display) -> Result<(), Self> {
        if holds { Ok(()) } else { Self::usage(message.to_string()) }
    }

    /// Returns the failure of work that ended early, and says `interrupted` if that was requested.
    pub fn of(stop: Stop, interrupted: &str) -> Self {
        if matches!(stop, Stop::Cancelled) {
            say(interrupted);
        }
        stop.into()
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cancelled => Self::Interrupted,
            Stop::Fatal(error) => Self::Run(error),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

/// Returns the arguments of this process. Bytes that are not UTF-8 are replaced.
pub(crate) fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

pub(crate) fn fail(code: u8, error: &impl Display) -> ExitCode {
    let _ = writeln!(std::io::stderr().lock(), "error: {error}");
    ExitCode::from(code)
}

/// The stop requests that a signal raises. The handler is installed together with the first.
static REQUESTS: Mutex<Vec<Cancel>> = Mutex::new(Vec::new());

fn requests() -> MutexGuard<'static, Vec<Cancel>> {
    REQUESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a stop request that signals raise, and installs the signal handlers of the process at the
/// first call. No other place does.
///
/// The first signal raises the request; a later second one ends the process at once. The system
/// then kills the engines, and the journal holds whole records or a torn last line.
pub fn cancel_on_signals() -> anyhow::Result<Cancel> {
    let mut requests = requests();
    if requests.is_empty() {
        let mut first = None;
        let raise = move || {
            let since = first.get_or_insert_with(Instant::now).elapsed();
            self::requests().iter().for_each(Cancel::cancel);
            if since > ONE_REQUEST {
                std::process::exit(3);
            }
        };
        signals::on_stop_request(raise).context("cannot listen for signals")?;
    }
    let cancel = Cancel::new();
    requests.push(cancel.clone());
    Ok(cancel)
}

/// Number of threads of a computation.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Threads {
    /// Number of threads [default: all cores]. The result does not depend on it.
    #[arg(short, long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// Runs `work` on these threads and cancels it on a signal.
    ///
    /// Errors: those of `work`, or a failure to start the threads.
    pub fn work<T: Send>(
        self,
        work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(anyhow::Error::from)?;
        let cancel = cancel_on_signals()?;
        pool.install(|| work(&cancel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_command_may_ask_for_a_stop_request() {
        for _ in 0..3 {
            assert!(cancel_on_signals().is_ok_and(|cancel| !cancel.is_cancelled()));
        }
    }
}
