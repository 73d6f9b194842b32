//! Pawn history: quiet moves by pawn structure, which changes slowly.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::position::Position;
use crate::search::heuristics::entry::Entry;
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};

/// The size of the table; pawn structures share rows by key.
const ROWS: usize = 512;

/// The row of a pawn structure.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnRow(u16);

impl PawnRow {
    #[inline]
    pub(super) fn of(position: &Position) -> Self {
        Self((position.pawn_key().0 % ROWS as u64) as u16)
    }
}

/// Shape: `[pawn structure][piece and target]`.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct PawnHistory([[Entry; PIECE_TO]; ROWS]);

impl PawnHistory {
    /// Returns the entries of all moves with this pawn structure, by [`PieceTo::move_index`].
    #[inline]
    pub(super) fn row(&self, pawns: PawnRow) -> &[Entry; PIECE_TO] {
        &self.0[usize::from(pawns.0)]
    }

    #[inline]
    pub(super) fn add(&self, pawns: PawnRow, piece_to: PieceTo, bonus: i32, limit: i32) {
        self.0[usize::from(pawns.0)][piece_to.move_index()].update(bonus, limit);
    }
}
