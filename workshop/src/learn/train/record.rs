//! The journal record of an epoch and its losses.

use serde::{Deserialize, Serialize};

use stretto_harness::run::{Entry, check_version};

/// Version of the journal records.
pub(super) const EPOCH_VERSION: u32 = 1;

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
        check_version(self.v, EPOCH_VERSION)
    }
}
