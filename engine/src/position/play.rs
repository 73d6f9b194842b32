//! Playing moves: from a position and a legal move to the next position.
//!
//! The functions update everything besides the placement: castling rights, en passant square,
//! counters, and the checkers and pins of the next side to move. Placement and keys are updated by
//! `board`.

use super::{Position, Wing};
use crate::attacks;
use crate::types::{Bitboard, Color, Key, Move, MoveKind, PieceType, Side, Square, by_side};
use crate::zobrist;

impl Position {
    /// Returns the position after a legal move.
    ///
    /// The move must be legal ([`Position::is_legal`]); builds with debug assertions check it.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let start = Position::startpos();
    /// let next = start.after(start.parse_uci("e2e4")?);
    /// assert_eq!(next.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// assert_eq!(start, Position::startpos(), "moves are never undone: the old position stays");
    /// # Ok::<(), stretto::position::MoveTextError>(())
    /// ```
    #[inline]
    pub fn after(&self, mv: Move) -> Self {
        let mut next = *self;
        next.play(mv);
        next
    }

    /// Plays a legal move in place, as [`Position::after`] does in a copy.
    ///
    /// The search plays moves in copies of its own, because the compiler copies the result of
    /// [`Position::after`] once more, and has to wait for what the move has just written.
    #[inline]
    pub(crate) fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} is not legal in {self:?}");
        by_side!(self.side, S => self.make::<S>(mv));
    }

    /// Returns the position after a null move. The side to move must not be in check.
    #[inline]
    pub fn after_null(&self) -> Self {
        debug_assert!(!self.is_check(), "null move while in check in {self:?}");
        let mut next = *self;
        next.halfmove_clock = next.halfmove_clock.saturating_add(1);
        next.reversible_plies = 0;
        by_side!(self.side, S => next.switch_side::<S>());
        next
    }

    /// Returns the key after a legal move without playing it, so that its hash entry can be
    /// prefetched.
    ///
    /// Exact for ordinary moves and captures, except a double step that allows en passant. For
    /// those, promotions, en passant and castling the key is that of some other position.
    #[inline]
    pub fn key_after(&self, mv: Move) -> Key {
        let (from, to) = (mv.from(), mv.to());
        let mut key =
            self.board.key_after_shift(self.side, from, to) ^ self.state_key ^ zobrist::side(Color::Black);
        if self.castling.any() {
            let mut lost = Bitboard::from(from) | Bitboard::from(to);
            if self.board.kind_of_piece_on(from) == PieceType::King {
                lost |= self.side(self.side);
            }
            key ^= zobrist::castling(self.castling & lost);
        }
        if let Some(target) = self.en_passant {
            key ^= zobrist::en_passant(target);
        }
        key
    }

    /// Returns the fifty-move clock after a legal move without playing it.
    #[inline]
    pub fn clock_after(&self, mv: Move) -> u16 {
        let is_pawn = self.board.kind_of_piece_on(mv.from()) == PieceType::Pawn;
        let is_capture = (self.occupied() & Bitboard::from(mv.to())).any() && !mv.is_castling();
        if is_pawn || is_capture { 0 } else { self.halfmove_clock.saturating_add(1) }
    }

    /// Returns the square passed by a legal move if it is a pawn's double step.
    pub fn ep_target_of(&self, mv: Move) -> Option<Square> {
        let (from, to) = (mv.from(), mv.to());
        let is_double =
            self.board.kind_of_piece_on(from) == PieceType::Pawn && from.index().abs_diff(to.index()) == 16;
        is_double.then(|| from.forward(self.side))
    }

    /// Plays a legal move of `S`, the side to move, in place. Callers copy the position first:
    /// returning it by value from here would copy it once more.
    pub(super) fn make<S: Side>(&mut self, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        match mv.kind() {
            MoveKind::Normal => self.play_normal::<S>(from, to),
            MoveKind::Promotion(kind) => self.play_promotion::<S>(from, to, kind),
            MoveKind::EnPassant => self.play_en_passant::<S>(from, to),
            MoveKind::Castling => self.play_castling::<S>(from, to),
        }
        self.switch_side::<S>();
        if matches!(mv.kind(), MoveKind::Normal) {
            self.update_ep_square::<S>(from, to);
        }
    }

    #[inline]
    fn play_normal<S: Side>(&mut self, from: Square, to: Square) {
        let kind = self.board.kind_of_piece_on(from);
        let captured = self.board.clear(S::THEM, to);
        self.board.shift(S::US, kind, from, to);
        self.lose_castling(Bitboard::from(from) | Bitboard::from(to));
        if kind == PieceType::King {
            self.lose_castling(S::BACK_RANK);
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
        self.lose_castling(to.into());
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
        self.lose_castling(S::BACK_RANK);
        self.advance_clock();
    }

    /// Removes the castling rights of rooks on these squares.
    #[inline]
    fn lose_castling(&mut self, squares: Bitboard) {
        let lost = self.castling & squares;
        if lost.any() {
            self.toggle_castling(lost);
        }
    }

    /// Adds or removes the castling rights of these rooks.
    pub(super) fn toggle_castling(&mut self, rooks: Bitboard) {
        self.castling ^= rooks;
        self.state_key ^= zobrist::castling(rooks);
    }

    /// Resets the clocks after an irreversible move.
    #[inline]
    fn reset_clock(&mut self) {
        self.halfmove_clock = 0;
        self.reversible_plies = 0;
    }

    /// Advances the clocks after a reversible move.
    #[inline]
    fn advance_clock(&mut self) {
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible_plies = self.reversible_plies.saturating_add(1);
    }

    /// Passes the turn from `S` to the other side.
    #[inline]
    fn switch_side<S: Side>(&mut self) {
        if let Some(target) = self.en_passant.take() {
            self.state_key ^= zobrist::en_passant(target);
        }
        self.side = S::THEM;
        self.state_key ^= zobrist::side(Color::Black);
        self.fullmove_number = self.fullmove_number.saturating_add(S::US.index() as u16);
        self.compute_checks_and_pins_for::<S::Other>();
    }

    /// Sets the en passant square after a double step of `S` if the other side can capture there.
    #[inline]
    fn update_ep_square<S: Side>(&mut self, from: Square, to: Square) {
        let is_double_step =
            from.index() ^ to.index() == 16 && (self.pieces(PieceType::Pawn) & Bitboard::from(to)).any();
        if is_double_step {
            self.set_en_passant::<S::Other>(from.forward(S::US));
        }
    }

    /// Sets the en passant square if a pawn of `S`, the side to move, can legally capture there.
    pub(super) fn set_en_passant<S: Side>(&mut self, target: Square) {
        let takers = attacks::pawn(S::THEM, target) & self.pieces_of(S::US, PieceType::Pawn);
        if takers.into_iter().any(|from| self.is_en_passant_safe::<S>(from, target)) {
            self.en_passant = Some(target);
            self.state_key ^= zobrist::en_passant(target);
        }
    }

    /// Whether an en passant capture from `from` on `target` leaves the king of `S` out of check.
    ///
    /// Two pawns leave one rank at once, which pins do not cover, so the lines to the king are
    /// computed again.
    pub(super) fn is_en_passant_safe<S: Side>(&self, from: Square, target: Square) -> bool {
        let victim = Bitboard::from(target.forward(S::THEM));
        let occupied = (self.occupied() ^ Bitboard::from(from) ^ victim) | Bitboard::from(target);
        let attackers = self.attackers_to(self.king(S::US), occupied) & self.side(S::THEM) & !victim;
        attackers.is_empty()
    }

    /// Computes the checkers of the king of `S`, the side to move, and the pinned pieces of `S`.
    ///
    /// Rays from the king are blocked by enemies only. If a ray ends at an enemy slider, the number
    /// of own pieces on it decides: none means check, one means a pin.
    #[inline]
    pub(super) fn compute_checks_and_pins_for<S: Side>(&mut self) {
        let king = self.king(S::US);
        let (us, them) = (self.side(S::US), self.side(S::THEM));
        let mut checkers = (attacks::knight(king) & self.pieces(PieceType::Knight)
            | attacks::pawn(S::US, king) & self.pieces(PieceType::Pawn))
            & them;
        let mut pinned = Bitboard::EMPTY;
        let snipers = (attacks::bishop(king, them) & self.diagonal_sliders()
            | attacks::rook(king, them) & self.orthogonal_sliders())
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

    /// Computes checkers and pins of a position just set up.
    pub(super) fn compute_checks_and_pins(&mut self) {
        by_side!(self.side, S => self.compute_checks_and_pins_for::<S>());
    }

    /// Returns the pieces of the side to move that attack the opponent's king; empty in a valid
    /// position.
    pub(super) fn attackers_of_opponent_king(&self) -> Bitboard {
        let king: Color = !self.side;
        self.attackers_to(self.king(king), self.occupied()) & self.side(self.side)
    }
}
