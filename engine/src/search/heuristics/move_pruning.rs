//! Pruning of single moves in shallow nodes.
//!
//! Bets: late quiet moves fail low (late move pruning, [`is_late`]); a move does not lift a
//! hopeless evaluation above alpha (futility, [`futile_score`], [`is_futile_capture`]); a move with
//! a bad history fails low ([`has_bad_history`]); so does a move that loses material
//! ([`quiet_exchange_limit`], [`capture_exchange_limit`]).
//! Preconditions: not at the root; a move that is not lost has been found; a piece besides pawns, for
//! fear of zugzwang; a depth limit for each but late move pruning, which is for nodes not in check.
//! Soundness: unsound.
//! Knobs: `LateMove*`, `Futility*`, `CaptureFutility*`, `HistoryPruning*`, `See*`.
//! Source: Schaeffer (1986) and Heinz (1998) for futility; the rest is common to all strong
//! engines.
//! Evidence: `results/search.md`, "Groups".

use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, PieceType, Score};

/// The decision whether to search a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PruneDecision {
    Search,
    /// Skip the move. The score, if any, is an estimate that may become the node's.
    Skip(Option<Score>),
    /// Skip the move, and all quiet moves after it that do not give check.
    SkipQuiets,
}

/// Late move pruning: whether the remaining quiet moves may be skipped.
#[inline]
pub(crate) fn is_late(toggles: impl Toggles, node: &NodeContext, move_count: usize) -> bool {
    let depth = node.depth.0;
    let limit =
        toggles.value(Tunable::LateMoveBase) * 100 + toggles.value(Tunable::LateMoveSlope) * depth * depth;
    let is_early = on!(toggles, Improving) && !node.is_improving;
    let limit = if is_early { limit / 2 } else { limit };
    move_count as i32 * 100 >= limit
}

/// Futility: returns the estimated score of a quiet move if that is not above alpha.
#[inline]
pub(crate) fn futile_score(
    toggles: impl Toggles,
    eval: Score,
    alpha: Score,
    reduced: Depth,
    history: i32,
) -> Option<Score> {
    // Every evaluation is below a decisive alpha, which says nothing about the move.
    if reduced.0 > toggles.value(Tunable::FutilityDepth) || alpha.is_decisive() {
        return None;
    }
    let margin = toggles.value(Tunable::FutilityBase)
        + toggles.value(Tunable::FutilitySlope) * reduced.0
        + history / toggles.value(Tunable::FutilityHistory);
    let credited = eval + margin.max(0);
    (credited <= alpha).then_some(credited)
}

/// Capture futility: whether taking `victim` leaves the evaluation at or below alpha.
#[inline]
pub(crate) fn is_futile_capture(
    toggles: impl Toggles,
    eval: Score,
    alpha: Score,
    reduced: Depth,
    victim: Option<PieceType>,
) -> bool {
    let margin = toggles.value(Tunable::CaptureFutilityBase)
        + toggles.value(Tunable::CaptureFutilitySlope) * reduced.0
        + victim.map_or(0, |kind| crate::position::see_value(kind).0);
    reduced.0 <= toggles.value(Tunable::CaptureFutilityDepth)
        && !alpha.is_decisive()
        && eval + margin <= alpha
}

/// History pruning: whether the history of the move is so bad that it may be skipped.
#[inline]
pub(crate) fn has_bad_history(toggles: impl Toggles, reduced: Depth, history: i32) -> bool {
    reduced.0 <= toggles.value(Tunable::HistoryPruningDepth)
        && history < -toggles.value(Tunable::HistoryPruningSlope) * reduced.0.max(1)
}

/// Returns the exchange value (SEE) below which a quiet move is pruned; `None` where nothing is.
/// Range: not positive.
#[inline]
pub(crate) fn quiet_exchange_limit(toggles: impl Toggles, depth: Depth, reduced: Depth) -> Option<Score> {
    let limit = -toggles.value(Tunable::SeeQuietSlope) * reduced.0 * reduced.0;
    (depth.0 <= toggles.value(Tunable::SeePruningDepth)).then_some(Score(limit))
}

/// Returns the limit for a capture, a promotion or a quiet check. It depends on the history of the
/// move, which is 0 for quiet checks.
#[inline]
pub(crate) fn capture_exchange_limit(toggles: impl Toggles, depth: Depth, history: i32) -> Option<Score> {
    let limit = -toggles.value(Tunable::SeeCaptureSlope) * depth.0
        - history / toggles.value(Tunable::SeeCaptureHistory);
    (depth.0 <= toggles.value(Tunable::SeePruningDepth)).then_some(Score(limit.min(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    #[test]
    fn improving_off_leaves_the_late_move_limit_alone() {
        let node = |is_improving| NodeContext { depth: Depth(3), is_improving, ..NodeContext::default() };
        let limit = |settings: &Settings, is_improving| {
            (1..200).find(|&count| is_late(settings, &node(is_improving), count)).expect("a limit")
        };
        let (on, off) = (Settings::default(), Settings::default().with(Switch::Improving, false));
        assert!(limit(&on, false) < limit(&on, true));
        assert_eq!([limit(&off, false), limit(&off, true)], [limit(&on, true); 2]);
    }

    #[test]
    fn good_history_saves_a_quiet_move_from_futility_and_a_bad_one_condemns_it() {
        let toggles = crate::search::switches::Fixed;
        let reduced = Depth(2);
        let margin = toggles.value(Tunable::FutilityBase) + toggles.value(Tunable::FutilitySlope) * reduced.0;
        let step = toggles.value(Tunable::FutilityHistory);
        let score = |alpha: i32, history: i32| {
            futile_score(toggles, Score(0), Score(alpha), reduced, history).map(|score| score.0)
        };
        assert_eq!((score(margin, 0), score(margin - 1, 0)), (Some(margin), None));
        assert_eq!((score(margin, 10 * step), score(margin + 10, 10 * step)), (None, Some(margin + 10)));
        assert_eq!(score(margin - 5, -10 * step), Some(margin - 10));
    }
}
