//! Continuation history: quiet moves by an earlier move.

use crate::memory::{OutOfMemory, boxed};
use crate::search::heuristics::entry::{Entry, row};
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};

/// Shape: `[earlier][later]`; the earlier move may be [`PieceTo::NONE`].
pub(super) struct ContinuationHistory(Box<[[Entry; PIECE_TO]]>);

impl ContinuationHistory {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        boxed(PIECE_TO + 1, row).map(Self)
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().fill_with(Entry::default);
    }

    /// Returns the entries of all moves after `earlier`, by [`PieceTo::move_index`].
    #[inline]
    pub(super) fn row(&self, earlier: PieceTo) -> &[Entry; PIECE_TO] {
        &self.0[earlier.index()]
    }

    /// Adds a bonus, unless there was no earlier move.
    #[inline]
    pub(super) fn add(&self, earlier: PieceTo, later: PieceTo, bonus: i32, limit: i32) {
        if earlier != PieceTo::NONE {
            self.0[earlier.index()][later.move_index()].update(bonus, limit);
        }
    }
}
