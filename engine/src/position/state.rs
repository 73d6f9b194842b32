//! A position: the placement of the pieces with everything else that the rules depend on.

use super::board::Board;
use crate::attacks;
use crate::types::{Bitboard, Color, Key, Piece, PieceType, Rank, Square};

/// The side of the king on which a castling rook stands; it determines where both end up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wing {
    /// Towards the h-file: king to g, rook to f.
    King,
    /// Towards the a-file: king to c, rook to d.
    Queen,
}

/// A legal chess position with its move counters. Size: 192 bytes, three cache lines.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct Position {
    pub(super) board: Board,
    /// The rooks that may still castle; at most one on each wing per side.
    pub(super) castling: Bitboard,
    /// The key of castling rights, en passant square and side to move.
    pub(super) state_key: Key,
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove_number: u16,
    /// Plies since the last capture, pawn move or null move; saturates at 255.
    pub(super) reversible_plies: u8,
    /// The square that a pawn has just passed, if it can be captured there legally.
    pub(super) en_passant: Option<Square>,
    pub(super) side: Color,
}

impl Position {
    /// Returns the side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// Returns the squares of all pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// Returns the squares of the pieces of a type, of both sides.
    #[inline]
    pub fn pieces(&self, kind: PieceType) -> Bitboard {
        self.board.kind(kind)
    }

    /// Returns the squares of the pieces of a side.
    #[inline]
    pub fn side(&self, color: Color) -> Bitboard {
        self.board.side(color)
    }

    /// Returns the squares of the pieces of a side and type.
    #[inline]
    pub fn pieces_of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.board.side(color) & self.board.kind(kind)
    }

    /// Returns the piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board.piece_on(square)
    }

    /// Returns the type of the piece on a square.
    #[inline]
    pub fn kind_on(&self, square: Square) -> Option<PieceType> {
        self.board.kind_on(square)
    }

    /// Returns the squares whose content differs from that of another position.
    #[inline]
    pub fn changed_squares(&self, other: &Self) -> Bitboard {
        self.board.changed_squares(&other.board)
    }

    /// Returns the square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // A king always exists; `from_index` masks the value 64 that an empty set would give.
        Square::from_index(self.pieces_of(color, PieceType::King).0.trailing_zeros() as usize)
    }

    /// Returns the pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1")?;
    /// assert!(position.is_check());
    /// assert_eq!(position.checkers().count(), 1);
    /// # Ok::<(), stretto::position::FenError>(())
    /// ```
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// Returns the pieces of the side to move that are the only piece between their king and an
    /// enemy slider.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Returns the Zobrist key of the pieces, side to move, castling rights and legal en passant
    /// square.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let play = |moves: [&str; 4]| {
    ///     moves.iter().try_fold(Position::startpos(), |now, mv| Ok(now.after(now.parse_san(mv)?)))
    /// };
    /// let (one, other) = (play(["Nf3", "d5", "g3", "Nf6"])?, play(["g3", "Nf6", "Nf3", "d5"])?);
    /// assert_eq!(one.key(), other.key(), "a transposition");
    /// assert_ne!(one.key(), one.after_null().key(), "the side to move counts");
    /// # Ok::<(), stretto::position::MoveTextError>(())
    /// ```
    #[inline]
    pub fn key(&self) -> Key {
        self.board.key() ^ self.state_key
    }

    /// Returns the Zobrist key of the pawns of both sides.
    #[inline]
    pub fn pawn_key(&self) -> Key {
        self.board.pawn_key()
    }

    /// Returns the Zobrist key of a side's pieces, including the king, without the pawns.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> Key {
        self.board.non_pawn_key(color)
    }

    /// Returns the plies since the last capture or pawn move. Units: plies.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Returns the plies since the last capture, pawn move or null move: the range in which
    /// repetitions are possible.
    ///
    /// A null move does not reset the fifty-move clock, but no position repeats across it. Units:
    /// plies, at most 255.
    #[inline]
    pub fn reversible_plies(&self) -> u8 {
        self.reversible_plies
    }

    /// Returns the number of the move about to be played, from 1; it increases after Black's move.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// Returns the en passant square, if a capture there is legal.
    #[inline]
    pub fn ep_square(&self) -> Option<Square> {
        self.en_passant
    }

    /// Returns the rooks of both sides that may still castle.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// Returns the rook of a side that may still castle on a wing.
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        let king = self.king(color);
        let back = Bitboard::rank(color.relative_rank(Rank::FIRST));
        (self.castling & back).into_iter().find(|&rook| Wing::of(king, rook) == wing)
    }

    /// Whether a side has a piece besides king and pawns.
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        let plain = self.pieces(PieceType::Pawn) | self.pieces(PieceType::King);
        (self.side(color) & !plain).any()
    }

    /// Whether the material allows no checkmate by any sequence of moves. True for bare kings, for
    /// one knight as the only other piece, and for any bishops that all stand on squares of one
    /// color.
    pub fn is_dead_material(&self) -> bool {
        let kings = self.pieces(PieceType::King);
        let knights = self.pieces(PieceType::Knight);
        let bishops = self.pieces(PieceType::Bishop);
        if self.occupied() != (kings | knights | bishops) {
            return false;
        }
        match knights.count() {
            0 => (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty(),
            1 => bishops.is_empty(),
            _ => false,
        }
    }

    /// Returns the pieces of both sides that attack a square, given the `occupied` squares.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let pawns = (attacks::pawn(Color::Black, square) & self.side(Color::White))
            | (attacks::pawn(Color::White, square) & self.side(Color::Black));
        (pawns & self.pieces(PieceType::Pawn))
            | (attacks::knight(square) & self.pieces(PieceType::Knight))
            | (attacks::king(square) & self.pieces(PieceType::King))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.orthogonal_sliders())
    }

    /// Returns the bishops and queens of both sides.
    #[inline]
    pub(super) fn diagonal_sliders(&self) -> Bitboard {
        self.pieces(PieceType::Bishop) | self.pieces(PieceType::Queen)
    }

    /// Returns the rooks and queens of both sides.
    #[inline]
    pub(super) fn orthogonal_sliders(&self) -> Bitboard {
        self.pieces(PieceType::Rook) | self.pieces(PieceType::Queen)
    }
}

impl Wing {
    /// Returns the wing of a rook relative to its king.
    #[inline]
    pub(crate) const fn of(king: Square, rook: Square) -> Self {
        if rook.index() > king.index() { Self::King } else { Self::Queen }
    }

    /// Returns the squares of king and rook of `color` after castling.
    #[inline]
    pub(crate) const fn destinations(self, color: Color) -> (Square, Square) {
        let (king, rook) = match self {
            Self::King => (6, 5),
            Self::Queen => (2, 3),
        };
        (Square::from_index(king).relative_to(color), Square::from_index(rook).relative_to(color))
    }
}
