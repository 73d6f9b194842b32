//! Reverse futility pruning (RFP), also called static null move pruning.
//!
//! Bet: no move of the opponent brings an evaluation far above beta below it in the few plies left.
//! Preconditions: a null window, a node that was never on the principal variation, not in check,
//! little depth.
//! Soundness: unsound.
//! Knobs: `ReverseFutility*`.
//! Source: Heinz, "Extended futility pruning" (1998), mirrored; common to all strong engines.
//! Evidence: `results/search.md`, "Groups".

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
        - toggles.value(Tunable::ReverseFutilityImproving) * i32::from(node.is_improving);
    // The true score lies between beta and the evaluation.
    let blend = toggles.value(Tunable::ReverseFutilityBlend);
    (eval - margin.max(0) >= beta).then(|| beta + (eval - beta).0 * blend / 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;
    use crate::types::Depth;

    /// Returns the least evaluation, with beta zero, that cuts off a node.
    fn least(node: NodeContext) -> i32 {
        let is_enough = |eval: &i32| score(Fixed, &node, Score(*eval), Score(0)).is_some();
        (0..2_000).find(is_enough).expect("a margin below 2,000")
    }

    #[test]
    fn margin_grows_with_depth_and_shrinks_where_the_evaluation_rises() {
        let node = |depth| NodeContext { depth: Depth(depth), ..NodeContext::default() };
        let slope = Fixed.value(Tunable::ReverseFutilitySlope);
        assert_eq!([1, 2, 3].map(|depth| least(node(depth))), [slope, 2 * slope, 3 * slope]);
        let rising = NodeContext { is_improving: true, ..node(3) };
        assert_eq!(least(rising), 3 * slope - Fixed.value(Tunable::ReverseFutilityImproving));
        let deep = node(Fixed.value(Tunable::ReverseFutilityDepth) + 1);
        assert_eq!(score(Fixed, &deep, Score(5_000), Score(0)), None);
    }
}
