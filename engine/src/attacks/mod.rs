//! Attack sets: leapers, sliders and the lines between squares.
//!
//! Pure board geometry: the module knows squares and occupancy, but neither the side to move nor
//! legality. All tables are computed at compile time from the step and ray definitions in this
//! folder, so nothing needs to be initialised. Callers are `position` (legality, move generation)
//! and `eval`.
mod fill;
mod leapers;
mod lines;
mod rays;
mod slider;

pub use fill::{count_slider_attacks, sliders};
pub use leapers::{king, knight, pawn};
pub use lines::{antidiagonal, between, diagonal, is_diagonal, is_orthogonal, line};
pub use slider::{bishop, rook};

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
