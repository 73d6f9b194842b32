//! A piece and its target square, the part of a move that several histories are indexed by.

use crate::position::Position;
use crate::types::{Move, Piece, PieceType, Square};

/// The number of pairs of a piece and a target square.
pub(crate) const PIECE_TO: usize = Piece::COUNT * Square::COUNT;

/// A piece and the square it moved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// No move: before the root, or a null move.
    pub(crate) const NONE: Self = Self(PIECE_TO as u16);

    /// Returns the piece and target square of a legal move. The target of castling is the rook's
    /// square.
    #[inline]
    pub(crate) fn of(position: &Position, mv: Move) -> Self {
        let piece = position.side_to_move().index() * PieceType::ALL.len() + position.moved(mv).index();
        Self((piece * Square::COUNT + mv.to().index()) as u16)
    }

    /// Returns the index. Range: 0 to [`PIECE_TO`], the last for [`Self::NONE`].
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0.into()
    }

    /// Returns the index of an actual move. The limit saves the bounds checks of the tables.
    /// Range: below [`PIECE_TO`].
    #[inline]
    pub(crate) fn move_index(self) -> usize {
        self.index().min(PIECE_TO - 1)
    }
}
