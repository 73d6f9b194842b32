//! The part of a kind of run that does its tasks, the files that it keeps beside the journal, and its display.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::outbox::Outbox;
use super::study::Study;
use super::tasks::Tasks;
use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::report::Report;
use crate::run::RunFolder;
use crate::run::console::{Screen, clock_time, length_bar};

/// A kind of run with everything that its tasks need.
pub trait Play: Sync + Sized {
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

    /// The part that reports.
    type Study: Study;
    /// A unit of work, done by one worker.
    type Task: Send;
    /// State of one worker: its engine processes.
    type Worker<'a>
    where
        Self: 'a;
    /// Files beside the journal that follow it; `()` where there are none.
    type Files: CompanionFiles<RecordOf<Self>>;

    /// Returns the part that reports.
    fn study(&self) -> &Self::Study;
    /// Returns the stop request of the run.
    fn cancel(&self) -> &Cancel;
    /// Returns the number of workers wanted. With one, tasks are done one after the other, in their order.
    fn workers(&self) -> usize {
        1
    }

    /// Opens the files beside the journal.
    fn files(&self, folder: &RunFolder) -> anyhow::Result<Self::Files>;
    /// Marks the end of the replay: records counted from now on are of this session.
    fn begin_session(&self, _state: &mut StateOf<Self>) {}
    /// Returns the missing tasks.
    fn tasks(&self, state: &StateOf<Self>) -> Box<dyn Tasks<Self::Task>>;

    /// Prepares the state of the worker with number `place`, from 0.
    fn worker(&self, place: usize, folder: &RunFolder) -> anyhow::Result<Self::Worker<'_>>;
    /// Does one task and sends its records.
    fn perform<'a>(
        &'a self,
        worker: &mut Self::Worker<'a>,
        task: Self::Task,
        outbox: &OutboxOf<'_, Self>,
    ) -> Result<(), Stop>;
    /// Ends a worker's engines in good order. Not called after a stop request: dropping kills, and
    /// that is quicker. Returns notices.
    fn retire(&self, _worker: Self::Worker<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Follows a record after it was counted, of an earlier session or of this one.
    fn follow(&self, _state: &StateOf<Self>, _record: &RecordOf<Self>) {}
    /// Returns notices on a record of this session after it was counted.
    fn inspect(&self, _state: &StateOf<Self>, _record: &RecordOf<Self>) -> Vec<Notice> {
        Vec::new()
    }
    /// Returns the error by which a record of this session ends the run, once its notices are shown.
    fn failure(&self, _state: &StateOf<Self>, _record: &RecordOf<Self>) -> Option<anyhow::Error> {
        None
    }
}

/// The records of a kind of run.
pub type RecordOf<P> = <<P as Play>::Study as Study>::Record;
/// The statistics of a kind of run.
pub type StateOf<P> = <<P as Play>::Study as Study>::State;
/// The summary of a kind of run.
pub type SummaryOf<P> = <<P as Play>::Study as Study>::Summary;
/// Data of a record that only the files beside the journal hold.
pub(super) type PayloadOf<P> = <<P as Play>::Files as CompanionFiles<RecordOf<P>>>::Payload;
/// The connection of the workers of a kind of run to the collector.
pub type OutboxOf<'a, P> = Outbox<'a, RecordOf<P>, PayloadOf<P>>;

/// A message for the user that a record causes.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Line for the user.
    pub text: String,
    /// An event with the same content, by name and fields, emitted before the message.
    pub event: Option<(&'static str, Value)>,
}

/// The display of a kind of run: text on stderr, and JSON events (harness/EVENTS.md).
pub trait View: Play {
    /// Whether the report covers steal time, so that the end of the command does not.
    const REPORTS_STEAL_TIME: bool = false;

    /// Whether results depend on time. Otherwise steal time and load from other programs are not
    /// reported.
    fn depends_on_time(&self) -> bool {
        true
    }
    /// Returns notices at the end of a run whose report covers steal time.
    fn closing_notices(&self, _summary: &SummaryOf<Self>) -> Vec<String> {
        Vec::new()
    }

    /// Returns the first line; empty where there is nothing to announce.
    fn header(&self) -> String;
    /// Returns the fields of `run_started` and the work of earlier sessions, if there were any:
    /// `with 12 games`.
    fn started(&self, state: &StateOf<Self>) -> (Value, Option<String>);
    /// Shows a record; `fault` is the file with the evidence of a fault.
    fn show_record(&self, _screen: &Screen, _record: &RecordOf<Self>, _fault: Option<&Path>) {}
    /// Shows that a unit is complete.
    fn show_unit(&self, _screen: &Screen, _progress: &Progress<'_, StateOf<Self>>) {}
    /// Returns a line on the result so far, shown at most every 30 seconds.
    fn news(&self) -> Option<String> {
        None
    }
    /// Returns the units done in all sessions; the pace and the time of the next line depend on it.
    fn units(&self, state: &StateOf<Self>) -> u64;
    /// Returns the number of units of the whole run and their name in the plural, where it has a length.
    fn length(&self) -> Option<(u64, &'static str)> {
        None
    }
    /// Returns the details of the progress, in one line.
    fn details(&self, progress: &Progress<'_, StateOf<Self>>) -> String {
        let left = self.length().map_or(0, |(all, _)| all.saturating_sub(progress.done));
        progress.times(progress.eta(left as f64))
    }
    /// Returns the live view below its header, for a terminal.
    fn live(&self, progress: &Progress<'_, StateOf<Self>>) -> String {
        let bar = self.length().map(|(all, units)| length_bar(progress.done, all, units) + "\n");
        bar.unwrap_or_default() + &self.details(progress)
    }
    /// Returns one line of progress, for a log.
    fn line(&self, progress: &Progress<'_, StateOf<Self>>) -> String {
        let done = self.length().map(|(all, units)| format!("{} of {all} {units} | ", progress.done));
        done.unwrap_or_default() + &self.details(progress)
    }
    /// Returns the expected time to the end, where the kind of run has a length.
    fn eta(&self, _progress: &Progress<'_, StateOf<Self>>) -> Option<Duration> {
        None
    }
    /// Returns the games under way for `live.json`; null where there are none.
    fn games_under_way(&self) -> Value {
        Value::Null
    }
    /// Returns the fields of `run_ended`.
    fn ended(&self, _state: &StateOf<Self>, summary: &SummaryOf<Self>) -> Value {
        json!({ "summary": summary })
    }
    /// Returns the text printed at the end of a run in `folder`.
    fn text(
        &self,
        _state: &StateOf<Self>,
        _summary: &SummaryOf<Self>,
        report: &Report,
        _folder: &Path,
    ) -> String {
        report.printed()
    }
}

/// A moment of a run with the statistics `S`.
#[derive(Debug)]
pub struct Progress<'a, S> {
    /// Statistics of all records so far, of earlier sessions too.
    pub state: &'a S,
    /// Units done in all sessions.
    pub done: u64,
    /// Units done in this session.
    pub session: u64,
    /// Time since this session began.
    pub elapsed: Duration,
}

impl<S> Progress<'_, S> {
    /// Returns the expected time for `left` more units, at the pace of this session.
    pub fn eta(&self, left: f64) -> Option<Duration> {
        let each = (self.session > 0).then(|| self.elapsed.as_secs_f64() / self.session as f64)?;
        Duration::try_from_secs_f64(each * left).ok()
    }

    /// Formats `elapsed 0:00:10, ETA 0:00:20`.
    pub fn times(&self, eta: Option<Duration>) -> String {
        let eta = eta.map_or_else(|| "-".to_owned(), clock_time);
        format!("elapsed {}, ETA {eta}", clock_time(self.elapsed))
    }
}

/// Files beside the journal: made from it (`games.pgn`), or holding what its lines vouch for
/// (`games.vf`).
pub trait CompanionFiles<R>: Sized {
    /// Data of a record that the journal does not keep.
    type Payload: Send;

    /// Follows a record of an earlier session.
    fn replay(&mut self, _record: &R) -> anyhow::Result<()> {
        Ok(())
    }
    /// Ends the replay of earlier sessions.
    fn resume(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
    /// Writes data that must precede the line of the journal, and completes the record.
    fn write_before(&mut self, _record: &mut R, _payload: &Self::Payload) -> anyhow::Result<()> {
        Ok(())
    }
    /// Writes data made from the line of the journal.
    fn write_after(&mut self, _record: &R) -> anyhow::Result<()> {
        Ok(())
    }
    /// Returns when everything is on disk that the journal vouches for.
    fn sync(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

impl<R> CompanionFiles<R> for () {
    type Payload = ();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_time_follows_the_pace_of_this_session() {
        let progress = |session| Progress { state: &(), done: 90, session, elapsed: Duration::from_secs(20) };
        assert_eq!(progress(10).eta(5.0), Some(Duration::from_secs(10)));
        assert_eq!(progress(0).eta(5.0), None, "no pace is known");
    }
}
