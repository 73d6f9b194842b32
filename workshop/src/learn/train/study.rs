//! A training as far as it reports: its records are epochs.

use std::path::Path;

use serde::Serialize;

use super::{DatasetSize, EpochRecord, TrainConfig, train_report};
use stretto_harness::report::Report;
use stretto_harness::run::RunState;
use stretto_harness::run::executor::Study;
use stretto_harness::run::stored::StoredRun;

/// A training.
#[derive(Debug)]
pub(crate) struct TrainStudy {
    pub(super) config: TrainConfig,
    /// The number of positions, where it is known.
    size: Option<DatasetSize>,
    /// Names the training in the network's file.
    pub(super) manifest: [u8; 16],
}

/// The epochs so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrainState {
    /// The records in the order of the epochs.
    pub epochs: Vec<EpochRecord>,
}

/// The content of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TrainSummary {
    is_finished: bool,
    #[serde(flatten)]
    size: Option<DatasetSize>,
    manifest: String,
    epochs: Vec<EpochRecord>,
}

impl TrainStudy {
    /// Returns a training on positions of this number.
    pub(crate) fn new(config: TrainConfig, size: DatasetSize, manifest: [u8; 16]) -> Self {
        Self { config, size: Some(size), manifest }
    }

    /// Returns the training of a run folder, whose positions are not read.
    pub(crate) fn stored(config: TrainConfig, folder: &Path, manifest: [u8; 16]) -> Self {
        // The number of positions is not in the journal, and a run that was killed has no summary.
        let summary = std::fs::read(folder.join("summary.json")).ok();
        let size = summary.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { config, size, manifest }
    }
}

impl Study for TrainStudy {
    type Config = TrainConfig;
    type Record = EpochRecord;
    type State = TrainState;
    type Summary = TrainSummary;

    fn rebuild(config: TrainConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self::stored(config, run.path, [0; 16]))
    }

    fn state(&self) -> TrainState {
        TrainState::default()
    }

    fn check(&self, state: &TrainState, record: &EpochRecord) -> Result<(), String> {
        let last = state.epochs.len();
        if record.epoch as usize == last + 1 {
            return Ok(());
        }
        Err(format!("epoch {} follows epoch {last}", record.epoch))
    }

    fn take(&self, state: &mut TrainState, record: &EpochRecord) -> bool {
        state.epochs.push(*record);
        true
    }

    fn is_finished(&self, state: &TrainState) -> bool {
        state.epochs.len() >= self.config.training.epochs.get() as usize
    }

    fn summarize(&self, state: &TrainState, run: RunState) -> TrainSummary {
        TrainSummary {
            is_finished: run == RunState::Finished,
            size: self.size,
            manifest: format!("{:032x}", u128::from_be_bytes(self.manifest)),
            epochs: state.epochs.clone(),
        }
    }

    fn report(&self, state: &TrainState, _summary: &TrainSummary) -> Report {
        train_report(&self.config, self.size, &state.epochs)
    }
}
