//! Attacks by pieces of less value than the one attacked.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, PieceType};

/// The squares on which a piece of the side to move is attacked by one of less value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LesserAttacks {
    /// For knights and bishops: attacked by pawns.
    minor: Bitboard,
    /// For rooks: attacked by pawns, knights or bishops.
    rook: Bitboard,
    /// For queens: attacked by pawns, knights, bishops or rooks.
    queen: Bitboard,
}

impl LesserAttacks {
    /// Computes the attacks of the side not to move.
    pub fn of(position: &Position) -> Self {
        let opponent = !position.side_to_move();
        let them = position.side(opponent);
        let occupied = position.occupied();
        let by = |kind, reach: &dyn Fn(_) -> Bitboard| {
            (position.pieces(kind) & them).into_iter().fold(Bitboard::EMPTY, |all, from| all | reach(from))
        };
        let minor = by(PieceType::Pawn, &|from| attacks::pawn(opponent, from));
        let rook = minor
            | by(PieceType::Knight, &attacks::knight)
            | by(PieceType::Bishop, &|from| attacks::bishop(from, occupied));
        let queen = rook | by(PieceType::Rook, &|from| attacks::rook(from, occupied));
        Self { minor, rook, queen }
    }

    /// Returns the squares on which a piece of this kind is attacked by one of less value. Empty for
    /// pawns and kings.
    #[inline]
    pub fn on(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Knight | PieceType::Bishop => self.minor,
            PieceType::Rook => self.rook,
            PieceType::Queen => self.queen,
            PieceType::Pawn | PieceType::King => Bitboard::EMPTY,
        }
    }
}
