//! ProbCut.
//!
//! Bets: a capture that exceeds beta by a margin in a shallow search exceeds beta in a deep one. Where
//! the static evaluation is far above the raised beta already, an even shallower search confirms the
//! capture; where it is far below, a deeper one should (`AdaptiveProbCut`).
//! Preconditions: a null window, not in check, enough depth, beta not decisive, no TT entry that
//! contradicts it.
//! Soundness: unsound.
//! Knobs: `ProbCutDepth`, `ProbCutMargin`, `ProbCutImproving`, `ProbCutReduction`,
//! `ProbCutEval`, `ProbCutEvalMax`.
//! Source: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm" (1995); the depth by the
//! evaluation is known from Reckless and Stockfish.
//! Evidence: `results/ablation.md`; `results/search.md`, "Margins tuned together" and "What
//! strong engines have".

use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Bound, Depth, Score};

/// The beta that a capture must reach, and the depth of the search that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) beta: Score,
    /// The depth after the capture; with zero or less, quiescence search decides.
    pub(crate) depth: Depth,
}

/// Returns the plan for a node, or `None` where ProbCut does not apply.
#[inline]
pub(crate) fn plan(
    toggles: impl Toggles,
    node: &NodeContext,
    beta: Score,
    record: Option<&Record>,
) -> Option<Plan> {
    if node.depth.0 < toggles.value(Tunable::ProbCutDepth) || beta.is_decisive() {
        return None;
    }
    let raised = beta + toggles.value(Tunable::ProbCutMargin)
        - toggles.value(Tunable::ProbCutImproving) * i32::from(node.is_improving);
    let depth = node.depth - 1 - reduction(toggles, node, raised);
    let is_contradicted = record
        .is_some_and(|record| record.bound != Bound::Lower && record.depth > depth && record.score < raised);
    (!raised.is_decisive() && !is_contradicted).then_some(Plan { beta: raised, depth })
}

/// Returns the reduction of the search for a raised beta. Units: plies. Range: at least 1.
#[inline]
fn reduction(toggles: impl Toggles, node: &NodeContext, raised: Score) -> i32 {
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
    fn deeper_entry_below_the_raised_beta_refuses_it() {
        let settings = Settings::default();
        let node = NodeContext { depth: Depth(12), ..NodeContext::default() };
        let planned = plan(&settings, &node, Score(0), None).expect("deep enough");
        let is_tried = |bound, deeper: i32, above: i32| {
            let record = Record {
                mv: None,
                score: planned.beta + above,
                static_eval: None,
                depth: planned.depth + deeper,
                bound,
                is_pv: false,
            };
            plan(&settings, &node, Score(0), Some(&record)) == Some(planned)
        };
        assert!(!is_tried(Bound::Upper, 1, -1) && !is_tried(Bound::Exact, 1, -1));
        assert!(is_tried(Bound::Upper, 0, -1), "not deeper");
        assert!(is_tried(Bound::Lower, 1, -1) && is_tried(Bound::Exact, 1, 0));
    }

    #[test]
    fn search_is_shallower_the_farther_the_evaluation_is_above_the_raised_beta() {
        let settings = Settings::default().with(Switch::AdaptiveProbCut, true);
        let off = settings.clone().with(Switch::AdaptiveProbCut, false);
        let [usual, step, most] = [Tunable::ProbCutReduction, Tunable::ProbCutEval, Tunable::ProbCutEvalMax]
            .map(|tunable| (&settings).value(tunable));
        let at = |settings: &Settings, above: i32| {
            let static_eval = Some(Score(100 + above));
            let node = NodeContext { static_eval, ..NodeContext::default() };
            reduction(settings, &node, Score(100))
        };
        assert_eq!([0, step, -step].map(|above| at(&settings, above)), [usual, usual + 1, usual - 1]);
        assert_eq!([99 * step, -99 * step].map(|above| at(&settings, above)), [usual + most, usual - most]);
        assert_eq!(at(&off, 99 * step), usual);
    }
}
