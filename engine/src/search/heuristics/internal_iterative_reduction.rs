//! Internal iterative reduction (IIR).
//!
//! Bet: without a hash move the order is poor and the search dear; a shallower one finds a move for next time.
//! Preconditions: enough depth, no hash move, a node where a good first move matters (on the principal variation or
//! expected to fail high).
//! Soundness: unsound.
//! Knobs: `InternalReductionDepth`.
//! Source: Schröder (2020), in place of internal iterative deepening.
//! Evidence: `results/search.md`.

use crate::search::heuristics::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;

/// How many plies to take off. Range: 0 or 1.
#[inline]
pub(crate) fn plies(toggles: impl Toggles, node: &NodeContext) -> i32 {
    let matters = node.is_pv || node.is_cut;
    let is_deep = node.depth.0 >= toggles.value(Tunable::InternalReductionDepth);
    i32::from(is_deep && matters && node.hash_move.is_none())
}
