//! Fast detection of moves that give check, for many moves of one position.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, Move, MoveKind, PieceType, Square};

/// Precomputed conditions for a move to give check: direct checks by target square, discovered ones
/// by origin.
pub struct CheckSquares {
    king: Square,
    /// By piece type: the squares from which it attacks the king.
    direct: [Bitboard; PieceType::ALL.len()],
    /// Own pieces that are the only piece between an own slider and the enemy king.
    blockers: Bitboard,
}

/// Returns the squares from which a piece of the side to move attacks the enemy king, by its type.
#[inline]
pub fn direct_check_squares(position: &Position) -> [Bitboard; PieceType::ALL.len()] {
    let them = !position.side_to_move();
    let (king, occupied) = (position.king(them), position.occupied());
    let (diagonal, orthogonal) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
    PieceType::ALL.map(|kind| match kind {
        PieceType::Pawn => attacks::pawn(them, king),
        PieceType::Knight => attacks::knight(king),
        PieceType::Bishop => diagonal,
        PieceType::Rook => orthogonal,
        PieceType::Queen => diagonal | orthogonal,
        PieceType::King => Bitboard::EMPTY,
    })
}

impl CheckSquares {
    /// Computes the conditions for the side to move.
    pub fn of(position: &Position) -> Self {
        let side = position.side_to_move();
        let (us, them, king) = (position.side(side), position.side(!side), position.king(!side));
        let (diagonals, orthogonals) = (position.diagonal_sliders() & us, position.orthogonal_sliders() & us);
        let snipers = attacks::bishop(king, them) & diagonals | attacks::rook(king, them) & orthogonals;
        let alone = |sniper| Some(attacks::between(king, sniper) & us).filter(|between| !between.has_many());
        let blockers = snipers.into_iter().filter_map(alone).fold(Bitboard::EMPTY, |all, one| all | one);
        Self { king, direct: direct_check_squares(position), blockers }
    }

    /// Whether a legal move of the same position gives check.
    #[inline]
    pub fn has(&self, position: &Position, mv: Move) -> bool {
        // Castling, en passant and promotions move or change more than one piece.
        if mv.kind() != MoveKind::Normal {
            return position.gives_check(mv);
        }
        let (from, to) = (mv.from(), mv.to());
        self.direct[position.moved(mv).index()].has(to)
            || self.blockers.has(from) && !attacks::line(self.king, from).has(to)
    }
}
