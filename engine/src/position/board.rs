//! Placement: which piece stands where, three ways at once, and the keys that follow from it.
//!
//! Bitboards, a square-by-square array and the keys describe the same placement, so nothing outside this file
//! can touch one of them alone: the fields are private and every mutator updates all three. It knows no rules.

use crate::types::{Bitboard, Color, Key, Piece, PieceType, Square};
use crate::zobrist;

/// What a square holds in four bits: kind, plus 8 for Black; [`EMPTY`] for nothing.
type Code = u8;

const EMPTY: Code = 7;
const WHITE: usize = 6;

/// The class of pieces a placement key covers.
const PAWNS: usize = 0;

#[inline]
const fn code(color: Color, kind: PieceType) -> Code {
    (color.index() * 8 + kind.index()) as Code
}

/// Pieces on squares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Board {
    /// Shape: six kinds, then White and Black. Eight, so that an index in three bits needs no check.
    sets: [Bitboard; 8],
    squares: [Code; 64],
    /// Keys of all pawns, of White's other pieces, of Black's other pieces.
    keys: [Key; 3],
}

impl Board {
    pub(super) const EMPTY: Self =
        Self { sets: [Bitboard::EMPTY; 8], squares: [EMPTY; 64], keys: [Key(0); 3] };

    #[inline]
    pub(super) fn kind(&self, kind: PieceType) -> Bitboard {
        self.sets[kind.index()]
    }

    #[inline]
    pub(super) fn side(&self, color: Color) -> Bitboard {
        self.sets[WHITE + color.index()]
    }

    #[inline]
    pub(super) fn occupied(&self) -> Bitboard {
        self.sets[WHITE] | self.sets[WHITE + 1]
    }

    #[inline]
    pub(super) fn piece_on(&self, square: Square) -> Option<Piece> {
        let code = self.squares[square.index()];
        let color = if code & 8 == 0 { Color::White } else { Color::Black };
        (code != EMPTY).then(|| Piece::new(color, PieceType::from_index(code as usize)))
    }

    #[inline]
    pub(super) fn kind_on(&self, square: Square) -> Option<PieceType> {
        let code = self.squares[square.index()];
        (code != EMPTY).then(|| PieceType::from_index(code as usize))
    }

    /// The kind of the piece that stands on `square`; some kind or other where none does.
    #[inline]
    pub(super) fn kind_of_piece_on(&self, square: Square) -> PieceType {
        PieceType::from_index(self.squares[square.index()] as usize)
    }

    /// The squares that do not hold the same piece, or nothing, in both.
    #[inline]
    pub(super) fn differs_on(&self, other: &Self) -> Bitboard {
        let sets = self.sets.iter().zip(&other.sets);
        sets.fold(Bitboard::EMPTY, |squares, (&here, &there)| squares | (here ^ there))
    }

    /// The key of pieces and squares, without side, rights or en passant.
    #[inline]
    pub(super) fn key(&self) -> Key {
        self.keys[0] ^ self.keys[1] ^ self.keys[2]
    }

    #[inline]
    pub(super) fn pawn_key(&self) -> Key {
        self.keys[PAWNS]
    }

    #[inline]
    pub(super) fn non_pawn_key(&self, color: Color) -> Key {
        self.keys[1 + color.index()]
    }

    #[inline]
    fn key_class(color: Color, kind: PieceType) -> usize {
        if matches!(kind, PieceType::Pawn) { PAWNS } else { 1 + color.index() }
    }

    /// Puts a piece on an empty square, or takes this piece off.
    #[inline]
    fn toggle(&mut self, color: Color, kind: PieceType, square: Square) {
        let bit = Bitboard::from(square);
        self.sets[kind.index()] ^= bit;
        self.sets[WHITE + color.index()] ^= bit;
        self.keys[Self::key_class(color, kind)] ^= zobrist::piece(code(color, kind), square);
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, color: Color, kind: PieceType, square: Square) {
        debug_assert_eq!(self.squares[square.index()], EMPTY, "{square} is taken");
        self.toggle(color, kind, square);
        self.squares[square.index()] = code(color, kind);
    }

    /// Takes a known piece off its square.
    #[inline]
    pub(super) fn take(&mut self, color: Color, kind: PieceType, square: Square) {
        debug_assert_eq!(self.squares[square.index()], code(color, kind), "another piece stands on {square}");
        self.toggle(color, kind, square);
        self.squares[square.index()] = EMPTY;
    }

    /// Takes off whatever of `color` stands on a square, perhaps nothing. Returns whether there was something.
    ///
    /// Without a branch: an empty square's bit is set nowhere and its code has a zero word, so clearing and
    /// hashing it change nothing.
    #[inline]
    pub(super) fn clear(&mut self, color: Color, square: Square) -> bool {
        let found = self.squares[square.index()];
        let bit = Bitboard::from(square);
        self.sets[found as usize & 7] &= !bit;
        self.sets[WHITE + color.index()] &= !bit;
        let class = if found == code(color, PieceType::Pawn) { PAWNS } else { 1 + color.index() };
        self.keys[class] ^= zobrist::piece(found, square);
        self.squares[square.index()] = EMPTY;
        found != EMPTY
    }

    /// Carries a known piece to an empty square.
    #[inline]
    pub(super) fn shift(&mut self, color: Color, kind: PieceType, from: Square, to: Square) {
        debug_assert_eq!(self.squares[from.index()], code(color, kind), "another piece stands on {from}");
        debug_assert_eq!(self.squares[to.index()], EMPTY, "{to} is taken");
        let bits = Bitboard::from(from) | Bitboard::from(to);
        self.sets[kind.index()] ^= bits;
        self.sets[WHITE + color.index()] ^= bits;
        let code = code(color, kind);
        self.keys[Self::key_class(color, kind)] ^= zobrist::piece(code, from) ^ zobrist::piece(code, to);
        self.squares[from.index()] = EMPTY;
        self.squares[to.index()] = code;
    }

    /// What [`Board::key`] becomes when the piece on `from` goes to `to`, taking what stands there.
    #[inline]
    pub(super) fn key_after_shift(&self, from: Square, to: Square) -> Key {
        let (mover, target) = (self.squares[from.index()], self.squares[to.index()]);
        self.key() ^ zobrist::piece(mover, from) ^ zobrist::piece(mover, to) ^ zobrist::piece(target, to)
    }

    /// Do the sets, the squares and the keys agree?
    #[cfg(test)]
    pub(super) fn is_consistent(&self) -> bool {
        let mut rebuilt = Self::EMPTY;
        for square in Square::all() {
            if let Some(piece) = self.piece_on(square) {
                rebuilt.put(piece.color, piece.kind, square);
            }
        }
        rebuilt == *self
    }
}
