//! Razoring.
//!
//! Bet: a node this far below alpha can only be saved by captures.
//! Preconditions: a null window, not in check, alpha not decisive.
//! Soundness: unsound.
//! Knobs: `RazoringBase`, `RazoringSlope`.
//! Source: Birmingham and Kent, "Tree-searching and tree-pruning techniques" (1977); the quadratic
//! margin is the present form.
//! Evidence: `results/search.md`, "At playing depth".

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Score};

/// Whether the evaluation is so far below alpha that quiescence search decides.
#[inline]
pub(crate) fn is_hopeless(toggles: impl Toggles, eval: Score, alpha: Score, depth: Depth) -> bool {
    let margin =
        toggles.value(Tunable::RazoringBase) + toggles.value(Tunable::RazoringSlope) * depth.0 * depth.0;
    !alpha.is_decisive() && eval + margin < alpha
}
