//! By the moves before: a reply to this, a follow-up to that.

use super::Entry;
use crate::memory::{OutOfMemory, boxed};
use crate::position::Position;
use crate::search::heuristics::entry::row;
use crate::types::{Move, Piece};

/// Pairs of a piece and a square.
pub(crate) const LANDINGS: usize = Piece::COUNT * 64;

/// A piece and the square it went to: all a continuation remembers of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Landing(u16);

impl Landing {
    /// No move: before the root, or passing.
    pub(crate) const NONE: Self = Self(LANDINGS as u16);

    /// Where a legal move brings its piece. Castling brings the king to its rook.
    #[inline]
    pub(crate) fn of(position: &Position, mv: Move) -> Self {
        let piece = position.side_to_move().index() * 6 + position.moved(mv).index();
        Self((piece * 64 + mv.to().index()) as u16)
    }

    /// Range: 0 to [`LANDINGS`], the last being [`Self::NONE`].
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0.into()
    }
}

/// How well a move did after another. Shape: `[earlier][later]`, the earlier one may be none. Range: `±LIMIT`.
pub(super) struct ContinuationHistory(Box<[[Entry; LANDINGS]]>);

impl ContinuationHistory {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        boxed(LANDINGS + 1, row).map(Self)
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().fill_with(Entry::default);
    }

    #[inline]
    pub(super) fn score(&self, earlier: Landing, later: Landing) -> i32 {
        self.0[earlier.index()][later.index()].get()
    }

    /// Nothing is learned where there was no earlier move.
    #[inline]
    pub(super) fn add(&self, earlier: Landing, later: Landing, bonus: i32) {
        if earlier != Landing::NONE {
            self.0[earlier.index()][later.index()].pull(bonus);
        }
    }
}
