//! Less depth after alpha was raised.
//!
//! Bet: once a move inside the window has been found, fewer of the remaining moves will exceed it.
//! Preconditions: a moderate depth, a score that is not decisive.
//! Soundness: unsound.
//! Knobs: `RaisedAlphaMinDepth`, `RaisedAlphaMaxDepth`.
//! Source: Stockfish; in Reckless and Viridithas a term of late move reductions.
//! Evidence: `results/history.md`, "Changes tried".

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Score};

/// Whether the remaining moves are searched one ply less deeply.
#[inline]
pub(crate) fn applies(toggles: impl Toggles, depth: Depth, score: Score) -> bool {
    // Below the range there is nothing to save, above it too much to lose.
    let depths = toggles.value(Tunable::RaisedAlphaMinDepth)..=toggles.value(Tunable::RaisedAlphaMaxDepth);
    depths.contains(&depth.0) && !score.is_decisive()
}
