//! ProbCut.
//!
//! Bet: a capture that beats beta by a margin in a shallow search beats beta in a deep one. The small one trusts a
//! record of the table in place of the shallow search, and asks a wider margin.
//! Preconditions: a null window, not in check, enough depth, beta not decisive, no record that says otherwise.
//! Soundness: unsound.
//! Knobs: `ProbCutDepth`, `ProbCutMargin`, `ProbCutImproving`, `ProbCutReduction`, `SmallProbCutMargin`,
//! `SmallProbCutDepth`.
//! Source: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm" (1995).
//! Evidence: `results/search.md`, "One switch at a time": the small one -20 ± 23 Elo, so it is off in play.

use crate::search::heuristics::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::tt::Record;
use crate::types::{Bound, Depth, Score};

/// What a capture must beat, and how deep the search that shows it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) beta: Score,
    /// After the capture; zero or less leaves it at quiescence.
    pub(crate) depth: Depth,
}

/// The plan for a node, or `None` where ProbCut has nothing to say.
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
    let depth = node.depth - 1 - toggles.value(Tunable::ProbCutReduction);
    let is_denied = record
        .is_some_and(|record| record.bound != Bound::Lower && record.depth > depth && record.score < raised);
    (!raised.is_decisive() && !is_denied).then_some(Plan { beta: raised, depth })
}

/// The score of a node that its record cuts.
#[inline]
pub(crate) fn small(toggles: impl Toggles, beta: Score, depth: Depth, record: &Record) -> Option<Score> {
    let raised = beta + toggles.value(Tunable::SmallProbCutMargin);
    let score = record.score;
    let proves = record.bound != Bound::Upper
        && record.depth >= depth - toggles.value(Tunable::SmallProbCutDepth)
        && score >= raised
        && !score.is_decisive()
        && !beta.is_decisive();
    proves.then_some(raised)
}
