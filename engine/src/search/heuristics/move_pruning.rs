//! Pruning of single moves in shallow nodes.
//!
//! Bets: late moves do not matter ([`is_late`]); a quiet move does not lift a hopeless evaluation
//! ([`futile_score`], [`is_futile_capture`]); what failed elsewhere fails here ([`has_failed_before`]); what loses
//! material loses ([`quiet_exchange_limit`], [`capture_exchange_limit`]).
//! Preconditions: not at the root, a move that does not certainly lose has been found; each bet has a depth limit.
//! Soundness: unsound.
//! Knobs: `LateMove*`, `Futility*`, `CaptureFutility*`, `HistoryPruning*`, `See*`.
//! Source: Schaeffer (1986) and Heinz (1998) for futility; the rest is common to all strong engines.
//! Evidence: `results/search.md`, "LMP and futility", "SEE pruning".

use crate::search::heuristics::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, PieceType, Score};

/// What pruning says of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Search it.
    Search,
    /// Leave it out. The score it is credited with, if any, may stand as the node's.
    Skip(Option<Score>),
    /// Leave it out, and all quiet moves after it that do not give check.
    SkipQuiets,
}

/// Late move pruning: has the node tried so many moves that the other quiet ones may be skipped?
#[inline]
pub(crate) fn is_late(toggles: impl Toggles, node: &NodeContext, tried: usize) -> bool {
    let depth = node.depth.0;
    let limit =
        toggles.value(Tunable::LateMoveBase) * 100 + toggles.value(Tunable::LateMoveSlope) * depth * depth;
    let limit = if node.is_improving { limit } else { limit / 2 };
    tried as i32 * 100 >= limit
}

/// Futility: the score such a quiet move is credited with, if that is not above alpha.
#[inline]
pub(crate) fn futile_score(
    toggles: impl Toggles,
    eval: Score,
    alpha: Score,
    reduced: Depth,
    history: i32,
) -> Option<Score> {
    // Every evaluation is below a decisive score; that alone says nothing about a shorter one.
    if reduced.0 > toggles.value(Tunable::FutilityDepth) || alpha.is_decisive() {
        return None;
    }
    let margin = toggles.value(Tunable::FutilityBase)
        + toggles.value(Tunable::FutilitySlope) * reduced.0
        + history / toggles.value(Tunable::FutilityHistory);
    let credited = eval + margin.max(0);
    (credited <= alpha).then_some(credited)
}

/// Capture futility: does taking `victim` leave the node below alpha?
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

/// History pruning: did the move fail so often that it may be skipped?
#[inline]
pub(crate) fn has_failed_before(toggles: impl Toggles, reduced: Depth, history: i32) -> bool {
    reduced.0 <= toggles.value(Tunable::HistoryPruningDepth)
        && history < -toggles.value(Tunable::HistoryPruningSlope) * reduced.0.max(1)
}

/// What a quiet move may lose by exchange; `None` where nothing is pruned. Range: not positive.
#[inline]
pub(crate) fn quiet_exchange_limit(toggles: impl Toggles, depth: Depth, reduced: Depth) -> Option<Score> {
    let limit = -toggles.value(Tunable::SeeQuietSlope) * reduced.0 * reduced.0;
    (depth.0 <= toggles.value(Tunable::SeePruningDepth)).then_some(Score(limit))
}

/// The same for a capture or promotion, by the history it has.
#[inline]
pub(crate) fn capture_exchange_limit(toggles: impl Toggles, depth: Depth, history: i32) -> Option<Score> {
    let limit = -toggles.value(Tunable::SeeCaptureSlope) * depth.0
        - history / toggles.value(Tunable::SeeCaptureHistory);
    (depth.0 <= toggles.value(Tunable::SeePruningDepth)).then_some(Score(limit.min(0)))
}
