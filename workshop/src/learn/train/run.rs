//! A training as an experiment: its tasks are the epochs, and one worker does them in their order.
//!
//! An epoch depends on the one before, so there is never more than one worker; its threads are
//! those of `rayon`. Checkpoint and network are written before the line of the journal that vouches
//! for them, so the checkpoint may be one epoch ahead of the journal. The one before it is kept.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;
use serde::Serialize;
use stretto::eval::network::Network;

use super::trainer::{Position, Trainer};
use super::{Dataset, DatasetSize, EPOCH_VERSION, EpochRecord, TrainConfig, TrainError, train_report};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::report::Report;
use stretto_harness::run::executor::{ExecuteError, Experiment, Outbox, Stop, TaskList, Tasks};
use stretto_harness::run::stored::StoredRun;
use stretto_harness::run::{RunFolder, RunState, StoreError, read_journal, write_atomically};

/// Returns the network of a run folder.
pub(crate) fn network_in(folder: &Path) -> PathBuf {
    folder.join("stretto.network")
}

fn checkpoint_in(folder: &Path) -> PathBuf {
    folder.join("checkpoint.bin")
}

/// A training run in progress.
#[derive(Debug)]
pub(crate) struct TrainRun {
    pub(super) config: TrainConfig,
    /// The positions; empty in a run that is only reported on.
    dataset: Dataset,
    /// The number of positions, where it is known.
    size: Option<DatasetSize>,
    /// Names the training in the network's file.
    manifest: [u8; 16],
    /// The present position, for the display.
    position: Mutex<Option<Position>>,
    cancel: Cancel,
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

/// An epoch to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    /// Number of the epoch, from 1.
    number: u32,
    /// Steps of the epochs in the journal, where this one begins a session.
    steps_before: u64,
}

/// The worker's threads and the state of the training.
pub(crate) struct TrainWorker<'a> {
    threads: ThreadPool,
    folder: PathBuf,
    /// Made from the checkpoint with the first epoch.
    trainer: Option<Trainer<'a>>,
}

impl TrainRun {
    /// Creates a training on `dataset`.
    pub(crate) fn new(
        config: TrainConfig,
        dataset: Dataset,
        manifest: [u8; 16],
        cancel: Cancel,
    ) -> Result<Self, TrainError> {
        if dataset.positions == 0 || dataset.validation.is_empty() {
            let (positions, validation) = (dataset.positions, dataset.validation.len());
            return Err(TrainError::TooFew { positions, validation });
        }
        let size = Some(dataset.size());
        Ok(Self { config, dataset, size, manifest, position: Mutex::default(), cancel })
    }

    /// Creates a training that is only reported on, from its configuration and its folder.
    pub(crate) fn without_positions(
        config: TrainConfig,
        folder: &Path,
        manifest: [u8; 16],
        cancel: Cancel,
    ) -> Self {
        // The number of positions is not in the journal, and a run that was killed has no summary.
        let summary = std::fs::read(folder.join("summary.json")).ok();
        let size = summary.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let (dataset, position) = (Dataset::default(), Mutex::default());
        Self { config, dataset, size, manifest, position, cancel }
    }

    /// Whether all epochs are in the journal of the run.
    ///
    /// Errors: the journal cannot be read or is damaged.
    pub(crate) fn is_complete(config: &TrainConfig, folder: &RunFolder) -> Result<bool, StoreError> {
        let (journal, mut epochs) = (folder.journal(), 0);
        if !journal.exists() {
            return Ok(false);
        }
        read_journal(&journal, |_: EpochRecord| {
            epochs += 1;
            Ok(())
        })?;
        Ok(epochs >= config.training.epochs.get())
    }

    /// Returns how far the training is.
    pub(super) fn position(&self) -> Option<Position> {
        // Plain data: a panic elsewhere cannot have left it half changed.
        *self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_position(&self, position: Position) {
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = Some(position);
    }

    /// Does an epoch, and writes checkpoint and network.
    fn train_epoch(
        &self,
        trainer: &mut Trainer<'_>,
        folder: &Path,
        epoch: u32,
    ) -> Result<EpochRecord, Stop<TrainError>> {
        let done = trainer.epoch(epoch, &self.cancel, |position| self.set_position(position));
        let done = done.map_err(|error| Stop::failed(error.in_kept_run()))?;
        let (training_loss, speed) = done.ok_or(Stop::Cancelled)?;
        let weights = trainer.weights(self.manifest);
        let network = Network::new(&weights).map_err(|fault| Stop::failed(TrainError::Network(fault)))?;
        let record = EpochRecord {
            v: EPOCH_VERSION,
            epoch,
            steps: trainer.steps,
            rate: trainer.rate(trainer.steps),
            training_loss,
            validation: trainer.validate(&network),
            speed,
        };
        let store = |error: StoreError| Stop::Fatal(error.into());
        trainer.write_checkpoint(&checkpoint_in(folder)).map_err(store)?;
        let file = network_in(folder);
        write_atomically(&file, &weights.to_bytes())
            .map_err(|error| store(StoreError::io("write", &file, error)))?;
        Ok(record)
    }
}

impl Experiment for TrainRun {
    const ITEM: &'static str = "epoch";
    const LIVE_SUMMARY: bool = false;

    type Config = TrainConfig;
    type Task = Epoch;
    type Record = EpochRecord;
    type Worker<'a> = TrainWorker<'a>;
    type State = TrainState;
    type Files = ();
    type Summary = TrainSummary;
    type Error = TrainError;

    fn rebuild(config: TrainConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self::without_positions(config, run.path, [0; 16], Cancel::new()))
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn workers(&self) -> usize {
        1
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

    fn files(&self, _folder: &RunFolder) -> Result<(), StoreError> {
        Ok(())
    }

    fn tasks(&self, state: &TrainState) -> Box<dyn Tasks<Epoch>> {
        let steps_before = state.epochs.last().map_or(0, |record| record.steps);
        let missing = state.epochs.len() as u32 + 1..=self.config.training.epochs.get();
        Box::new(TaskList::new(missing.map(|number| Epoch { number, steps_before }).collect()))
    }

    fn worker(&self, _place: usize, folder: &RunFolder) -> Result<TrainWorker<'_>, ExecuteError<TrainError>> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.config.threads()).build();
        let threads = threads.map_err(|error| ExecuteError::Experiment(TrainError::Threads(error)))?;
        Ok(TrainWorker { threads, folder: folder.path().to_path_buf(), trainer: None })
    }

    fn perform<'a>(
        &'a self,
        worker: &mut TrainWorker<'a>,
        epoch: Epoch,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<TrainError>> {
        let TrainWorker { threads, folder, trainer } = worker;
        let trainer = if let Some(trainer) = trainer {
            trainer
        } else {
            let path = checkpoint_in(folder);
            let begun = Trainer::start(&self.config, &self.dataset, &path, epoch.steps_before);
            trainer.insert(begun.map_err(Stop::failed)?)
        };
        let record = threads.install(|| self.train_epoch(trainer, folder, epoch.number))?;
        outbox.send(record, (), None)
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
