//! Reverse futility pruning (RFP), also called static null move pruning.
//!
//! Bet: no move of the opponent brings an evaluation far above beta below it in the few plies left.
//! Preconditions: a null window, a node that was never on the principal variation, not in check,
//! little depth.
//! Soundness: unsound.
//! Knobs: `ReverseFutility*`.
//! Source: Heinz, "Extended futility pruning" (1998), mirrored; common to all strong engines.
//! Evidence: `results/search.md`, "Groups"; of `OpponentWorsening`, `results/history.md`, "One switch at a
//! time".

use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::Score;

/// Returns the score of a node that its evaluation cuts off.
#[inline]
pub(crate) fn score(toggles: impl Toggles, node: &NodeContext, eval: Score, beta: Score) -> Option<Score> {
    let is_deep = node.depth.0 > toggles.value(Tunable::ReverseFutilityDepth);
    if is_deep || beta.is_decisive() || eval.is_decisive() {
        return None;
    }
    let margin = toggles.value(Tunable::ReverseFutilitySlope) * node.depth.0
        - toggles.value(Tunable::ReverseFutilityImproving) * i32::from(node.is_improving)
        - toggles.value(Tunable::ReverseFutilityWorsening) * i32::from(node.is_opponent_worsening);
    // The true score lies between beta and the evaluation.
    let blend = toggles.value(Tunable::ReverseFutilityBlend);
    (eval - margin.max(0) >= beta).then(|| beta + (eval - beta).0 * blend / 100)
}
