//! By squares: where the move starts and ends, and whether the opponent attacks either.

use super::Entry;
use crate::memory::{OutOfMemory, boxed};
use crate::search::heuristics::entry::row;
use crate::types::{Bitboard, Color, Move};

/// How well each quiet move did. Shape: `[side, from is attacked, to is attacked][from][to]`, the first three as the
/// bits of one index. Range: `±LIMIT`.
pub(super) struct ButterflyHistory(Box<[FromTo]>);

/// Shape: `[from][to]`.
pub(super) type FromTo = [[Entry; 64]; 64];

/// So many tables with nothing known.
pub(super) fn tables(count: usize) -> Result<Box<[FromTo]>, OutOfMemory> {
    boxed(count, || std::array::from_fn(|_| row()))
}

impl ButterflyHistory {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        tables(8).map(Self)
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().as_flattened_mut().fill_with(Entry::default);
    }

    #[inline]
    pub(super) fn score(&self, side: Color, threats: Bitboard, mv: Move) -> i32 {
        self.0[table(side, threats, mv)][mv.from().index()][mv.to().index()].get()
    }

    #[inline]
    pub(super) fn add(&self, side: Color, threats: Bitboard, mv: Move, bonus: i32) {
        self.0[table(side, threats, mv)][mv.from().index()][mv.to().index()].pull(bonus);
    }
}

/// The table for a move. Range: 0 to 7.
#[inline]
fn table(side: Color, threats: Bitboard, mv: Move) -> usize {
    side.index() * 4 + usize::from(threats.has(mv.from())) * 2 + usize::from(threats.has(mv.to()))
}
