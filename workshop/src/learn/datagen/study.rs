//! The making of games as far as it reports: its records are batches.

use std::sync::Arc;

use serde::Serialize;

use super::{BatchRecord, DatagenConfig, DatagenTotals, datagen_report};
use stretto_harness::report::Report;
use stretto_harness::run::RunState;
use stretto_harness::run::executor::Study;
use stretto_harness::run::stored::StoredRun;

/// Games to be made.
#[derive(Clone, Debug)]
pub(crate) struct DatagenStudy {
    pub(super) config: Arc<DatagenConfig>,
}

/// The batches so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DatagenState {
    /// Sums of all sessions.
    pub totals: DatagenTotals,
    /// Sums of this session.
    pub(super) session: DatagenTotals,
}

/// The content of `summary.json`.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct DatagenSummary {
    is_finished: bool,
    totals: DatagenTotals,
}

impl DatagenStudy {
    /// Returns the study of these games.
    pub(super) fn new(config: DatagenConfig) -> Self {
        Self { config: Arc::new(config) }
    }
}

impl Study for DatagenStudy {
    type Config = DatagenConfig;
    type Record = BatchRecord;
    type State = DatagenState;
    type Summary = DatagenSummary;

    fn rebuild(config: DatagenConfig, _run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self::new(config))
    }

    fn state(&self) -> DatagenState {
        DatagenState::default()
    }

    fn check(&self, state: &DatagenState, record: &BatchRecord) -> Result<(), String> {
        let totals = &state.totals;
        if record.batch == totals.batches && record.end >= totals.bytes {
            return Ok(());
        }
        Err(format!("batch {} follows batch {}", record.batch, totals.batches))
    }

    fn take(&self, state: &mut DatagenState, record: &BatchRecord) -> bool {
        state.totals.add(record);
        state.session.add(record);
        false
    }

    fn is_finished(&self, state: &DatagenState) -> bool {
        state.totals.games >= self.config.games.get()
    }

    fn summarize(&self, state: &DatagenState, run: RunState) -> DatagenSummary {
        DatagenSummary { is_finished: run == RunState::Finished, totals: state.totals }
    }

    fn report(&self, state: &DatagenState, _summary: &DatagenSummary) -> Report {
        datagen_report(&self.config, &state.totals)
    }
}
