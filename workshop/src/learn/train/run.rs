//! A training that is carried out: its tasks are the epochs, and one worker does them in their order.
//!
//! An epoch depends on the one before, so there is never more than one worker; its threads are
//! those of `rayon`. Checkpoint and network are written before the line of the journal that vouches
//! for them, so the checkpoint may be one epoch ahead of the journal. The one before it is kept.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, ensure};
use rayon::ThreadPool;

use super::record::EPOCH_VERSION;
use super::shards::in_kept_run;
use super::study::{TrainState, TrainStudy};
use super::trainer::{Position, Trainer};
use super::{Dataset, EpochRecord, TrainConfig};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::{FileResult, Stop};
use stretto_harness::run::executor::{OutboxOf, Play, TaskList, Tasks};
use stretto_harness::run::{RunFolder, write_atomically};

/// Returns the network of a run folder.
pub(crate) fn network_in(folder: &Path) -> PathBuf {
    folder.join("stretto.network")
}

fn checkpoint_in(folder: &Path) -> PathBuf {
    folder.join("checkpoint.bin")
}

/// A training run in progress.
#[derive(Debug)]
pub(crate) struct TrainPlay {
    study: TrainStudy,
    /// The positions; none where all epochs are done.
    dataset: Dataset,
    /// The present position, for the display.
    position: Mutex<Option<Position>>,
    cancel: Cancel,
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

impl TrainPlay {
    /// Creates a training on `dataset`.
    ///
    /// Errors: it has too few positions.
    pub(crate) fn new(
        config: TrainConfig,
        dataset: Dataset,
        manifest: [u8; 16],
        cancel: Cancel,
    ) -> anyhow::Result<Self> {
        let (positions, validation) = (dataset.size.positions, dataset.validation.len());
        ensure!(
            positions > 0 && validation > 0,
            "{positions} training and {validation} validation positions: expected at least one of each, add more games"
        );
        let study = TrainStudy::new(config, dataset.size, manifest);
        Ok(Self { study, dataset, position: Mutex::default(), cancel })
    }

    /// Creates a training whose epochs are all done. It needs no positions.
    pub(crate) fn finished(study: TrainStudy, cancel: Cancel) -> Self {
        Self { study, dataset: Dataset::default(), position: Mutex::default(), cancel }
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
    fn train_epoch(&self, trainer: &mut Trainer<'_>, folder: &Path, epoch: u32) -> Result<EpochRecord, Stop> {
        let done = trainer.epoch(epoch, &self.cancel, |position| self.set_position(position));
        let done = done.map_err(|error| in_kept_run(error.into()))?;
        let (training_loss, speed) = done.ok_or(Stop::Cancelled)?;
        trainer.write_checkpoint(&checkpoint_in(folder))?;
        let (weights, network) = trainer.network(self.study.manifest)?;
        let record = EpochRecord {
            v: EPOCH_VERSION,
            epoch,
            steps: trainer.steps,
            rate: trainer.rate(trainer.steps),
            training_loss,
            validation: trainer.validate(&network),
            speed,
        };
        let file = network_in(folder);
        write_atomically(&file, &weights.to_bytes()).or_cannot("write", &file)?;
        Ok(record)
    }
}

impl Play for TrainPlay {
    const ITEM: &'static str = "epoch";
    const LIVE_SUMMARY: bool = false;

    type Study = TrainStudy;
    type Task = Epoch;
    type Worker<'a> = TrainWorker<'a>;
    type Files = ();

    fn study(&self) -> &TrainStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn files(&self, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn tasks(&self, state: &TrainState) -> Box<dyn Tasks<Epoch>> {
        let steps_before = state.epochs.last().map_or(0, |record| record.steps);
        let missing = state.epochs.len() as u32 + 1..=self.study.config.training.epochs.get();
        Box::new(TaskList::new(missing.map(|number| Epoch { number, steps_before }).collect()))
    }

    fn worker(&self, _place: usize, folder: &RunFolder) -> anyhow::Result<TrainWorker<'_>> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.study.config.threads()).build();
        let threads = threads.context("cannot start threads")?;
        Ok(TrainWorker { threads, folder: folder.path().to_path_buf(), trainer: None })
    }

    fn perform<'a>(
        &'a self,
        worker: &mut TrainWorker<'a>,
        epoch: Epoch,
        outbox: &OutboxOf<'_, Self>,
    ) -> Result<(), Stop> {
        let TrainWorker { threads, folder, trainer } = worker;
        let trainer = if let Some(trainer) = trainer {
            trainer
        } else {
            let path = checkpoint_in(folder);
            let begun = Trainer::start(&self.study.config, &self.dataset, &path, epoch.steps_before);
            trainer.insert(begun?)
        };
        let record = threads.install(|| self.train_epoch(trainer, folder, epoch.number))?;
        outbox.send(record, (), None)
    }
}
