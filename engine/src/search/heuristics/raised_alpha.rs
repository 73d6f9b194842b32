//! Less depth once alpha was raised.
//!
//! Bet: where a move inside the window has been found, the others have more to beat and fewer of them will.
//! Preconditions: a moderate depth, no decision in sight.
//! Soundness: unsound.
//! Knobs: none.
//! Source: Stockfish; in Reckless and Viridithas a term of late move reductions.
//! Evidence: `results/search.md`.

use std::ops::RangeInclusive;

use crate::types::{Depth, Score};

/// Depths at which it pays: shallower there is nothing to save, deeper too much to lose.
const DEPTHS: RangeInclusive<i32> = 3..=12;

/// Are the remaining moves searched a ply less deeply?
#[inline]
pub(crate) fn applies(depth: Depth, score: Score) -> bool {
    DEPTHS.contains(&depth.0) && !score.is_decisive()
}
