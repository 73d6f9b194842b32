//! Where pieces reach: leapers, sliders and the lines between squares.
//!
//! Pure geometry of the board: it knows squares and occupied sets, neither sides to move nor legality. Every
//! table is computed by the compiler from step and ray definitions in this folder, so there is nothing to
//! initialise and nothing to keep in step. Callers are `position` (legality, move generation) and `eval`.

mod fill;
mod leapers;
mod lines;
mod rays;
mod slider;

pub use fill::{count_slides, sliders};
pub use leapers::{king, knight, pawn};
pub use lines::{antidiagonal, between, diagonal, is_diagonal, is_straight, line};
pub use slider::{bishop, rook};

use crate::types::{Bitboard, Color, PieceType, Square};

/// Squares a queen on `square` attacks when `occupied` is taken.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// Squares a piece of `kind` and `color` on `square` attacks; the colour matters to pawns alone.
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
