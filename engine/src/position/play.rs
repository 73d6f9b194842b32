//! Playing moves: from a position and a legal move to the position after it.
//!
//! Everything a move touches besides the pieces is settled here: castling rights, en passant, clocks, and the
//! checkers and pins of the side that moves next. Placement and keys follow by themselves (`board`).

use super::{Position, Wing};
use crate::attacks;
use crate::types::{Bitboard, Color, Key, Move, MoveKind, PieceType, Side, Square, by_side};
use crate::zobrist;

impl Position {
    /// The position after a legal move.
    ///
    /// The move must be legal ([`Position::is_legal`]); builds with debug assertions check it.
    #[inline]
    pub fn after(&self, mv: Move) -> Self {
        debug_assert!(self.is_legal(mv), "{mv:?} is not legal in {self:?}");
        let mut next = *self;
        by_side!(self.side, S => next.make::<S>(mv));
        next
    }

    /// The position after passing. The side to move must not be in check.
    #[inline]
    pub fn after_null(&self) -> Self {
        debug_assert!(!self.is_check(), "passing out of check in {self:?}");
        let mut next = *self;
        next.halfmove_clock = next.halfmove_clock.saturating_add(1);
        next.repeatable = 0;
        by_side!(self.side, S => next.hand_over::<S>());
        next
    }

    /// The key of the position after a legal move, before it is played: to fetch its hash entry early.
    ///
    /// Exact for moves and captures of all pieces, except a pawn's double step that can be answered en passant. For
    /// that, promotion, en passant and castling it is a guess and names some other position.
    #[inline]
    pub fn key_after(&self, mv: Move) -> Key {
        let (from, to) = (mv.from(), mv.to());
        let mut lost = Bitboard::from(from) | Bitboard::from(to);
        if self.board.kind_of_piece_on(from) == PieceType::King {
            lost |= self.side(self.side);
        }
        self.board.key_after_shift(from, to)
            ^ zobrist::castling(self.castling & !lost)
            ^ zobrist::side(!self.side)
    }

    /// The fifty-move clock after a legal move, before it is played.
    #[inline]
    pub fn clock_after(&self, mv: Move) -> u16 {
        let is_pawn = self.board.kind_of_piece_on(mv.from()) == PieceType::Pawn;
        let is_capture = (self.occupied() & Bitboard::from(mv.to())).any() && !mv.is_castling();
        if is_pawn || is_capture { 0 } else { self.halfmove_clock.saturating_add(1) }
    }

    /// The square a pawn passes with a legal move, before it is played, if the move is a double step.
    pub fn passed_by(&self, mv: Move) -> Option<Square> {
        let (from, to) = (mv.from(), mv.to());
        let is_double =
            self.board.kind_of_piece_on(from) == PieceType::Pawn && from.index().abs_diff(to.index()) == 16;
        is_double.then(|| from.forward(self.side))
    }

    /// Plays a legal move of `S`, to move, in place. (Callers copy first; a position returned by value from here would be
    /// copied once more.)
    pub(super) fn make<S: Side>(&mut self, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        match mv.kind() {
            MoveKind::Normal => self.play_normal::<S>(from, to),
            MoveKind::Promotion(kind) => self.play_promotion::<S>(from, to, kind),
            MoveKind::EnPassant => self.play_en_passant::<S>(from, to),
            MoveKind::Castling => self.play_castling::<S>(from, to),
        }
        self.hand_over::<S>();
        if matches!(mv.kind(), MoveKind::Normal) {
            self.mark_passed_square::<S>(from, to);
        }
    }

    #[inline]
    fn play_normal<S: Side>(&mut self, from: Square, to: Square) {
        let kind = self.board.kind_of_piece_on(from);
        let captured = self.board.clear(S::THEM, to);
        self.board.shift(S::US, kind, from, to);
        self.castling &= !(Bitboard::from(from) | Bitboard::from(to));
        if kind == PieceType::King {
            self.castling &= !S::BACK_RANK;
        }
        let irreversible = captured || kind == PieceType::Pawn;
        if irreversible {
            self.reset_clock();
        } else {
            self.advance_clock();
        }
    }

    fn play_promotion<S: Side>(&mut self, from: Square, to: Square, kind: PieceType) {
        self.board.clear(S::THEM, to);
        self.board.take(S::US, PieceType::Pawn, from);
        self.board.put(S::US, kind, to);
        self.castling &= !Bitboard::from(to);
        self.reset_clock();
    }

    fn play_en_passant<S: Side>(&mut self, from: Square, to: Square) {
        self.board.take(S::THEM, PieceType::Pawn, to.forward(S::THEM));
        self.board.shift(S::US, PieceType::Pawn, from, to);
        self.reset_clock();
    }

    fn play_castling<S: Side>(&mut self, king: Square, rook: Square) {
        let (king_to, rook_to) = Wing::of(king, rook).destinations(S::US);
        self.board.take(S::US, PieceType::King, king);
        self.board.take(S::US, PieceType::Rook, rook);
        self.board.put(S::US, PieceType::King, king_to);
        self.board.put(S::US, PieceType::Rook, rook_to);
        self.castling &= !S::BACK_RANK;
        self.advance_clock();
    }

    /// A move that cannot be taken back.
    #[inline]
    fn reset_clock(&mut self) {
        self.halfmove_clock = 0;
        self.repeatable = 0;
    }

    /// A move that can.
    #[inline]
    fn advance_clock(&mut self) {
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.repeatable = self.repeatable.saturating_add(1);
    }

    /// Gives the turn from `S` to the other side.
    #[inline]
    fn hand_over<S: Side>(&mut self) {
        self.en_passant = Bitboard::EMPTY;
        self.side = S::THEM;
        self.fullmove_number = self.fullmove_number.saturating_add(S::US.index() as u16);
        self.find_checks_and_pins::<S::Other>();
    }

    /// After a double step of `S`: remembers the passed square if the other side may take there.
    #[inline]
    fn mark_passed_square<S: Side>(&mut self, from: Square, to: Square) {
        let is_double_step =
            from.index() ^ to.index() == 16 && (self.pieces(PieceType::Pawn) & Bitboard::from(to)).any();
        if is_double_step {
            self.set_en_passant::<S::Other>(from.forward(S::US));
        }
    }

    /// Sets the en passant square if `S`, to move, has a pawn that may legally take there.
    pub(super) fn set_en_passant<S: Side>(&mut self, target: Square) {
        let takers = attacks::pawn(S::THEM, target) & self.pieces_of(S::US, PieceType::Pawn);
        if takers.into_iter().any(|from| self.is_en_passant_safe::<S>(from, target)) {
            self.en_passant = target.into();
        }
    }

    /// Is the king of `S` out of check once its pawn on `from` has taken en passant on `target`?
    ///
    /// Two pawns leave one rank at once, which no pin describes, so the lines to the king are looked at afresh.
    pub(super) fn is_en_passant_safe<S: Side>(&self, from: Square, target: Square) -> bool {
        let victim = Bitboard::from(target.forward(S::THEM));
        let occupied = (self.occupied() ^ Bitboard::from(from) ^ victim) | Bitboard::from(target);
        let attackers = self.attackers_to(self.king(S::US), occupied) & self.side(S::THEM) & !victim;
        attackers.is_empty()
    }

    /// Finds what checks the king of `S`, to move, and which of its pieces are pinned.
    ///
    /// Looks from the king along lines that only enemies block: where an enemy slider ends such a line, the
    /// number of own pieces before it says check (none), pin (one) or nothing.
    #[inline]
    pub(super) fn find_checks_and_pins<S: Side>(&mut self) {
        let king = self.king(S::US);
        let (us, them) = (self.side(S::US), self.side(S::THEM));
        let mut checkers = (attacks::knight(king) & self.pieces(PieceType::Knight)
            | attacks::pawn(S::US, king) & self.pieces(PieceType::Pawn))
            & them;
        let mut pinned = Bitboard::EMPTY;
        let snipers = (attacks::bishop(king, them) & self.diagonal_sliders()
            | attacks::rook(king, them) & self.straight_sliders())
            & them;
        for sniper in snipers {
            let shields = attacks::between(king, sniper) & us;
            if shields.is_empty() {
                checkers |= sniper.into();
            } else if !shields.has_many() {
                pinned |= shields;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned;
    }

    /// The same for a position just set up.
    pub(super) fn settle(&mut self) {
        by_side!(self.side, S => self.find_checks_and_pins::<S>());
    }

    /// The pieces of the side to move that attack the other king; none in a valid position.
    pub(super) fn attackers_of_waiting_king(&self) -> Bitboard {
        let king: Color = !self.side;
        self.attackers_to(self.king(king), self.occupied()) & self.side(self.side)
    }
}
