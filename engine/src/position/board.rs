//! Piece placement in three redundant forms, with the Zobrist keys that follow from it.
//!
//! Bitboards, a square-by-square array and the keys describe the same placement. The fields are
//! private and every mutator updates all three, so they cannot diverge. The module knows no rules
//! of chess.

use crate::types::{Bitboard, Color, Key, Piece, PieceType, Square};
use crate::zobrist;

const WHITE: usize = 6;

/// Index of the pawn key in `Board::keys`.
const PAWNS: usize = 0;

/// The placement of all pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Board {
    /// Shape: six types, then White and Black. Eight entries, so that a 3-bit index needs no bounds
    /// check.
    sets: [Bitboard; 8],
    /// The type of the piece on each square; the sets tell its color.
    squares: [Option<PieceType>; 64],
    /// Keys of all pawns, of White's other pieces, and of Black's other pieces.
    keys: [Key; 3],
}

impl Board {
    pub(super) const EMPTY: Self =
        Self { sets: [Bitboard::EMPTY; 8], squares: [None; 64], keys: [Key(0); 3] };

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
        let color = if self.sets[WHITE].has(square) { Color::White } else { Color::Black };
        self.kind_on(square).map(|kind| Piece::new(color, kind))
    }

    #[inline]
    pub(super) fn kind_on(&self, square: Square) -> Option<PieceType> {
        self.squares[square.index()]
    }

    /// Returns the type of the piece on `square`; the result is meaningless for an empty square.
    #[inline]
    pub(super) fn kind_of_piece_on(&self, square: Square) -> PieceType {
        self.squares[square.index()].unwrap_or(PieceType::King)
    }

    /// Returns the squares whose content differs.
    #[inline]
    pub(super) fn changed_squares(&self, other: &Self) -> Bitboard {
        let sets = self.sets.iter().zip(&other.sets);
        sets.fold(Bitboard::EMPTY, |squares, (&here, &there)| squares | (here ^ there))
    }

    /// Returns the key of the placement, without side to move, castling rights and en passant
    /// square.
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

    /// Adds a piece to an empty square, or removes it.
    #[inline]
    fn toggle(&mut self, color: Color, kind: PieceType, square: Square) {
        let bit = Bitboard::from(square);
        self.sets[kind.index()] ^= bit;
        self.sets[WHITE + color.index()] ^= bit;
        self.keys[Self::key_class(color, kind)] ^= zobrist::piece(color, Some(kind), square);
    }

    /// Adds a piece to an empty square.
    #[inline]
    pub(super) fn put(&mut self, color: Color, kind: PieceType, square: Square) {
        debug_assert_eq!(self.squares[square.index()], None, "{square} is occupied");
        self.toggle(color, kind, square);
        self.squares[square.index()] = Some(kind);
    }

    /// Removes a known piece from its square.
    #[inline]
    pub(super) fn take(&mut self, color: Color, kind: PieceType, square: Square) {
        debug_assert_eq!(self.piece_on(square), Some(Piece::new(color, kind)), "{square}");
        self.toggle(color, kind, square);
        self.squares[square.index()] = None;
    }

    /// Removes the piece of `color` from a square, if there is one, and returns whether there was.
    ///
    /// Free of branches: the bit of an empty square is set nowhere and its Zobrist word is zero, so
    /// clearing and hashing it change nothing.
    #[inline]
    pub(super) fn clear(&mut self, color: Color, square: Square) -> bool {
        let found = self.squares[square.index()].take();
        let bit = Bitboard::from(square);
        self.sets[found.map_or(WHITE, PieceType::index)] &= !bit;
        self.sets[WHITE + color.index()] &= !bit;
        let class = if found == Some(PieceType::Pawn) { PAWNS } else { 1 + color.index() };
        self.keys[class] ^= zobrist::piece(color, found, square);
        found.is_some()
    }

    /// Moves a known piece to an empty square.
    #[inline]
    pub(super) fn shift(&mut self, color: Color, kind: PieceType, from: Square, to: Square) {
        debug_assert_eq!(self.piece_on(from), Some(Piece::new(color, kind)), "{from}");
        debug_assert_eq!(self.squares[to.index()], None, "{to} is occupied");
        let bits = Bitboard::from(from) | Bitboard::from(to);
        self.sets[kind.index()] ^= bits;
        self.sets[WHITE + color.index()] ^= bits;
        let word = |square| zobrist::piece(color, Some(kind), square);
        self.keys[Self::key_class(color, kind)] ^= word(from) ^ word(to);
        self.squares[from.index()] = None;
        self.squares[to.index()] = Some(kind);
    }

    /// Returns the key after the piece of `color` on `from` moves to `to`, capturing an enemy there if
    /// any.
    #[inline]
    pub(super) fn key_after_shift(&self, color: Color, from: Square, to: Square) -> Key {
        let mover = |square| zobrist::piece(color, self.squares[from.index()], square);
        self.key() ^ mover(from) ^ mover(to) ^ zobrist::piece(!color, self.squares[to.index()], to)
    }

    /// Whether bitboards, squares and keys describe the same placement.
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
