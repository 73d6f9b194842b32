//! Singular extension, with double and triple extension, multicut and negative extension.
//!
//! Bet: a TT move that no other move comes near decides the node and deserves more depth; one of
//! several moves that exceed beta deserves less, or a cutoff. The farther the other moves lie below
//! it, the less depth they deserve (`SingularGap`).
//! Preconditions: enough depth; a TT entry nearly as deep with a lower bound; not inside a singular
//! search of the same node; `extension_limit` allows it.
//! Soundness: unsound.
//! Knobs: `Singular*`, `DoubleExtension*`, `TripleExtensionMargin`, `NegativeExtensionPlies`,
//! `LmrSingularGap*`, `ExtensionLimit`.
//! Source: Anantharaman, Campbell and Hsu, "Singular extensions" (1988), in the form made known by
//! Stockfish; multicut after Björnsson and Marsland (1998); the reduction of the other moves is known
//! from Stockfish and Reckless.
//! Evidence: `results/search.md`, "Groups" and "What strong engines have".

use super::extension_limit;
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Bound, Depth, Ply, Score};

/// A singular search: whether all other moves stay below `beta` at `depth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) beta: Score,
    pub(crate) depth: Depth,
    pub(crate) tt_score: Score,
}

/// The consequence of a singular search for the TT move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SingularResult {
    /// Extends it; a negative number reduces it. Units: plies.
    Extend(i32),
    /// Cuts the node off with this score.
    Cut(Score),
}

/// Returns the singular search of a node, if the preconditions hold.
#[inline]
pub(crate) fn plan(
    toggles: impl Toggles,
    node: &NodeContext,
    record: &Record,
    ply: Ply,
    iteration: Depth,
) -> Option<Plan> {
    let tt_score = record.score;
    let applies = node.depth.0
        >= toggles.value(Tunable::SingularDepth) + i32::from(node.was_pv && !node.is_pv)
        && record.bound != Bound::Upper
        && record.depth >= node.depth - toggles.value(Tunable::SingularTtDepth)
        && !tt_score.is_decisive()
        && extension_limit::allows(toggles, ply, iteration);
    applies.then(|| Plan::below(toggles, tt_score, node.depth))
}

impl Plan {
    /// Returns the search that shows whether a move with this score stands out.
    #[inline]
    pub(crate) fn below(toggles: impl Toggles, score: Score, depth: Depth) -> Self {
        let margin = toggles.value(Tunable::SingularMargin) * depth.0 / 100;
        let depth = (depth.0 - 1) * toggles.value(Tunable::SingularSearchDepth) / 100;
        Self { beta: score - margin, depth: Depth(depth.max(1)), tt_score: score }
    }

    /// Returns the search that shows whether another move reaches `beta` at `depth`.
    #[inline]
    pub(crate) fn at(beta: Score, depth: Depth) -> Self {
        Self { beta, depth, tt_score: beta }
    }
}

/// Returns the consequence of a best score of `score` among the other moves. `double_extensions`
/// counts the extensions by more than one ply on the path.
#[inline]
pub(crate) fn result(
    toggles: impl Toggles,
    node: &NodeContext,
    plan: Plan,
    score: Score,
    beta: Score,
    double_extensions: u8,
) -> SingularResult {
    if score < plan.beta {
        let below = (plan.beta - score).0;
        let may_double = on!(toggles, DoubleExtension)
            && !node.is_pv
            && i32::from(double_extensions) < toggles.value(Tunable::DoubleExtensionLimit);
        let more = [Tunable::DoubleExtensionMargin, Tunable::TripleExtensionMargin]
            .into_iter()
            .filter(|&margin| may_double && below > toggles.value(margin))
            .count();
        return SingularResult::Extend(1 + more as i32);
    }
    if on!(toggles, Multicut) && score >= beta && !score.is_decisive() && !node.is_pv {
        return SingularResult::Cut(score);
    }
    let is_one_of_many = plan.tt_score >= beta || node.is_cut;
    if on!(toggles, NegativeExtension) && is_one_of_many {
        return SingularResult::Extend(-toggles.value(Tunable::NegativeExtensionPlies));
    }
    SingularResult::Extend(0)
}

/// Returns how far the best of the other moves lies below the TT move. Units: centipawns. Range: not
/// negative.
#[inline]
pub(crate) fn rivals_gap(plan: Plan, score: Score) -> i32 {
    (plan.tt_score - score).0.max(0)
}

/// Returns the increase of the reduction of moves other than the TT move. Units: 1/1024 ply.
#[inline]
pub(crate) fn rivals_reduction(toggles: impl Toggles, node: &NodeContext) -> i32 {
    if !on!(toggles, SingularGap) {
        return 0;
    }
    let most = toggles.value(Tunable::LmrSingularGapMax);
    (node.rivals_gap * toggles.value(Tunable::LmrSingularGap)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Fixed, Settings, Switch};

    /// An upper bound says that the TT move is bad, not that it stands out.
    #[test]
    fn singular_search_needs_a_lower_bound_nearly_as_deep_and_no_mate() {
        let node = NodeContext { depth: Depth(12), ..NodeContext::default() };
        let is_planned = |depth: i32, score: Score, bound: Bound| {
            let record =
                Record { mv: None, score, static_eval: None, depth: Depth(depth), bound, is_pv: false };
            plan(Fixed, &node, &record, Ply(4), Depth(12)).is_some()
        };
        assert!(is_planned(11, Score(30), Bound::Lower) && is_planned(11, Score(30), Bound::Exact));
        assert!(!is_planned(11, Score(30), Bound::Upper));
        let least = 12 - Fixed.value(Tunable::SingularTtDepth);
        assert!(
            is_planned(least, Score(30), Bound::Lower) && !is_planned(least - 1, Score(30), Bound::Lower)
        );
        assert!(!is_planned(11, Score::mate_in(Ply(9)), Bound::Lower));
    }

    #[test]
    fn move_that_stands_out_is_extended_and_one_of_several_is_not() {
        let node = NodeContext { depth: Depth(12), is_pv: true, ..NodeContext::default() };
        let plan = Plan::below(Fixed, Score(30), Depth(12));
        let extension = |score: i32| match result(Fixed, &node, plan, Score(score), Score(500), 0) {
            SingularResult::Extend(plies) => plies,
            SingularResult::Cut(_) => panic!("no multicut at a PV node"),
        };
        assert_eq!(extension(plan.beta.0 - 1), 1);
        assert!(extension(plan.beta.0) <= 0);
    }

    #[test]
    fn moves_are_reduced_more_the_farther_they_lie_below_the_tt_move() {
        let settings = Settings::default().with(Switch::SingularGap, true);
        let reduction = |settings: &Settings, score: i32| {
            let rivals_gap = rivals_gap(Plan::at(Score(50), Depth(5)), Score(score));
            rivals_reduction(settings, &NodeContext { rivals_gap, ..NodeContext::default() })
        };
        let [step, most] =
            [Tunable::LmrSingularGap, Tunable::LmrSingularGapMax].map(|one| (&settings).value(one));
        assert_eq!([80, 50, 40, -9000].map(|score| reduction(&settings, score)), [0, 0, 10 * step, most]);
        assert_eq!(reduction(&settings.with(Switch::SingularGap, false), -9000), 0);
    }
}
