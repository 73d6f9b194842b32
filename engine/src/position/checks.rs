//! Which quiet moves give check, for those who ask it of many moves of one position.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, Move, MoveKind, PieceType, Square};

/// What a quiet move must do to give check: land where its piece attacks the king, or step out of a line to him.
pub struct QuietChecks {
    king: Square,
    /// By kind of piece: where it attacks the king.
    landings: [Bitboard; PieceType::ALL.len()],
    /// Pieces that stand alone between a slider of their own and the king.
    shields: Bitboard,
}

impl QuietChecks {
    /// For the side to move.
    pub fn of(position: &Position) -> Self {
        let side = position.side_to_move();
        let (us, them, king) = (position.side(side), position.side(!side), position.king(!side));
        let (diagonals, straights) = (position.diagonal_sliders() & us, position.straight_sliders() & us);
        let occupied = position.occupied();
        let (diagonal, straight) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
        let landings = PieceType::ALL.map(|kind| match kind {
            PieceType::Pawn => attacks::pawn(!side, king),
            PieceType::Knight => attacks::knight(king),
            PieceType::Bishop => diagonal,
            PieceType::Rook => straight,
            PieceType::Queen => diagonal | straight,
            PieceType::King => Bitboard::EMPTY,
        });
        let snipers = attacks::bishop(king, them) & diagonals | attacks::rook(king, them) & straights;
        let alone = |sniper| Some(attacks::between(king, sniper) & us).filter(|between| !between.has_many());
        let shields = snipers.into_iter().filter_map(alone).fold(Bitboard::EMPTY, |all, one| all | one);
        Self { king, landings, shields }
    }

    /// Does a legal quiet move of the same position give check?
    #[inline]
    pub fn has(&self, position: &Position, mv: Move) -> bool {
        if mv.kind() == MoveKind::Castling {
            return position.gives_check(mv);
        }
        let (from, to) = (mv.from(), mv.to());
        self.landings[position.moved(mv).index()].has(to)
            || self.shields.has(from) && !attacks::line(self.king, from).has(to)
    }
}
