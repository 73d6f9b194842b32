//! The part of a kind of run that reports: its records, their statistics, summary and report.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::report::Report;
use crate::run::stored::StoredRun;
use crate::run::{Entry, RunState};

/// A kind of run as far as it reports. It needs neither engines nor other resources of its tasks.
pub trait Study: Sync + Sized {
    /// The validated configuration, which the manifest keeps.
    type Config: DeserializeOwned;
    /// A line of the journal.
    type Record: Entry + Send;
    /// The statistics of the records so far.
    type State;
    /// The content of `summary.json`.
    type Summary: Serialize;

    /// Rebuilds the study from a stored run.
    fn rebuild(config: Self::Config, run: &StoredRun<'_>) -> anyhow::Result<Self>;

    /// Returns the statistics before the first record.
    fn state(&self) -> Self::State;
    /// Refuses a record of the journal that does not belong to this run, with the reason.
    fn check(&self, _state: &Self::State, _record: &Self::Record) -> Result<(), String> {
        Ok(())
    }
    /// Counts a record. Returns whether it completes a unit (a pair of games) that must be on disk
    /// at once.
    fn take(&self, state: &mut Self::State, record: &Self::Record) -> bool;
    /// Whether the records decide: no task is begun any more.
    fn is_enough(&self, _state: &Self::State) -> bool {
        false
    }
    /// Whether nothing is left to do, as far as the records show.
    fn is_finished(&self, state: &Self::State) -> bool;
    /// Computes the content of `summary.json` from the statistics.
    fn summarize(&self, state: &Self::State, run: RunState) -> Self::Summary;
    /// Builds the report from statistics and summary.
    fn report(&self, state: &Self::State, summary: &Self::Summary) -> Report;
}

/// Summary and report of the records of a run.
#[derive(Debug)]
pub struct Review<S> {
    /// Whether it has come to its end.
    pub state: RunState,
    /// The content of `summary.json`.
    pub summary: S,
    /// The report for people.
    pub report: Report,
}

/// Computes summary and report from the records of a part of a stored run alone. Each is dropped once it is counted, since
/// those of long runs take gigabytes.
///
/// Errors: the journal is missing or damaged.
pub fn review<S: Study>(study: &S, run: &StoredRun<'_>, part: &str) -> anyhow::Result<Review<S::Summary>> {
    let mut counted = study.state();
    run.each_record(part, |record| {
        if study.check(&counted, &record).is_ok() {
            study.take(&mut counted, &record);
        }
    })?;
    Ok(conclude(study, &counted))
}

/// Summarizes and reports. A run that is not finished counts as interrupted: its records do not
/// show whether it goes on.
pub fn conclude<S: Study>(study: &S, counted: &S::State) -> Review<S::Summary> {
    let state = if study.is_finished(counted) { RunState::Finished } else { RunState::Interrupted };
    let summary = study.summarize(counted, state);
    let report = study.report(counted, &summary);
    Review { state, summary, report }
}
