//! Moves in an array on the stack.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::types::{Move, Square};

/// A list of moves with room for every legal position.
///
/// Range: up to [`MoveList::CAPACITY`] moves. No position of a game has more than 218, and `from_fen` accepts no
/// other material than a game can have, unless it moves too little to come near the limit.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Move; Self::CAPACITY],
}

impl MoveList {
    /// The most moves a list holds.
    pub const CAPACITY: usize = 256;

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
