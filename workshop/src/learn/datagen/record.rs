//! The journal record of a batch, and the sums of batches.

use serde::{Deserialize, Serialize};

use stretto_harness::run::{Entry, check_version};

/// The format of the journal.
pub(super) const BATCH_VERSION: u32 = 1;

/// The journal record of a finished batch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// Hash (BLAKE3) of its part of the file of games. Earlier versions wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Entry for BatchRecord {
    fn number(&self) -> u64 {
        self.batch
    }

    fn check(&self) -> Result<(), String> {
        check_version(self.v, BATCH_VERSION)
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
