//! Reverse futility pruning (RFP), also called static null move pruning.
//!
//! Bet: an evaluation so far above beta survives whatever the opponent does in the few plies left.
//! Preconditions: a null window that never was part of a principal variation, not in check, little depth.
//! Soundness: unsound.
//! Knobs: `ReverseFutilityDepth`, `ReverseFutilitySlope`, `ReverseFutilityImproving`, `ReverseFutilityWorsening`,
//! `ReverseFutilityBlend`.
//! Source: Heinz, "Extended futility pruning" (1998), turned round; common to all strong engines.
//! Evidence: `results/search.md`, "Groups"; the opponent's worsening measures nothing and is off in play.

use crate::search::heuristics::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::Score;

/// The score of a node that its evaluation cuts.
#[inline]
pub(crate) fn verdict(toggles: impl Toggles, node: &NodeContext, eval: Score, beta: Score) -> Option<Score> {
    let is_deep = node.depth.0 > toggles.value(Tunable::ReverseFutilityDepth);
    if is_deep || beta.is_decisive() || eval.is_decisive() {
        return None;
    }
    let margin = toggles.value(Tunable::ReverseFutilitySlope) * node.depth.0
        - toggles.value(Tunable::ReverseFutilityImproving) * i32::from(node.is_improving)
        - toggles.value(Tunable::ReverseFutilityWorsening) * i32::from(node.is_opponent_worsening);
    // The truth lies between what was asked and what the evaluation says.
    let blend = toggles.value(Tunable::ReverseFutilityBlend);
    (eval - margin.max(0) >= beta).then(|| beta + (eval - beta).0 * blend / 100)
}
