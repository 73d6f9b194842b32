//! The worker's side: sends records to the collector, and repeats void attempts. Its errors end a run before its tasks
//! are done.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use thiserror::Error;

use crate::base::wording::counted;
use crate::base::workers::SpawnError;
use crate::run::{RunFolder, StoreError};

/// Attempts of a run that may be void because the harness was not running. More of them: the
/// machine is unfit.
const MAX_STALLS: u32 = 20;
/// Attempts in a row at one task that may be void because of steal time or other programs.
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

/// Data of a run that every outbox needs.
pub(super) struct RunContext<'a> {
    pub(super) folder: &'a RunFolder,
    /// Word for one record.
    pub(super) item: &'static str,
    /// Attempts that were void because the harness was not running.
    pub(super) stalls: AtomicU32,
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
        let mut replays = 0;
        loop {
            let why = match attempt()? {
                Attempt::Done(result) => return Ok(result),
                Attempt::Void(VoidCause::Stalled) => {
                    let voided = self.context.stalls.fetch_add(1, Ordering::Relaxed) + 1;
                    if voided > MAX_STALLS {
                        return Err(Stop::Fatal(ExecuteError::Starved { voided, item: self.context.item }));
                    }
                    "the harness was not running for a while".to_owned()
                }
                Attempt::Void(cause @ (VoidCause::StealTime(permille) | VoidCause::OtherLoad(permille))) => {
                    replays += 1;
                    let (kind, cause, limit) = if matches!(cause, VoidCause::StealTime(_)) {
                        ("", "steal time", "max_steal_time")
                    } else {
                        ("CPU ", "load from other programs", "max_other_load")
                    };
                    if replays > MAX_REPLAYS {
                        let subject = subject.to_owned();
                        let error = ExecuteError::Disturbed { subject, tries: replays, cause, limit };
                        return Err(Stop::Fatal(error));
                    }
                    format!("{:.1} % {kind}{cause}", f64::from(permille) / 10.0)
                }
            };
            self.notice(format!("{subject}: {why}; void, and {again}"));
        }
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
    /// Too many tasks were void because the harness was not running.
    #[error(
        "the harness itself was not running during {}: the machine is too busy to measure on. `--resume` goes on when it is quiet",
        counted(*voided as usize, item)
    )]
    Starved {
        /// Attempts of all tasks that were void in this session.
        voided: u32,
        /// Word for one record.
        item: &'static str,
    },
    /// One task was void too often because of steal time or of other programs.
    #[error("{subject}: {tries} attempts in a row had more {cause} than watchdog.{limit} allows")]
    Disturbed {
        /// Task as messages name it, such as `search 7`.
        subject: String,
        /// Attempts at this task in a row that were void.
        tries: u32,
        /// The cause, such as `steal time`.
        cause: &'static str,
        /// The field of the watchdog that limits it.
        limit: &'static str,
    },
    /// An error of this kind of run.
    #[error(transparent)]
    Experiment(E),
}
