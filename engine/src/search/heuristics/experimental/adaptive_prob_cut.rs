//! The depth of `ProbCut` by the static evaluation (`AdaptiveProbCut`).
//!
//! Bet: where the static evaluation is far above the raised beta already, a shallower search confirms
//! the capture; where it is far below, a deeper one should.
//! Preconditions: those of `ProbCut`.
//! Soundness: unsound.
//! Knobs: `ProbCutEval`, `ProbCutEvalMax`.
//! Source: known from Reckless and Stockfish.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::Score;

/// Returns the reduction of the ProbCut search for a raised beta. Units: plies. Range: at least 1.
#[inline]
pub(crate) fn reduction(toggles: impl Toggles, node: &NodeContext, raised: Score) -> i32 {
    let reduction = toggles.value(Tunable::ProbCutReduction);
    if !on!(toggles, AdaptiveProbCut) {
        return reduction;
    }
    let most = toggles.value(Tunable::ProbCutEvalMax);
    let above = node.static_eval.map_or(0, |eval| (eval - raised).0) / toggles.value(Tunable::ProbCutEval);
    (reduction + above.clamp(-most, most)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    #[test]
    fn search_is_shallower_the_farther_the_evaluation_is_above_the_raised_beta() {
        let settings = Settings::default().with(Switch::AdaptiveProbCut, true);
        let [usual, step, most] = [Tunable::ProbCutReduction, Tunable::ProbCutEval, Tunable::ProbCutEvalMax]
            .map(|tunable| (&settings).value(tunable));
        let at = |settings: &Settings, above: i32| {
            let static_eval = Some(Score(100 + above));
            let node = NodeContext { static_eval, ..NodeContext::default() };
            reduction(settings, &node, Score(100))
        };
        assert_eq!([0, step, -step].map(|above| at(&settings, above)), [usual, usual + 1, usual - 1]);
        assert_eq!([99 * step, -99 * step].map(|above| at(&settings, above)), [usual + most, usual - most]);
        assert_eq!(at(&Settings::default(), 99 * step), usual);
    }
}
