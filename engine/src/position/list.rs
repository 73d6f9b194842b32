//! Moves in an array on the stack.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::types::{Move, Square};

/// A list of moves with room for those of any position.
///
/// Range: up to [`MoveList::CAPACITY`] moves. No position known from a game has more than 218 (N. Petrović, 1964), but
/// a FEN may hold fifteen queens. On a line of `n` squares, `k` sliders have at most `n - 1` moves if one, and
/// `2 (n - k)` if more, since each other square is reached from two sides at most. Summed over ranks, files and
/// diagonals, fifteen sliders placed at best have at most 310 (a test adds them up), any other piece less than a
/// slider would add, and the king 8 and 2.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Move; Self::CAPACITY],
}

impl MoveList {
    /// The most moves a list holds.
    pub const CAPACITY: usize = 320;

    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        let filler = Move::normal(Square::from_index(0), Square::from_index(1));
        Self { len: 0, moves: [filler; Self::CAPACITY] }
    }

    /// Appends a move.
    ///
    /// # Panics
    /// When the list is full, which no accepted position can bring about.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.moves[self.len] = mv;
        self.len += 1;
    }

    /// The moves as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves[..self.len]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = std::iter::Take<std::array::IntoIter<Move, { Self::CAPACITY }>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(self.len)
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most moves `sliders` can have along lines of these lengths, one orientation of the four.
    fn most(lengths: impl Iterator<Item = i32>, sliders: usize) -> i32 {
        // What the first and the second slider on a line add; a third only takes away.
        let mut gains: Vec<i32> = lengths.flat_map(|n| [n - 1, 2 * (n - 2) - (n - 1)]).collect();
        gains.sort_unstable_by(|a, b| b.cmp(a));
        gains.into_iter().take(sliders).filter(|&gain| gain > 0).sum()
    }

    #[test]
    fn no_sixteen_pieces_overflow_a_list() {
        let diagonals = || (1..=8).chain(1..8);
        let bound = |sliders| 2 * most([8; 8].into_iter(), sliders) + 2 * most(diagonals(), sliders);
        assert!(bound(15) + 8 + 2 <= MoveList::CAPACITY as i32, "{}", bound(15));
        // A pawn has at most twelve moves, three targets with four promotions each, a knight eight.
        for sliders in 0..15 {
            assert!(bound(sliders + 1) - bound(sliders) >= 12, "{sliders}");
        }
    }
}
