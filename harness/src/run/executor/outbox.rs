//! The worker's side: sends records to the collector, and repeats void attempts.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::{CompanionFiles, ExecuteError, Experiment, Tasks};
use crate::run::RunFolder;

/// Attempts of a run that may be void because the harness was not running. More of them: the
/// machine is unfit.
const MAX_STALLS: u32 = 20;
/// Attempts in a row at one task that may be void because of steal time or other programs.
const MAX_REPLAYS: u32 = 20;

/// Explanation of a dialogue in the evidence of a fault.
pub const LEGEND: &str = "seconds since its start, > to the engine, < from it, ! its stderr, # remarks";

type Payload<E> = <<E as Experiment>::Files as CompanionFiles<<E as Experiment>::Record>>::Payload;

/// A message from a worker to the collector.
pub(super) enum Message<E: Experiment> {
    /// A record, what belongs to it in the companion files, and the evidence of a fault.
    Record(Box<E::Record>, Payload<E>, Option<Evidence>),
    /// The task is done; the worker waits until everything it sent is counted.
    TaskDone(Sender<()>),
    /// Something the user should know.
    Notice(String),
    /// An engine failed to start: what happened, and its dialogue.
    FailedStart(String, String),
    /// The run cannot go on.
    Fatal(ExecuteError<E::Error>),
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
    /// A result.
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

/// Data shared by the workers of a run.
pub(super) struct Shared<'a, E: Experiment> {
    pub(super) experiment: &'a E,
    pub(super) folder: &'a RunFolder,
    pub(super) tasks: Mutex<Box<dyn Tasks<E::Task>>>,
    /// Attempts that were void because the harness was not running.
    stalls: AtomicU32,
    /// Whether a worker left a task undone because of a stop request.
    pub(super) is_cut: AtomicBool,
    pub(super) begun: Instant,
}

impl<'a, E: Experiment> Shared<'a, E> {
    pub(super) fn new(experiment: &'a E, folder: &'a RunFolder, tasks: Box<dyn Tasks<E::Task>>) -> Self {
        Self {
            experiment,
            folder,
            tasks: Mutex::new(tasks),
            stalls: AtomicU32::new(0),
            is_cut: AtomicBool::new(false),
            begun: Instant::now(),
        }
    }
}

/// A worker's connection to the collector.
pub struct Outbox<'a, E: Experiment> {
    shared: &'a Shared<'a, E>,
    messages: Sender<Message<E>>,
}

impl<E: Experiment> Outbox<'_, E> {
    /// Sends a record to be saved and counted.
    pub fn send(
        &self,
        record: E::Record,
        payload: Payload<E>,
        evidence: Option<Evidence>,
    ) -> Result<(), Stop<E::Error>> {
        // The collector is gone only when the run has failed; the record is dropped then.
        let message = Message::Record(Box::new(record), payload, evidence);
        self.messages.send(message).map_err(|_| Stop::Cancelled)
    }

    /// Shows the user something.
    pub fn notice(&self, text: String) {
        let _ = self.messages.send(Message::Notice(text));
    }

    /// Reports that an engine failed to start.
    pub(crate) fn failed_start(&self, engine: &str, error: &impl Display, dialogue: &str) {
        let text = format!("{engine}: failed to start: {error}");
        let _ = self.messages.send(Message::FailedStart(text, dialogue.to_owned()));
    }

    /// Keeps the evidence of a fault that ends the run; returns its file.
    pub(crate) fn keep_fault(&self, name: &str, text: &str) -> Result<PathBuf, Stop<E::Error>> {
        self.shared.folder.write_fault(name, text).map_err(|error| Stop::Fatal(error.into()))
    }

    /// Returns when the workers were started.
    pub fn begun(&self) -> Instant {
        self.shared.begun
    }

    /// Repeats an attempt until it is not void. Messages name it `subject`; `again` describes the
    /// repetition.
    ///
    /// Errors: those of the attempt; too many void attempts.
    pub(crate) fn repeat_while_void<T>(
        &self,
        subject: &str,
        again: &str,
        mut attempt: impl FnMut() -> Result<Attempt<T>, Stop<E::Error>>,
    ) -> Result<T, Stop<E::Error>> {
        let mut replays = 0;
        loop {
            let why = match attempt()? {
                Attempt::Done(result) => return Ok(result),
                Attempt::Void(VoidCause::Stalled) => {
                    let voided = self.shared.stalls.fetch_add(1, Ordering::Relaxed) + 1;
                    if voided > MAX_STALLS {
                        return Err(Stop::Fatal(ExecuteError::Starved { voided, item: E::ITEM }));
                    }
                    "the harness was not running for a while".to_owned()
                }
                Attempt::Void(VoidCause::StealTime(permille)) => {
                    replays += 1;
                    if replays > MAX_REPLAYS {
                        let subject = subject.to_owned();
                        return Err(Stop::Fatal(ExecuteError::StealTime { subject, tries: replays }));
                    }
                    format!("{:.1} % steal time", f64::from(permille) / 10.0)
                }
                Attempt::Void(VoidCause::OtherLoad(permille)) => {
                    replays += 1;
                    if replays > MAX_REPLAYS {
                        let subject = subject.to_owned();
                        return Err(Stop::Fatal(ExecuteError::OtherLoad { subject, tries: replays }));
                    }
                    format!("{:.1} % CPU load from other programs", f64::from(permille) / 10.0)
                }
            };
            self.notice(format!("{subject}: {why}; void, and {again}"));
        }
    }
}

/// Does tasks until there are no more, a stop is requested or the run cannot go on.
pub(super) fn work<E: Experiment>(shared: &Shared<'_, E>, place: usize, messages: Sender<Message<E>>) {
    let outbox = Outbox { shared, messages };
    let experiment = shared.experiment;
    let mut worker = match experiment.worker(place, shared.folder) {
        Ok(worker) => worker,
        Err(error) => {
            let _ = outbox.messages.send(Message::Fatal(error));
            return;
        }
    };
    match perform_all(shared, &mut worker, &outbox) {
        Ok(()) => {}
        Err(Stop::Cancelled) => shared.is_cut.store(true, Ordering::Relaxed),
        Err(Stop::Fatal(error)) => {
            let _ = outbox.messages.send(Message::Fatal(error));
        }
    }
    if !experiment.cancel().is_cancelled() {
        experiment.retire(worker);
    }
}

fn perform_all<'a, E: Experiment>(
    shared: &Shared<'a, E>,
    worker: &mut E::Worker<'a>,
    outbox: &Outbox<'_, E>,
) -> Result<(), Stop<E::Error>> {
    loop {
        // The tasks are plain data: a panic elsewhere cannot have left them half changed.
        let next = shared.tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(task) = next else { return Ok(()) };
        if shared.experiment.cancel().is_cancelled() {
            return Err(Stop::Cancelled);
        }
        shared.experiment.perform(worker, task, outbox)?;
        let (counted, wait) = channel();
        outbox.messages.send(Message::TaskDone(counted)).map_err(|_| Stop::Cancelled)?;
        wait.recv().map_err(|_| Stop::Cancelled)?;
    }
}
