//! Corrections by the halfmove clock (`CorrectionClock`).
//!
//! Bet: the evaluation errs in another way where nothing has happened for many moves.
//! Preconditions: those of the corrections by pawns and pieces.
//! Soundness: unsound: it changes the evaluation.
//! Knobs: `CorrectionClockStep`.
//! Source: known from Reckless.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};

/// The last step. Later positions count as on it.
const LAST: u64 = 5;

/// Returns the part of a correction's key that comes from the halfmove clock. The low bits of two
/// steps differ, as they must.
#[inline]
pub(crate) fn key(toggles: impl Toggles, position: &Position) -> u64 {
    if !on!(toggles, CorrectionClock) {
        return 0;
    }
    let step = u64::from(position.halfmove_clock()) / toggles.value(Tunable::CorrectionClockStep) as u64;
    step.min(LAST).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
