//! Capture history: captures and promotions by piece, target square and victim.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::position::Position;
use crate::search::heuristics::entry::Entry;
use crate::search::heuristics::piece_to::{PIECE_TO, PieceTo};
use crate::types::{Move, PieceType};

/// The victims, and none for a promotion without a capture.
const VICTIMS: usize = PieceType::ALL.len() + 1;

/// Shape: `[piece and target][victim]`.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct CaptureHistory([[Entry; VICTIMS]; PIECE_TO]);

impl CaptureHistory {
    #[inline]
    pub(super) fn score(&self, position: &Position, mv: Move) -> i32 {
        self.0[PieceTo::of(position, mv).index()][victim(position, mv)].get()
    }

    #[inline]
    pub(super) fn add(&self, position: &Position, mv: Move, bonus: i32, limit: i32) {
        self.0[PieceTo::of(position, mv).index()][victim(position, mv)].update(bonus, limit);
    }
}

#[inline]
fn victim(position: &Position, mv: Move) -> usize {
    position.captured(mv).map_or(VICTIMS - 1, PieceType::index)
}
