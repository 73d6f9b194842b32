//! Generates training games: fast self-play games of the engine in this process, with few nodes per
//! move.
//!
//! A game depends only on its number. The file of games is therefore the same for any number of
//! threads and interruptions. [`DatagenPlay`] makes the games: its tasks are
//! batches of games, which are saved in their order. The line of the
//! journal vouches for the bytes of its batch. The caller is the command line.

mod augment;
pub(crate) mod command;
pub(crate) mod config;
pub(crate) mod files;
mod nodes;
mod openings;
mod play;
mod report;
mod rescore;
mod run;
mod study;
mod view;

use serde::{Deserialize, Serialize};
use stretto::bench::BenchError;
use stretto::eval::network::NetworkError;
use stretto::tt::AllocationError;
use thiserror::Error;

use stretto_harness::run::Entry;

pub(crate) use augment::Augmentation;
pub use config::DatagenConfig;
pub(crate) use config::{DataAdjudication, DataEvaluation};
use openings::StartError;
pub(crate) use report::datagen_report;
pub(crate) use rescore::{RescoreError, rescore};
pub(crate) use run::DatagenPlay;
pub(crate) use study::DatagenStudy;

/// The format of the journal.
const BATCH_VERSION: u32 = 1;

/// The reason why data generation failed.
#[derive(Debug, Error)]
pub(crate) enum DatagenError {
    /// The network to play with.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A player's hash table does not fit into memory.
    #[error(transparent)]
    Memory(#[from] AllocationError),
    /// The bench that identifies the engine failed.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A start position could not be drawn.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// The journal record of a finished batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BatchRecord {
    pub(super) v: u32,
    /// Number of the batch, from 0.
    pub batch: u64,
    /// Number of its games.
    pub games: u64,
    /// Plies of its games.
    pub plies: u64,
    /// Positions that pass the default filter.
    pub positions: u64,
    /// Number of nodes searched.
    pub nodes: u64,
    /// Games by White's half-points.
    pub results: [u64; 3],
    /// End offset in the file of games. Units: bytes.
    pub end: u64,
}

impl Entry for BatchRecord {
    fn number(&self) -> u64 {
        self.batch
    }

    fn check(&self) -> Result<(), String> {
        if self.v == BATCH_VERSION {
            return Ok(());
        }
        Err(format!("record version {}, expected {BATCH_VERSION}", self.v))
    }
}

/// Sums over the batches so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct DatagenTotals {
    /// Number of finished batches.
    pub batches: u64,
    /// Number of finished games.
    pub games: u64,
    /// Plies of the games.
    pub plies: u64,
    /// Positions that pass the default filter.
    pub positions: u64,
    /// Number of nodes searched.
    pub nodes: u64,
    /// Games by White's half-points.
    pub results: [u64; 3],
    /// Size of the file of games. Units: bytes.
    pub bytes: u64,
}

impl DatagenTotals {
    pub(super) fn add(&mut self, record: &BatchRecord) {
        self.batches += 1;
        self.games += record.games;
        self.plies += record.plies;
        self.positions += record.positions;
        self.nodes += record.nodes;
        for (sum, count) in self.results.iter_mut().zip(record.results) {
            *sum += count;
        }
        self.bytes = record.end;
    }
}
