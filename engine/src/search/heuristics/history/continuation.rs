//! Continuation history: quiet moves by an earlier move.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::search::heuristics::entry::Entry;
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};

/// Shape: `[earlier][later]`; the earlier move may be [`PieceTo::NONE`].
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct ContinuationHistory([[Entry; PIECE_TO]; PIECE_TO + 1]);

impl ContinuationHistory {
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
