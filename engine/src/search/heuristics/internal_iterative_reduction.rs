//! Internal iterative reduction (IIR).
//!
//! Bet: without a TT move the move ordering is poor and the search costly; a shallower search finds
//! a move for next time.
//! Preconditions: enough depth, no TT move, and a PV or cut node, where a good first move matters.
//! Soundness: unsound.
//! Knobs: `InternalIterativeReductionDepth`.
//! Source: Schröder (2020), in place of internal iterative deepening.
//! Evidence: `results/ablation.md`.

use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;

/// Returns the reduction of a node. Units: plies. Range: 0 or 1.
#[inline]
pub(crate) fn plies(toggles: impl Toggles, node: &NodeContext) -> i32 {
    let needs_good_move = node.is_pv || node.is_cut;
    let is_deep = node.depth.0 >= toggles.value(Tunable::InternalIterativeReductionDepth);
    i32::from(is_deep && needs_good_move && node.tt_move.is_none())
}
