//! Attack sets: leapers, sliders and the lines between squares.
//!
//! Pure board geometry: the module knows squares and occupancy, but neither the side to move nor
//! legality. All tables are computed at compile time from the step and ray definitions in this
//! folder, so nothing needs to be initialised. Callers are `position` (legality, move generation)
//! and `eval`.

mod fill;
mod leapers;
mod lines;
mod pieces;
mod rays;
mod slider;

pub use fill::{count_slider_attacks, sliders};
pub use leapers::{king, knight, pawn};
pub use lines::{antidiagonal, between, diagonal, is_diagonal, is_orthogonal, line};
pub use pieces::{of, queen};
pub use slider::{bishop, rook};
