//! The worker's side: sends records to the collector, and repeats void attempts.

use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use anyhow::anyhow;

use crate::base::errors::Stop;
use crate::run::RunFolder;

/// Attempts in a row at one task that may be void. More of them: the machine is unfit.
const MAX_REPLAYS: u32 = 20;

/// Explanation of a dialogue in the evidence of a fault.
pub const LEGEND: &str = "seconds since its start, > to the engine, < from it, ! its stderr, # remarks";

/// A message from a worker to the collector: records `R` with the payload `P`.
pub(super) enum Message<R, P> {
    /// A record, what belongs to it in the companion files, and the evidence of a fault.
    Record(Box<R>, P, Option<Evidence>),
    /// The task is done; the worker waits until everything it sent is counted.
    TaskDone(Sender<()>),
    /// Something the user should know.
    Notice(String),
    /// An engine failed to start or between games: what happened, and its dialogue.
    FailedStart(String, String),
    /// The run cannot go on.
    Fatal(anyhow::Error),
}

/// Evidence of a fault, kept in files named after the number of the record.
#[derive(Debug)]
pub struct Evidence {
    /// The dialogue, to read.
    pub text: String,
    /// Input of `harness replay`, as YAML.
    pub replay: Option<String>,
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
pub struct Outbox<'a, R, P> {
    pub(super) context: &'a RunContext<'a>,
    pub(super) messages: Sender<Message<R, P>>,
}

impl<R, P> Outbox<'_, R, P> {
    /// Ends the run with an error.
    pub(super) fn fail(&self, error: anyhow::Error) {
        let _ = self.messages.send(Message::Fatal(error));
    }

    /// Reports that a task is done. Returns once everything sent is counted.
    pub(super) fn end_task(&self) -> Result<(), Stop> {
        let (counted, wait) = channel();
        self.messages.send(Message::TaskDone(counted)).map_err(|_| Stop::Cancelled)?;
        wait.recv().map_err(|_| Stop::Cancelled)
    }

    /// Sends a record to be saved and counted.
    pub fn send(&self, record: R, payload: P, evidence: Option<Evidence>) -> Result<(), Stop> {
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
    pub(crate) fn keep_fault(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        self.context.folder.write_fault(name, text)
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
        mut attempt: impl FnMut() -> Result<Attempt<T>, Stop>,
    ) -> Result<T, Stop> {
        let mut tries = 0;
        loop {
            let cause = match attempt()? {
                Attempt::Done(result) => return Ok(result),
                Attempt::Void(cause) => cause,
            };
            tries += 1;
            if tries > MAX_REPLAYS {
                return Err(anyhow!("{subject}: {}", cause.verdict(tries)).into());
            }
            self.notice(format!("{subject}: {cause}; void, and {again}"));
        }
    }
}
