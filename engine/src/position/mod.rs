//! The rules of chess: positions, their legal moves, and how both are written.
//!
//! A [`Position`] is a value: playing a move gives another one (copy-make), so nothing is ever taken back. Standard
//! chess, Chess960 and double Chess960 are one game here; castling is always the king taking its own rook, and
//! only the text of a move knows the difference. Every position this module hands out is valid (one king a side, the
//! side that moved not in check), because only `fen` and legal moves make them. It must not know how moves are
//! searched or valued; `search`, `eval` and `uci` are its callers.

mod board;
mod checks;
mod cycle;
mod fen;
mod game;
mod generate;
mod legality;
mod list;
mod perft;
mod play;
mod san;
mod see;
mod start;
mod text;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;

pub use checks::QuietChecks;
pub use fen::{FenDialect, FenError};
pub use game::Game;
pub use list::{MAX_MOVES, MoveList};
pub use perft::{divide, perft};
pub use see::see_value;
pub use text::MoveTextError;

use std::fmt;

use crate::attacks;
use crate::types::{Bitboard, Color, Key, Piece, PieceType, Rank, Square};
use crate::zobrist;
use board::Board;

/// Which side of the king a castling rook stands on, and so where both end up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wing {
    /// Towards the h-file: king to g, rook to f.
    King,
    /// Towards the a-file: king to c, rook to d.
    Queen,
}

/// A legal chess position with its clocks. Size: 192 bytes, three cache lines.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct Position {
    board: Board,
    /// The rooks castling rights rest on; at most one on each wing of each side.
    castling: Bitboard,
    /// The square a pawn just passed, if taking it there is legal; otherwise empty.
    en_passant: Bitboard,
    checkers: Bitboard,
    pinned: Bitboard,
    halfmove_clock: u16,
    fullmove_number: u16,
    /// Plies since the last capture, pawn move or pass; 255 and more read 255.
    repeatable: u8,
    side: Color,
}

impl Position {
    /// Whose turn it is.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// The pieces of a kind, of both sides.
    #[inline]
    pub fn pieces(&self, kind: PieceType) -> Bitboard {
        self.board.kind(kind)
    }

    /// The pieces of a side.
    #[inline]
    pub fn side(&self, color: Color) -> Bitboard {
        self.board.side(color)
    }

    /// The pieces of a side and kind.
    #[inline]
    pub fn pieces_of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.board.side(color) & self.board.kind(kind)
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board.piece_on(square)
    }

    /// The kind of the piece on a square.
    #[inline]
    pub fn kind_on(&self, square: Square) -> Option<PieceType> {
        self.board.kind_on(square)
    }

    /// The squares that do not hold the same piece, or nothing, in another position.
    #[inline]
    pub fn differs_on(&self, other: &Self) -> Bitboard {
        self.board.differs_on(&other.board)
    }

    /// Where a side's king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // There is always one; the mask of `from_index` keeps the unreachable zero out of the way.
        Square::from_index(self.pieces_of(color, PieceType::King).0.trailing_zeros() as usize)
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Is the side to move in check?
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that stand alone between their king and an enemy slider.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The key of all that makes two positions the same: pieces, side, castling rights, en passant where legal.
    #[inline]
    pub fn key(&self) -> Key {
        self.board.key() ^ self.state_key()
    }

    /// The key of the pawns of both sides.
    #[inline]
    pub fn pawn_key(&self) -> Key {
        self.board.pawn_key()
    }

    /// The key of a side's pieces, its pawns left out, its king counted.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> Key {
        self.board.non_pawn_key(color)
    }

    #[inline]
    fn state_key(&self) -> Key {
        let passed = self.en_passant.first().map_or(Key(0), zobrist::en_passant);
        zobrist::castling(self.castling) ^ zobrist::side(self.side) ^ passed
    }

    /// Plies since the last capture or pawn move. Units: plies.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// How far back a position can lie that may come again: to the last capture, pawn move or pass. A pass, which
    /// only the search makes, does not reset the clock, but nothing is repeated across it. Units: plies, at most 255.
    #[inline]
    pub fn repeatable_plies(&self) -> u8 {
        self.repeatable
    }

    /// The number of the move about to be played, from 1; it grows after Black's.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The square a pawn just passed, where taking it en passant is legal.
    #[inline]
    pub fn ep_square(&self) -> Option<Square> {
        self.en_passant.first()
    }

    /// The rooks both sides may still castle with.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The rook a side may still castle with on a wing.
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        let king = self.king(color);
        let back = Bitboard::rank(color.relative_rank(Rank::FIRST));
        (self.castling & back).into_iter().find(|&rook| Wing::of(king, rook) == wing)
    }

    /// Does a side have a piece besides king and pawns?
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        let plain = self.pieces(PieceType::Pawn) | self.pieces(PieceType::King);
        (self.side(color) & !plain).any()
    }

    /// Can neither side mate by any sequence of moves, whatever the squares? True with bare kings, with one knight
    /// besides, and with bishops alone that all stand on one colour.
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

    /// The pieces of both sides that attack a square when `occupied` is taken.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let pawns = (attacks::pawn(Color::Black, square) & self.side(Color::White))
            | (attacks::pawn(Color::White, square) & self.side(Color::Black));
        (pawns & self.pieces(PieceType::Pawn))
            | (attacks::knight(square) & self.pieces(PieceType::Knight))
            | (attacks::king(square) & self.pieces(PieceType::King))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.straight_sliders())
    }

    /// Bishops and queens of both sides.
    #[inline]
    fn diagonal_sliders(&self) -> Bitboard {
        self.pieces(PieceType::Bishop) | self.pieces(PieceType::Queen)
    }

    /// Rooks and queens of both sides.
    #[inline]
    fn straight_sliders(&self) -> Bitboard {
        self.pieces(PieceType::Rook) | self.pieces(PieceType::Queen)
    }
}

impl Wing {
    /// The wing of a rook as seen from its king.
    #[inline]
    const fn of(king: Square, rook: Square) -> Self {
        if rook.index() > king.index() { Self::King } else { Self::Queen }
    }

    /// Where king and rook of `color` stand after castling.
    #[inline]
    const fn destinations(self, color: Color) -> (Square, Square) {
        let (king, rook) = match self {
            Self::King => (6, 5),
            Self::Queen => (2, 3),
        };
        (Square::from_index(king).relative_to(color), Square::from_index(rook).relative_to(color))
    }
}

impl fmt::Display for Position {
    /// The FEN, standard dialect.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_fen(FenDialect::Standard))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} key {}", self.to_fen(FenDialect::Shredder), self.key())
    }
}
