//! By squares: where the move starts and ends, and whether the opponent attacks either.

use super::Entry;
use crate::search::heuristics::entry::row;
use crate::types::{Bitboard, Color, Move};

/// How well each quiet move did. Shape: `[side, from is attacked, to is attacked][from][to]`, the first three as the
/// bits of one index. Range: `±LIMIT`.
pub(super) struct ButterflyHistory(Box<[FromTo]>);

/// Shape: `[from][to]`.
pub(super) type FromTo = [[Entry; 64]; 64];

/// So many tables with nothing known.
pub(super) fn tables(count: usize) -> Box<[FromTo]> {
    (0..count).map(|_| std::array::from_fn(|_| row())).collect()
}

impl ButterflyHistory {
    pub(super) fn new() -> Self {
        Self(tables(8))
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
