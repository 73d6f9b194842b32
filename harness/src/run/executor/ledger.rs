//! The record of a run: its journal, the files that follow it, and the statistics of both.

use super::play::CompanionFiles;
use super::study::{Review, Study, conclude};
use crate::run::{Journal, RunFolder, damaged};

/// The open files of a run and the statistics of their records.
pub(super) struct Ledger<S: Study, F> {
    journal: Journal<S::Record>,
    files: F,
    pub(super) state: S::State,
    /// Records in the journal.
    pub(super) records: u64,
    /// Bytes of an unfinished last line that were cut off.
    pub(super) torn_bytes: u64,
}

impl<S: Study, F: CompanionFiles<S::Record>> Ledger<S, F> {
    /// Opens the journal of `folder` and replays it. No other place does. `follow` sees each record once it is counted.
    pub(super) fn open(
        study: &S,
        mut files: F,
        folder: &RunFolder,
        mut follow: impl FnMut(&S::State, &S::Record),
    ) -> anyhow::Result<Self> {
        let path = folder.journal();
        let mut state = study.state();
        let mut records = 0;
        let (journal, torn_bytes) = Journal::open(&path, |record: S::Record| {
            let line = records as usize + 1;
            study.check(&state, &record).map_err(|what| damaged(&path, line, &what))?;
            files.replay(&record)?;
            study.take(&mut state, &record);
            follow(&state, &record);
            records += 1;
            Ok(())
        })?;
        files.resume()?;
        Ok(Self { journal, files, state, records, torn_bytes })
    }

    /// Saves and counts a record. Returns whether it completes a unit, which is then on disk.
    pub(super) fn append(
        &mut self,
        study: &S,
        record: &mut S::Record,
        payload: &F::Payload,
    ) -> anyhow::Result<bool> {
        self.files.write_before(record, payload)?;
        self.journal.append(record)?;
        self.files.write_after(record)?;
        self.records += 1;
        let is_unit = study.take(&mut self.state, record);
        if is_unit {
            self.sync()?;
        }
        Ok(is_unit)
    }

    /// Returns when everything appended is on disk, companion files before the journal that vouches
    /// for them.
    pub(super) fn sync(&mut self) -> anyhow::Result<()> {
        self.files.sync()?;
        self.journal.sync()
    }
}

/// Fills a new folder with records brought from elsewhere, each read when its turn comes, and writes the companion files and
/// `summary.json`.
pub fn import<S: Study>(
    study: &S,
    files: impl CompanionFiles<S::Record, Payload = ()>,
    folder: &RunFolder,
    records: impl IntoIterator<Item = anyhow::Result<S::Record>>,
) -> anyhow::Result<Review<S::Summary>> {
    let mut ledger = Ledger::open(study, files, folder, |_, _| ())?;
    for record in records {
        ledger.append(study, &mut record?, &())?;
    }
    ledger.sync()?;
    let review = conclude(study, &ledger.state);
    folder.write_summary(&review.summary)?;
    Ok(review)
}
