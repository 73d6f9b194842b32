//! Continuation history: quiet moves by an earlier move.
//!
//! With `SplitContinuation` there are four tables, by whether the earlier move evaded a check and
//! whether it was a capture.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::search::heuristics::entry::Entry;
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};
use crate::search::switches::{Toggles, on};

/// The rows of one table: all earlier moves, and [`PieceTo::NONE`].
const ROWS: usize = PIECE_TO + 1;

/// The rows of the split table.
pub(super) const SPLIT_ROWS: usize = 4 * ROWS;

/// The entries of all moves after one earlier move, by [`PieceTo::move_index`].
pub(super) type Row = [Entry; PIECE_TO];

/// An earlier move as the continuation history sees it: the row that it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EarlierMove(u16);

impl EarlierMove {
    /// No move.
    pub(crate) const NONE: Self = Self(PIECE_TO as u16);

    /// Returns the row of a move. Its class counts only with `SplitContinuation`.
    #[inline]
    pub(crate) fn of(toggles: impl Toggles, piece_to: PieceTo, is_evasion: bool, is_capture: bool) -> Self {
        let row = piece_to.index() as u16;
        if !on!(toggles, SplitContinuation) || piece_to == PieceTo::NONE {
            return Self(row);
        }
        Self(row + ROWS as u16 * (u16::from(is_evasion) << 1 | u16::from(is_capture)))
    }
}

/// The table in play. Shape: `[earlier][later]`.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct ContinuationHistory([Row; ROWS]);

/// The continuation histories of one set.
#[derive(Clone, Copy)]
pub(super) struct Continuations<'a> {
    pub(super) whole: &'a ContinuationHistory,
    /// Used instead with `SplitContinuation`; otherwise empty. Shape: `[class, earlier][later]`, the
    /// first two as one index.
    pub(super) split: &'a [Row],
}

impl<'a> Continuations<'a> {
    /// Returns the entries of all moves after `earlier`.
    #[inline]
    pub(super) fn row(self, toggles: impl Toggles, earlier: EarlierMove) -> &'a Row {
        let index = usize::from(earlier.0);
        if on!(toggles, SplitContinuation) {
            // Without memory for the split table the class does not count.
            return self.split.get(index).unwrap_or(&self.whole.0[index % ROWS]);
        }
        &self.whole.0[index]
    }

    /// Adds a bonus, unless there was no earlier move.
    #[inline]
    pub(super) fn add(
        self,
        toggles: impl Toggles,
        earlier: EarlierMove,
        later: PieceTo,
        bonus: i32,
        limit: i32,
    ) {
        if earlier != EarlierMove::NONE {
            self.row(toggles, earlier)[later.move_index()].update(bonus, limit);
        }
    }
}
