//! Progress events of a fit.

use std::time::Duration;

use serde::Serialize;

/// A progress event of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TuneEvalEvent {
    /// The games have been read.
    Read {
        /// Number of games with a result.
        games: usize,
        /// Number of skipped games without a result.
        unfinished: usize,
    },
    /// The positions have been selected and split.
    Picked {
        /// Number of training positions.
        positions: usize,
        /// Number of validation positions.
        validation: usize,
    },
    /// The scale has been fitted.
    Scaled {
        /// Scale of the logistic curve. Units: centipawns.
        scale: f64,
        /// Validation loss before the fit.
        validation_loss: f64,
    },
    /// An epoch has finished.
    Epoch(Epoch),
}

/// The record of one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// Number of the epoch, from 1.
    pub epoch: u32,
    /// Maximum number of epochs.
    pub epochs: u32,
    /// Mean training loss during the epoch.
    pub training_loss: f64,
    /// Validation loss after the epoch.
    pub validation_loss: f64,
    /// Whether the validation loss is the lowest so far.
    pub is_best: bool,
    /// Time since the start of the fit.
    #[serde(skip)]
    pub elapsed: Duration,
}
