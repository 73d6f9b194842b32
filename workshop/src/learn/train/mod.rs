//! Network training on self-play games.
//!
//! `data` reads the games and keeps some of them apart to judge by; `exact` gives positions of few
//! pieces their exact results; `shards` holds the positions on disk and shuffles them again for each
//! epoch; `gradient` computes the gradient of the loss over a batch, each thread over its share; `adam` takes the step; `model`
//! quantises the result. [`TrainPlay`] carries it out: its tasks are the
//! epochs, done by one worker. The same configuration gives the same network with the same number
//! of threads, and an interrupted run goes on from its last whole epoch. The caller is the command
//! line.

pub(crate) mod command;
pub(crate) mod config;
mod report;

pub use config::TrainConfig;
pub(crate) use report::train_report;

mod adam;
mod checkpoint;
mod data;
mod error;
mod exact;
mod gradient;
mod model;
mod run;
mod shards;
mod study;
mod trainer;
mod view;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use stretto_harness::run::Entry;

pub(crate) use checkpoint::CheckpointError;
pub(crate) use data::{Dataset, delete_shards, load};
pub(crate) use error::TrainError;
pub(crate) use exact::table_files;
pub(crate) use run::TrainPlay;
pub(crate) use study::TrainStudy;

/// Version of the journal records.
const EPOCH_VERSION: u32 = 1;

/// Mean squared errors of the predicted share of the point over the validation positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ValidationLosses {
    /// Against the blended targets.
    pub blended: f64,
    /// Against the scores only.
    pub scores: f64,
    /// Against the results only.
    pub results: f64,
    /// Of the quantised network, against the blended targets.
    pub quantised: f64,
    /// Mean absolute difference of the evaluation by quantisation. Units: centipawns.
    pub quantisation_error: f64,
}

/// The size of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DatasetSize {
    /// Number of games read.
    pub games: u64,
    /// Number of training positions.
    pub positions: usize,
    /// Number of validation positions.
    pub validation_positions: usize,
}

impl Dataset {
    /// Returns the size of the data set.
    pub(crate) fn size(&self) -> DatasetSize {
        DatasetSize {
            games: self.games,
            positions: self.positions,
            validation_positions: self.validation.len(),
        }
    }
}

/// The journal record of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EpochRecord {
    pub(super) v: u32,
    /// Number of the epoch, from 1.
    pub epoch: u32,
    /// Total steps so far.
    pub steps: u64,
    /// Learning rate of the last step.
    pub rate: f64,
    /// Mean training loss during the epoch.
    pub training_loss: f64,
    /// Validation losses after the epoch.
    pub validation: ValidationLosses,
    /// Training speed without validation. Units: positions per second.
    pub speed: f64,
}

impl Entry for EpochRecord {
    fn number(&self) -> u64 {
        self.epoch.into()
    }

    fn check(&self) -> Result<(), String> {
        if self.v == EPOCH_VERSION {
            return Ok(());
        }
        Err(format!("record version {}, expected {EPOCH_VERSION}", self.v))
    }
}
