//! The worker's side: sends records to the collector, and repeats void attempts. Its errors end a run before its tasks
//! are done.

use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use thiserror::Error;

use crate::base::workers::SpawnError;
use crate::run::{RunFolder, StoreError};

/// Attempts in a row at one task that may be void. More of them: the machine is unfit.
const MAX_REPLAYS: u32 = 20;

/// Explanation of a dialogue in the evidence of a fault.
pub const LEGEND: &str = "seconds since its start, > to the engine, < from it, ! its stderr, # remarks";

/// A message from a worker to the collector: records `R` with the payload `P`, and errors `E`.
pub(super) enum Message<R, P, E> {
    /// A record, what belongs to it in the companion files, and the evidence of a fault.
    Record(Box<R>, P, Option<Evidence>),
    /// The task is done; the worker waits until everything it sent is counted.
    TaskDone(Sender<()>),
    /// Something the user should know.
    Notice(String),
    /// An engine failed to start or between games: what happened, and its dialogue.
    FailedStart(String, String),
    /// The run cannot go on.
    Fatal(ExecuteError<E>),
}

/// Evidence of a fault, kept in files named after the number of the record.
#[derive(Debug)]
pub struct Evidence {
    /// The dialogue, to read.
    pub text: String,
    /// Input of `harness replay`, as YAML.
    pub replay: Option<String>,
}

/// The reason why a worker stops before the tasks run out.
#[derive(Debug)]
pub enum Stop<E> {
    /// A stop was requested.
    Cancelled,
    /// The run cannot go on.
    Fatal(ExecuteError<E>),
}

impl<E> Stop<E> {
    /// Stops the run with an error of its kind.
    pub fn failed(error: impl Into<E>) -> Self {
        Self::Fatal(ExecuteError::Experiment(error.into()))
    }
}

/// The outcome of one attempt at a task.
#[derive(Debug)]
pub enum Attempt<T> {
    /// The attempt counts, and this is its result.
    Done(T),
    /// An attempt that does not count.
    Void(VoidCause),
}

/// The reason why the times of an attempt mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoidCause {
    /// The harness was not running meanwhile.
    Stalled,
    /// The steal time was above the limit. Units: permille.
    StealTime(u32),
    /// The CPU load from other programs was above the limit. Units: permille.
    OtherLoad(u32),
}

impl VoidCause {
    /// Returns what too many attempts in a row with this cause mean.
    fn verdict(self, tries: u32) -> String {
        let (cause, limit) = match self {
            Self::Stalled => {
                return format!(
                    "the harness itself was not running during {tries} attempts in a row: the machine is too busy to measure on. \
                     `--resume` goes on when it is quiet"
                );
            }
            Self::StealTime(_) => ("steal time", "max_steal_time"),
            Self::OtherLoad(_) => ("load from other programs", "max_other_load"),
        };
        format!("{tries} attempts in a row had more {cause} than watchdog.{limit} allows")
    }
}

impl fmt::Display for VoidCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |permille| f64::from(permille) / 10.0;
        match *self {
            Self::Stalled => f.write_str("the harness was not running for a while"),
            Self::StealTime(permille) => write!(f, "{:.1} % steal time", percent(permille)),
            Self::OtherLoad(permille) => write!(f, "{:.1} % CPU load from other programs", percent(permille)),
        }
    }
}

/// Data of a run that every outbox needs.
pub(super) struct RunContext<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) begun: Instant,
}

/// A worker's connection to the collector.
pub struct Outbox<'a, R, P, E> {
    pub(super) context: &'a RunContext<'a>,
    pub(super) messages: Sender<Message<R, P, E>>,
}

impl<R, P, E> Outbox<'_, R, P, E> {
    /// Ends the run with an error.
    pub(super) fn fail(&self, error: ExecuteError<E>) {
        let _ = self.messages.send(Message::Fatal(error));
    }

    /// Reports that a task is done. Returns once everything sent is counted.
    pub(super) fn end_task(&self) -> Result<(), Stop<E>> {
        let (counted, wait) = channel();
        self.messages.send(Message::TaskDone(counted)).map_err(|_| Stop::Cancelled)?;
        wait.recv().map_err(|_| Stop::Cancelled)
    }

    /// Sends a record to be saved and counted.
    pub fn send(&self, record: R, payload: P, evidence: Option<Evidence>) -> Result<(), Stop<E>> {
        // The collector is gone only when the run has failed; the record is dropped then.
        let message = Message::Record(Box::new(record), payload, evidence);
        self.messages.send(message).map_err(|_| Stop::Cancelled)
    }

    /// Shows the user something.
    pub fn notice(&self, text: String) {
        let _ = self.messages.send(Message::Notice(text));
    }

    /// Reports that an engine failed to start or between games.
    pub(crate) fn failed_start(&self, engine: &str, reason: &str, dialogue: &str) {
        let text = format!("{engine}: {reason}");
        let _ = self.messages.send(Message::FailedStart(text, dialogue.to_owned()));
    }

    /// Keeps the evidence of a fault that ends the run; returns its file.
    pub(crate) fn keep_fault(&self, name: &str, text: &str) -> Result<PathBuf, Stop<E>> {
        self.context.folder.write_fault(name, text).map_err(|error| Stop::Fatal(error.into()))
    }

    /// Returns when the workers were started.
    pub fn begun(&self) -> Instant {
        self.context.begun
    }

    /// Repeats an attempt until it is not void. Messages name it `subject`; `again` describes the
    /// repetition.
    ///
    /// Errors: those of the attempt; too many void attempts.
    pub(crate) fn repeat_while_void<T>(
        &self,
        subject: &str,
        again: &str,
        mut attempt: impl FnMut() -> Result<Attempt<T>, Stop<E>>,
    ) -> Result<T, Stop<E>> {
        for tries in 1.. {
            let cause = match attempt()? {
                Attempt::Done(result) => return Ok(result),
                Attempt::Void(cause) => cause,
            };
            if tries > MAX_REPLAYS {
                return Err(Stop::Fatal(ExecuteError::Disturbed {
                    subject: subject.to_owned(),
                    tries,
                    cause,
                }));
            }
            self.notice(format!("{subject}: {cause}; void, and {again}"));
        }
        unreachable!("the loop ends by returning")
    }
}

/// An error that stops a run. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum ExecuteError<E> {
    /// A file of the run folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No worker could be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// One task was void too often in a row.
    #[error("{subject}: {}", cause.verdict(*tries))]
    Disturbed {
        /// Task as messages name it, such as `search 7`.
        subject: String,
        /// Attempts at this task in a row that were void.
        tries: u32,
        /// The cause of the last one.
        cause: VoidCause,
    },
    /// An error of this kind of run.
    #[error(transparent)]
    Experiment(E),
}
