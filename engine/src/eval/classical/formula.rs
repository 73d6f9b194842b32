//! The formula that combines the sums of weights to a value.
//!
//! The tuner of the workshop optimises the weights under this formula.

use super::tapered::Tapered;
use crate::types::{ByColor, Color};

/// Units of the weights per centipawn.
pub const UNITS_PER_CENTIPAWN: i32 = 4;
/// The phase of the start position.
pub const FULL_PHASE: i32 = 24;
/// The scale of an endgame advantage that is not reduced.
pub const FULL_SCALE: i32 = 64;
/// Divisor of the squared king danger; the quotient is in middlegame units.
pub const DANGER_SQUARE: i32 = 256;
/// Divisor of the king danger; the quotient is in endgame units.
pub const DANGER_END: i32 = 8;

/// Converts a danger to its penalty.
#[inline]
pub(super) const fn penalty(danger: Tapered) -> Tapered {
    let middle = if danger.middle() > 0 { danger.middle() } else { 0 };
    let end = if danger.end() > 0 { danger.end() } else { 0 };
    Tapered::new(middle * middle / DANGER_SQUARE, end / DANGER_END)
}

/// Blends middlegame and endgame value by the phase; the endgame value is first scaled for the side
/// that is ahead.
///
/// Units: centipawns; the arguments are in 1/[`UNITS_PER_CENTIPAWN`] centipawns.
#[inline]
pub(super) fn blend(balance: Tapered, phase: i32, scale: ByColor<i32>) -> i32 {
    let ahead = if balance.end() >= 0 { Color::White } else { Color::Black };
    let end = balance.end() * scale[ahead] / FULL_SCALE;
    (balance.middle() * phase + end * (FULL_PHASE - phase)) / (FULL_PHASE * UNITS_PER_CENTIPAWN)
}
