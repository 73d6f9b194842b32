//! Pawn history: quiet moves by pawn structure, which changes slowly.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::position::Position;
use crate::search::heuristics::entry::Entry;
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};

/// The rows for each thread that uses the table; pawn structures share rows by key. A power of two.
pub(super) const ROWS: usize = 512;

/// The part of the key of a pawn structure that selects its row.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnRow(u32);

impl PawnRow {
    #[inline]
    pub(super) fn of(position: &Position) -> Self {
        Self(position.pawn_key().0 as u32)
    }
}

/// The entries of all moves with one pawn structure, by [`PieceTo::move_index`].
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct PawnEntries([Entry; PIECE_TO]);

/// Shape: `[pawn structure][piece and target]`; the number of rows is a power of two.
#[derive(Clone, Copy)]
pub(super) struct PawnHistory<'a>(pub(super) &'a [PawnEntries]);

impl<'a> PawnHistory<'a> {
    /// Returns the entries of all moves with this pawn structure, by [`PieceTo::move_index`].
    #[inline]
    pub(super) fn row(self, pawns: PawnRow) -> &'a [Entry; PIECE_TO] {
        &self.0[pawns.0 as usize & (self.0.len() - 1)].0
    }

    #[inline]
    pub(super) fn add(self, pawns: PawnRow, piece_to: PieceTo, bonus: i32, limit: i32) {
        self.row(pawns)[piece_to.move_index()].update(bonus, limit);
    }
}
