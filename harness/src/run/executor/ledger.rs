//! The record of a run: its journal, the files that follow it, and the statistics of both.

use super::Experiment;
use crate::report::Report;
use crate::run::{Journal, RunFolder, RunState, StoreError};

/// Files beside the journal: made from it (`games.pgn`), or holding what its lines vouch for
/// (`games.vf`).
pub trait CompanionFiles<R>: Sized {
    /// Data of a record that the journal does not keep.
    type Payload: Send;

    /// Follows a record of an earlier session.
    fn replay(&mut self, _record: &R) -> Result<(), StoreError> {
        Ok(())
    }
    /// Ends the replay of earlier sessions.
    fn resume(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
    /// Writes data that must precede the line of the journal, and completes the record.
    fn write_before(&mut self, _record: &mut R, _payload: &Self::Payload) -> Result<(), StoreError> {
        Ok(())
    }
    /// Writes data made from the line of the journal.
    fn write_after(&mut self, _record: &R) -> Result<(), StoreError> {
        Ok(())
    }
    /// Returns when everything is on disk that the journal vouches for.
    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl<R> CompanionFiles<R> for () {
    type Payload = ();
}

/// The open files of a run and the statistics of their records.
pub(super) struct Ledger<E: Experiment> {
    journal: Journal<E::Record>,
    files: E::Files,
    pub(super) state: E::State,
    /// Records in the journal.
    pub(super) records: u64,
    /// Bytes of an unfinished last line that were cut off.
    pub(super) torn_bytes: u64,
}

impl<E: Experiment> Ledger<E> {
    /// Opens the journal of `folder` and replays it. No other place does.
    pub(super) fn open(experiment: &E, folder: &RunFolder) -> Result<Self, StoreError> {
        let path = folder.journal();
        let mut files = experiment.files(folder)?;
        let mut state = experiment.state();
        let mut records = 0;
        let (journal, torn_bytes) = Journal::open(&path, |record: E::Record| {
            experiment.check(&state, &record).map_err(|what| StoreError::Damaged {
                path: path.clone(),
                line: records as usize + 1,
                what,
            })?;
            files.replay(&record)?;
            experiment.take(&mut state, &record);
            records += 1;
            Ok(())
        })?;
        files.resume()?;
        experiment.begin_session(&mut state);
        Ok(Self { journal, files, state, records, torn_bytes })
    }

    /// Saves and counts a record. Returns whether it completes a unit, which is then on disk.
    pub(super) fn append(
        &mut self,
        experiment: &E,
        record: &mut E::Record,
        payload: &<E::Files as CompanionFiles<E::Record>>::Payload,
    ) -> Result<bool, StoreError> {
        self.files.write_before(record, payload)?;
        self.journal.append(record)?;
        self.files.write_after(record)?;
        self.records += 1;
        let is_unit = experiment.take(&mut self.state, record);
        if is_unit {
            self.sync()?;
        }
        Ok(is_unit)
    }

    /// Returns when everything appended is on disk, companion files before the journal that vouches
    /// for them.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.files.sync()?;
        self.journal.sync()
    }
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

/// Computes summary and report from records alone.
pub fn review<E: Experiment>(
    experiment: &E,
    records: impl IntoIterator<Item = E::Record>,
) -> Review<E::Summary> {
    let mut counted = experiment.state();
    for record in records {
        if experiment.check(&counted, &record).is_ok() {
            experiment.take(&mut counted, &record);
        }
    }
    conclude(experiment, &counted)
}

/// Summarizes and reports. A run that is not finished counts as interrupted: its records do not
/// show whether it goes on.
pub fn conclude<E: Experiment>(experiment: &E, counted: &E::State) -> Review<E::Summary> {
    let is_finished = experiment.is_finished(counted);
    let state = if is_finished { RunState::Finished } else { RunState::Interrupted };
    let summary = experiment.summarize(counted, state);
    let report = experiment.report(counted, &summary);
    Review { state, summary, report }
}

/// Fills a new folder with records brought from elsewhere, and writes the companion files and
/// `summary.json`.
pub fn import<E: Experiment>(
    experiment: &E,
    folder: &RunFolder,
    records: impl IntoIterator<Item = E::Record>,
) -> Result<Review<E::Summary>, StoreError>
where
    E::Files: CompanionFiles<E::Record, Payload = ()>,
{
    let mut ledger = Ledger::open(experiment, folder)?;
    for mut record in records {
        ledger.append(experiment, &mut record, &())?;
    }
    ledger.sync()?;
    let review = conclude(experiment, &ledger.state);
    folder.write_summary(&review.summary)?;
    Ok(review)
}
