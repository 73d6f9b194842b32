//! Properties of a single move: legality, captured piece, check.
//!
//! Computed without generating other moves, because the search asks about hash-table moves and
//! killer moves.

use super::generate::castling_path;
use super::{Position, Wing};
use crate::attacks;
use crate::types::{Bitboard, Color, Move, MoveKind, PieceType, Rank, Side, Square, by_side};

impl Position {
    /// Whether the move is among [`Position::legal_moves`]. Correct for every bit pattern.
    pub fn is_legal(&self, mv: Move) -> bool {
        by_side!(self.side, S => self.is_legal_for::<S>(mv))
    }

    fn is_legal_for<S: Side>(&self, mv: Move) -> bool {
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        if from == to || !self.side(S::US).has(from) {
            return false;
        }
        // Unused bits must be zero, or two encodings would stand for one move.
        if Move::new(from, to, kind) != mv {
            return false;
        }
        let piece = self.board.kind_of_piece_on(from);
        match kind {
            MoveKind::Castling => piece == PieceType::King && self.is_castling_legal::<S>(from, to),
            MoveKind::EnPassant => {
                piece == PieceType::Pawn
                    && self.en_passant == Some(to)
                    && attacks::pawn(S::US, from).has(to)
                    && self.is_en_passant_safe::<S>(from, to)
            }
            MoveKind::Promotion(_) => {
                piece == PieceType::Pawn
                    && S::LAST_RANK.has(to)
                    && self.is_piece_move_legal::<S>(piece, from, to)
            }
            MoveKind::Normal => {
                !(piece == PieceType::Pawn && S::LAST_RANK.has(to))
                    && self.is_piece_move_legal::<S>(piece, from, to)
            }
        }
    }

    fn is_piece_move_legal<S: Side>(&self, piece: PieceType, from: Square, to: Square) -> bool {
        let occupied = self.occupied();
        let targets = match piece {
            PieceType::Pawn => self.pawn_targets::<S>(from),
            _ => attacks::of(piece, S::US, from, occupied),
        };
        if !(targets & !self.side(S::US)).has(to) {
            return false;
        }
        let king = self.king(S::US);
        if piece == PieceType::King {
            let without_king = occupied ^ Bitboard::from(king);
            return (self.attackers_to(to, without_king) & self.side(S::THEM)).is_empty();
        }
        let ends_check = match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.has_many() => false,
            Some(checker) => checker == to || attacks::between(king, checker).has(to),
        };
        ends_check && (!self.pinned.has(from) || attacks::line(king, from).has(to))
    }

    /// Returns the targets of pushes and ordinary captures of the pawn of `S` on `from`, ignoring
    /// king safety.
    fn pawn_targets<S: Side>(&self, from: Square) -> Bitboard {
        let empty = !self.occupied();
        let once = Bitboard::from(from).forward(S::US) & empty;
        let twice = (once & S::THIRD_RANK).forward(S::US) & empty;
        once | twice | attacks::pawn(S::US, from) & self.side(S::THEM)
    }

    fn is_castling_legal<S: Side>(&self, king: Square, rook: Square) -> bool {
        if !self.is_check() && (self.castling & S::BACK_RANK).has(rook) {
            let without_king = self.occupied() ^ Bitboard::from(king);
            self.is_castling_path_free::<S>(king, rook)
                && castling_path::<S>(king, rook)
                    .into_iter()
                    .all(|square| (self.attackers_to(square, without_king) & self.side(S::THEM)).is_empty())
        } else {
            false
        }
    }

    /// Whether a legal move is a capture, including en passant.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        mv.is_en_passant() || self.side(!self.side).has(mv.to())
    }

    /// Whether a legal move is a capture or a promotion, as in [`Position::captures`].
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        self.is_capture(mv) || mv.promotion().is_some()
    }

    /// Returns the captured piece type of a legal move: a pawn for en passant, none for castling.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        match mv.kind() {
            MoveKind::EnPassant => Some(PieceType::Pawn),
            MoveKind::Castling => None,
            MoveKind::Normal | MoveKind::Promotion(_) => self.kind_on(mv.to()),
        }
    }

    /// Returns the type of the moving piece, before any promotion; the king for castling.
    #[inline]
    pub fn moved(&self, mv: Move) -> PieceType {
        self.board.kind_of_piece_on(mv.from())
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side;
        let king = self.king(!us);
        let mut occupied = (self.occupied() & !Bitboard::from(from)) | Bitboard::from(to);
        let landed = match mv.kind() {
            MoveKind::Normal => self.board.kind_of_piece_on(from),
            MoveKind::Promotion(kind) => kind,
            MoveKind::EnPassant => {
                occupied &= !Bitboard::from(to.forward(!us));
                PieceType::Pawn
            }
            MoveKind::Castling => return self.castling_gives_check(from, to),
        };
        let is_aimed = match landed {
            PieceType::Pawn => attacks::pawn(us, to).has(king),
            PieceType::Knight => attacks::knight(to).has(king),
            PieceType::King => false,
            PieceType::Bishop => attacks::is_diagonal(to, king),
            PieceType::Rook => attacks::is_orthogonal(to, king),
            PieceType::Queen => attacks::line(to, king).any(),
        };
        // No square lies between a pawn or knight and the squares it attacks.
        let is_direct = is_aimed && (attacks::between(to, king) & occupied).is_empty();
        is_direct || self.uncovers_check(mv, king, occupied)
    }

    /// Whether the move opens a line to `king`; `occupied` is the occupancy after the move.
    #[inline]
    fn uncovers_check(&self, mv: Move, king: Square, occupied: Bitboard) -> bool {
        let from = Bitboard::from(mv.from());
        let sliders = (self.diagonal_sliders() | self.orthogonal_sliders()) & self.side(self.side) & !from;
        // Only lines through a vacated square can open.
        let may_open = (attacks::line(king, mv.from()) & sliders).any() || mv.is_en_passant();
        may_open && self.is_attacked_by_sliders(king, occupied, from)
    }

    fn castling_gives_check(&self, king: Square, rook: Square) -> bool {
        let (king_to, rook_to) = Wing::of(king, rook).destinations(self.side);
        let gone = Bitboard::from(king) | Bitboard::from(rook);
        let occupied = (self.occupied() & !gone) | Bitboard::from(king_to) | Bitboard::from(rook_to);
        let target = self.king(!self.side);
        attacks::rook(rook_to, occupied).has(target) || self.is_attacked_by_sliders(target, occupied, gone)
    }

    /// Whether sliders of the side to move, except those on `moved`, attack a square, given the
    /// `occupied` squares.
    fn is_attacked_by_sliders(&self, target: Square, occupied: Bitboard, moved: Bitboard) -> bool {
        let diagonal = attacks::bishop(target, occupied) & self.diagonal_sliders();
        let orthogonal = attacks::rook(target, occupied) & self.orthogonal_sliders();
        ((diagonal | orthogonal) & self.side(self.side) & !moved).any()
    }

    /// Returns the rank on which a side's pieces start.
    #[inline]
    pub(super) fn back_rank(color: Color) -> Bitboard {
        Bitboard::rank(color.relative_rank(Rank::FIRST))
    }
}
