//! One executor for every kind of run.
//!
//! A kind of run implements [`Experiment`] (tasks, records, summary, report) and [`View`]
//! (display). The executor does the rest. It opens the journal and replays it, starts the workers
//! and hands out the missing tasks. It saves and counts every record, repeats void tasks, keeps the
//! evidence of faults, and shows notices and progress. It reacts to a stop request, and writes
//! `summary.json` and the report.
//!
//! A worker sends its records through an [`Outbox`] to the collector, which alone writes the
//! journal. It takes its next task once the collector has counted its records, so quick tasks
//! cannot run ahead of the decision to stop. A record is in the journal before it is counted.
//!
//! A run of several experiments (`ablate` with games, `equivalence`, `tune`) executes them one
//! after the other, each in a folder of its own. `openings` and `tune-eval` are no experiments;
//! their modules state the reason.

mod collect;
mod error;
mod ledger;
mod outbox;
mod start;
mod tasks;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use error::ExecuteError;
pub use ledger::{CompanionFiles, conclude, import, review};
pub use outbox::LEGEND;
pub use outbox::{Attempt, Evidence, Outbox, Stop, VoidCause};
pub use start::{Launch, complete, execute, execute_first, execute_watched};
pub use tasks::{TaskList, Tasks};

use super::console::Screen;
use super::stored::StoredRun;
use super::{Entry, RunFolder, RunState, StoreError};
use crate::base::cancel::Cancel;
use crate::report::Report;

/// A kind of run: its tasks, its records, and their summary.
pub trait Experiment: Sync + Sized {
    /// Word for one record in messages: `game`, `search`.
    const ITEM: &'static str;
    /// Whether records are saved in the order of their numbers, which begin with 0, instead of as
    /// they arrive.
    const IN_ORDER: bool = false;
    /// Whether `summary.json` is renewed while the run goes on. It is not where that would disturb
    /// a measurement.
    const LIVE_SUMMARY: bool = true;

    /// Message after the first stop request: what becomes of the work in progress.
    const STOPPING: &'static str =
        "stopping: work in progress is dropped and done again on resume; press Ctrl-C again to exit at once";

    /// The validated configuration, which the manifest keeps.
    type Config: DeserializeOwned;
    /// A unit of work, done by one worker.
    type Task: Send;
    /// A line of the journal.
    type Record: Entry + Send;
    /// State of one worker: its engine processes.
    type Worker<'a>
    where
        Self: 'a;
    /// The statistics of the records so far.
    type State;
    /// Files beside the journal that follow it; `()` where there are none.
    type Files: CompanionFiles<Self::Record>;
    /// The content of `summary.json`.
    type Summary: Serialize;
    /// Errors of this kind of run.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Rebuilds the experiment from a stored run, to report on it. Nothing is started.
    fn rebuild(config: Self::Config, run: &StoredRun<'_>) -> anyhow::Result<Self>;

    /// Returns the stop request of the run.
    fn cancel(&self) -> &Cancel;
    /// Returns the number of workers wanted.
    fn workers(&self) -> usize;

    /// Returns the statistics before the first record.
    fn state(&self) -> Self::State;
    /// Refuses a record of the journal that does not belong to this run, with the reason.
    fn check(&self, _state: &Self::State, _record: &Self::Record) -> Result<(), String> {
        Ok(())
    }
    /// Opens the files beside the journal.
    fn files(&self, folder: &RunFolder) -> Result<Self::Files, StoreError>;
    /// Marks the end of the replay: records counted from now on are of this session.
    fn begin_session(&self, _state: &mut Self::State) {}
    /// Returns the missing tasks.
    fn tasks(&self, state: &Self::State) -> Box<dyn Tasks<Self::Task>>;

    /// Prepares the state of the worker with number `place`, from 0.
    fn worker(&self, place: usize, folder: &RunFolder)
    -> Result<Self::Worker<'_>, ExecuteError<Self::Error>>;
    /// Does one task and sends its records.
    fn perform<'a>(
        &'a self,
        worker: &mut Self::Worker<'a>,
        task: Self::Task,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<Self::Error>>;
    /// Ends a worker's engines in good order. Not called after a stop request: dropping kills, and
    /// that is quicker.
    fn retire(&self, _worker: Self::Worker<'_>) {}

    /// Counts a record. Returns whether it completes a unit (a pair of games) that must be on disk
    /// at once.
    fn take(&self, state: &mut Self::State, record: &Self::Record) -> bool;
    /// Returns notices on a record of this session after it was counted.
    fn inspect(&self, _state: &Self::State, _record: &Self::Record) -> Vec<Notice> {
        Vec::new()
    }
    /// Returns the error by which a record of this session ends the run, once its notices are shown.
    fn failure(&self, _state: &Self::State, _record: &Self::Record) -> Option<Self::Error> {
        None
    }
    /// Whether the records decide: no task is begun any more.
    fn is_enough(&self, _state: &Self::State) -> bool {
        false
    }
    /// Whether nothing is left to do, as far as the records show.
    fn is_finished(&self, state: &Self::State) -> bool;
    /// Computes the summary.
    fn summarize(&self, state: &Self::State, run: RunState) -> Self::Summary;
    /// Writes the report.
    fn report(&self, state: &Self::State, summary: &Self::Summary) -> Report;
}

/// A message for the user that a record causes.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The message.
    pub text: String,
    /// An event with the same content, by name and fields, emitted before the message.
    pub event: Option<(&'static str, Value)>,
}

/// The display of a kind of run: text on stderr, and JSON events (harness/EVENTS.md).
pub trait View: Experiment {
    /// Whether the report covers steal time, so that the end of the command does not.
    const REPORTS_STEAL_TIME: bool = false;

    /// Whether results depend on time. Otherwise steal time and load from other programs are not
    /// reported.
    fn depends_on_time(&self) -> bool {
        true
    }
    /// Returns notices at the end of a run whose report covers steal time.
    fn closing_notices(&self, _summary: &Self::Summary) -> Vec<String> {
        Vec::new()
    }

    /// Returns the first line; empty where there is nothing to announce.
    fn header(&self) -> String;
    /// Returns the fields of `run_started` and the work of earlier sessions, if there were any:
    /// `with 12 games`.
    fn started(&self, state: &Self::State) -> (Value, Option<String>);
    /// Shows a record; `fault` is the file with the evidence of a fault.
    fn show_record(&self, _screen: &Screen, _record: &Self::Record, _fault: Option<&Path>) {}
    /// Shows that a unit is complete.
    fn show_unit(&self, _screen: &Screen, _progress: &Progress<'_, Self>) {}
    /// Returns a line on the result so far, shown at most every 30 seconds.
    fn news(&self) -> Option<String> {
        None
    }
    /// Returns the units done in all sessions; the pace and the time of the next line depend on it.
    fn units(&self, state: &Self::State) -> u64;
    /// Returns the live view below its header, for a terminal.
    fn live(&self, progress: &Progress<'_, Self>) -> String;
    /// Returns one line of progress, for a log.
    fn line(&self, progress: &Progress<'_, Self>) -> String;
    /// Returns the expected time to the end, where the kind of run has a length.
    fn eta(&self, _progress: &Progress<'_, Self>) -> Option<Duration> {
        None
    }
    /// Returns the games under way for `live.json`; null where there are none.
    fn games_under_way(&self) -> Value {
        Value::Null
    }
    /// Returns the fields of `run_ended`.
    fn ended(&self, _state: &Self::State, summary: &Self::Summary) -> Value {
        json!({ "summary": summary })
    }
    /// Returns the text printed at the end of a run in `folder`.
    fn text(
        &self,
        _state: &Self::State,
        _summary: &Self::Summary,
        report: &Report,
        _folder: &Path,
    ) -> String {
        report.printed()
    }
}

/// A moment of a run.
#[derive(Debug)]
pub struct Progress<'a, E: Experiment> {
    /// The statistics.
    pub state: &'a E::State,
    /// Units done in all sessions.
    pub done: u64,
    /// Units done in this session.
    pub session: u64,
    /// Time since this session began.
    pub elapsed: Duration,
}

impl<E: Experiment> Progress<'_, E> {
    /// Returns the expected time for `left` more units, at the pace of this session.
    pub(crate) fn eta(&self, left: f64) -> Option<Duration> {
        let each = (self.session > 0).then(|| self.elapsed.as_secs_f64() / self.session as f64)?;
        Duration::try_from_secs_f64(each * left).ok()
    }
}
