//! ProbCut.
//!
//! Bet: a capture that exceeds beta by a margin in a shallow search exceeds beta in a deep one.
//! Preconditions: a null window, not in check, enough depth, beta not decisive, no TT entry that
//! contradicts it.
//! Soundness: unsound.
//! Knobs: `ProbCutDepth`, `ProbCutMargin`, `ProbCutImproving`, `ProbCutReduction`.
//! Source: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm" (1995).
//! Evidence: `results/ablation.md`; `results/search.md`, "Margins tuned together".

use crate::search::heuristics::experimental::adaptive_prob_cut;
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::tt::Record;
use crate::types::{Bound, Depth, Score};

/// The beta that a capture must exceed, and the depth of the search that shows it.
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
    let depth = node.depth - 1 - adaptive_prob_cut::reduction(toggles, node, raised);
    let is_contradicted = record
        .is_some_and(|record| record.bound != Bound::Lower && record.depth > depth && record.score < raised);
    (!raised.is_decisive() && !is_contradicted).then_some(Plan { beta: raised, depth })
}
