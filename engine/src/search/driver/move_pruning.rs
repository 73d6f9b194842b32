//! The pruning step of a move: calls the rules of `heuristics::move_pruning`, cheapest first.

use crate::position::Position;
use crate::search::context::Search;
use crate::search::heuristics::history::context::HistoryContext;
use crate::search::heuristics::late_move_reductions;
use crate::search::heuristics::move_pruning::{self, PruneDecision};
use crate::search::node_types::NodeContext;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Move, Score};

/// A move that may be pruned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    pub(super) is_quiet: bool,
    pub(super) gives_check: bool,
    pub(super) history: i32,
    /// The number of moves up to this one.
    pub(super) move_count: usize,
    /// Whether the TT cluster of the child has been prefetched.
    pub(super) is_prefetched: bool,
}

impl<T: Toggles> Search<'_, T> {
    /// Decides whether to search a move. The TT cluster of the child is prefetched before the last
    /// and most expensive rule, the exchange, which few moves fail.
    #[inline]
    pub(super) fn prune_move(
        &self,
        position: &Position,
        node: &NodeContext,
        context: &HistoryContext,
        candidate: Candidate,
        alpha: Score,
    ) -> PruneDecision {
        let toggles = self.toggles;
        let Candidate { mv, is_quiet, gives_check, history, move_count, .. } = candidate;
        let reduced = late_move_reductions::expected_depth(toggles, node, move_count);
        if is_quiet && !gives_check {
            return self.prune_quiet(position, node, context, candidate, alpha, reduced);
        }
        if on!(toggles, CaptureFutility)
            && !gives_check
            && mv.promotion().is_none()
            && let Some(eval) = node.static_eval
            && move_pruning::is_futile_capture(toggles, eval, alpha, reduced, position.captured(mv))
        {
            return PruneDecision::Skip(None);
        }
        let history = if is_quiet { 0 } else { history };
        let limit = move_pruning::capture_exchange_limit(toggles, node.depth, history);
        self.prune_by_exchange(position, context, candidate, limit)
    }

    /// Decides whether to search a quiet move that does not give check.
    #[inline]
    fn prune_quiet(
        &self,
        position: &Position,
        node: &NodeContext,
        context: &HistoryContext,
        candidate: Candidate,
        alpha: Score,
        reduced: Depth,
    ) -> PruneDecision {
        let toggles = self.toggles;
        let Candidate { history, move_count, .. } = candidate;
        if on!(toggles, LateMovePruning)
            && !position.is_check()
            && move_pruning::is_late(toggles, node, move_count)
        {
            return PruneDecision::SkipQuiets;
        }
        if on!(toggles, HistoryPruning) && move_pruning::has_bad_history(toggles, reduced, history) {
            return PruneDecision::Skip(None);
        }
        if on!(toggles, Futility)
            && let Some(eval) = node.static_eval
            && let Some(score) = move_pruning::futile_score(toggles, eval, alpha, reduced, history)
        {
            return PruneDecision::Skip(Some(score));
        }
        let limit = move_pruning::quiet_exchange_limit(toggles, node.depth, reduced);
        self.prune_by_exchange(position, context, candidate, limit)
    }

    /// Prunes a move that loses more material than `limit` allows.
    #[inline]
    fn prune_by_exchange(
        &self,
        position: &Position,
        context: &HistoryContext,
        candidate: Candidate,
        limit: Option<Score>,
    ) -> PruneDecision {
        let mv = candidate.mv;
        self.prefetch_unless(candidate.is_prefetched, position, mv);
        if on!(self.toggles, SeePruning)
            && let Some(limit) = limit
            && !Position::is_beyond_capture(mv, context.threats)
            && !position.see_at_least(mv, limit)
        {
            return PruneDecision::Skip(None);
        }
        PruneDecision::Search
    }
}
