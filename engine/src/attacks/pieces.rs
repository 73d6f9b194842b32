//! The squares that a piece attacks, by its type.

use super::{bishop, king, knight, pawn, rook};
use crate::types::{Bitboard, Color, PieceType, Square};

/// Returns the squares attacked by a queen on `square`, given the `occupied` squares.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// Returns the squares attacked by a piece of `kind` on `square`; `color` matters for pawns only.
#[inline]
pub fn of(kind: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Pawn => pawn(color, square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}
