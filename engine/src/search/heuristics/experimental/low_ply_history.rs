//! Low-ply history: quiet moves by distance from the root.
//!
//! Bet: the same few nodes near the root are searched in every iteration, so their own results
//! order them best.
//! Preconditions: a ply below [`PLIES`].
//! Soundness: ordering only.
//! Knobs: `LowPlyWeight`.
//! Source: Stockfish.
//! Evidence: `results/history.md`, "One switch at a time"; `results/ablation.md`.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::search::heuristics::entry::{Entry, FromTo};
use crate::types::{Move, Ply};

/// The number of plies that have a table.
const PLIES: usize = 5;

/// The histories of the plies next to the root. Shape: `[ply][from][to]`.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(crate) struct LowPlyHistory([FromTo; PLIES]);

impl LowPlyHistory {
    /// Clears the table while other workers may read it.
    pub(crate) fn start_search(&self) {
        self.0.as_flattened().as_flattened().iter().for_each(Entry::clear);
    }

    /// Returns the history at this ply, which weighs less the farther it is from the root.
    #[inline]
    pub(crate) fn score(&self, ply: Ply, mv: Move) -> i32 {
        self.0
            .get(ply.index())
            .map_or(0, |table| table[mv.from().index()][mv.to().index()].get() / (1 + i32::from(ply.0)))
    }

    #[inline]
    pub(crate) fn add(&self, ply: Ply, mv: Move, bonus: i32, limit: i32) {
        if let Some(table) = self.0.get(ply.index()) {
            table[mv.from().index()][mv.to().index()].update(bonus, limit);
        }
    }
}
