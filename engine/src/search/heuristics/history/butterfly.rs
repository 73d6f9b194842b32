//! Butterfly history: quiet moves by side, squares, and whether the opponent attacks those squares.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::search::heuristics::entry::FromTo;
use crate::types::{Bitboard, Color, Move};

/// Side to move, whether the origin is attacked, whether the target is attacked: one bit each.
const TABLES: usize = 1 << 3;

/// Shape: `[side, origin attacked, target attacked][from][to]`, the first three as the bits of one
/// index.
#[derive(FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct ButterflyHistory([FromTo; TABLES]);

impl ButterflyHistory {
    #[inline]
    pub(super) fn score(&self, side: Color, threats: Bitboard, mv: Move) -> i32 {
        self.0[table(side, threats, mv)][mv.from().index()][mv.to().index()].get()
    }

    #[inline]
    pub(super) fn add(&self, side: Color, threats: Bitboard, mv: Move, bonus: i32, limit: i32) {
        self.0[table(side, threats, mv)][mv.from().index()][mv.to().index()].update(bonus, limit);
    }
}

/// Returns the table of a move. Range: below [`TABLES`].
#[inline]
fn table(side: Color, threats: Bitboard, mv: Move) -> usize {
    side.index() << 2 | usize::from(threats.has(mv.from())) << 1 | usize::from(threats.has(mv.to()))
}
