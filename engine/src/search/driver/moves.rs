//! The moves of a principal variation search node: steps 11 to 18.

use super::learning::TriedMoves;
use super::move_pruning::Candidate;
use super::play::ChildSearch;
use crate::position::{CheckSquares, Position};
use crate::search::context::{Search, Stopped};
use crate::search::heuristics::experimental::classic_extensions;
use crate::search::heuristics::history::context::HistoryContext;
use crate::search::heuristics::late_move_reductions::{self, LateMove, Reduced};
use crate::search::heuristics::move_pruning::PruneDecision;
use crate::search::heuristics::raised_alpha;
use crate::search::node_types::{NodeContext, NodeKind};
use crate::search::picker::{MoveOrder, Picker};
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Bound, Depth, Move, Ply, Score, Window};

/// The result of the move loop.
pub(super) struct LoopResult<'a> {
    pub(super) best: Score,
    pub(super) best_move: Option<Move>,
    pub(super) tried: &'a TriedMoves,
    pub(super) context: &'a HistoryContext,
}

/// Returns the score of a position without a legal move: checkmate or stalemate.
#[inline]
fn without_moves(position: &Position, ply: Ply) -> Score {
    if position.is_check() { Score::mated_in(ply) } else { Score::DRAW }
}

impl<T: Toggles> Search<'_, T> {
    /// Searches the moves of a node that no earlier step has decided. `tt_extension` applies to the
    /// TT move.
    ///
    /// A singular search passes the TT move as `excluded`. Its result is not stored: it is not that
    /// of the position.
    pub(super) fn moves<N: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        node: NodeContext,
        ply: Ply,
        tt_extension: i32,
        excluded: Option<Move>,
    ) -> Result<Score, Stopped> {
        // 11. The moves, best first.
        let context = HistoryContext::of(position, self.worker.stack.previous_moves(ply));
        self.worker.stack[ply].threats = context.threats;
        let mut picker = Picker::all(node.tt_move, self.refutations(ply));
        // The depth in `rest` decreases once a move has raised alpha.
        let mut rest = node;
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let (mut move_count, mut searched) = (0, 0);
        let mut tried = TriedMoves::default();
        let mut checks = None;
        // The move whose TT cluster was prefetched last; `node` did that of the TT move.
        let mut prefetched = node.tt_move;
        let histories = self.histories;
        let quiet_history = histories.quiet_score(self.toggles, position, &context);
        self.worker.keys.push(position.key());
        loop {
            let order =
                MoveOrder { toggles: self.toggles, histories: self.histories, context: Some(&context) };
            let Some(mv) = picker.next(position, &order) else { break };
            if Some(mv) == excluded {
                continue;
            }
            let is_quiet = !position.is_noisy(mv);
            let history = if is_quiet {
                quiet_history(mv)
            } else {
                histories.capture_score(self.toggles, position, mv)
            };

            // 12. Move pruning, once a move that is not lost has been found.
            move_count += 1;
            let is_prefetched = prefetched == Some(mv);
            if best.is_lost() || !position.has_non_pawn_material(position.side_to_move()) {
                self.prefetch_unless(is_prefetched, position, mv);
            } else {
                let checks = checks.get_or_insert_with(|| CheckSquares::of(position));
                let gives_check = checks.has(position, mv);
                let candidate = Candidate { mv, is_quiet, gives_check, history, move_count, is_prefetched };
                match self.prune_move(position, &rest, &context, candidate, alpha) {
                    PruneDecision::Search => {}
                    PruneDecision::Skip(credited) => {
                        best = credited.map_or(best, |score| best.max(score));
                        continue;
                    }
                    PruneDecision::SkipQuiets => {
                        move_count += picker.keep_checks(self.toggles, position, checks);
                        continue;
                    }
                }
            }

            // 13. Extension.
            let extension = if Some(mv) == node.tt_move { tt_extension } else { 0 };
            let full = rest.depth - 1 + self.total_extension(position, mv, extension, ply);

            // 14. Late move reduction.
            prefetched = self.prefetch_next(position, &mut picker);
            self.note_move(position, mv, ply, extension);
            let mut child = *position;
            child.play(mv);
            let late = LateMove {
                searched,
                is_quiet,
                gives_check: child.is_check(),
                is_refutation: picker.is_refutation(self.toggles, mv),
                history,
                cutoffs: self.worker.stack.after(ply, 1).cutoffs,
                fraction: self.worker.stack[ply].fraction,
            };
            let reduced = if on!(self.toggles, LateMoveReductions) {
                late_move_reductions::reduced_depth(self.toggles, &rest, late, full)
            } else {
                Reduced::none(full, 0)
            };

            // 15. The search of the move.
            let inner = Window::new(alpha, window.beta);
            let request = ChildSearch { full, reduced, searched, parent_is_cut: node.is_cut, best };
            let score = self.search_child::<N>(&child, inner, request, ply)?;
            searched += 1;

            // 16. The best move so far, and cutoffs.
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::IS_PV {
                        self.worker.stack.extend_line(ply, mv);
                    }
                    if score >= window.beta {
                        self.count_cutoff(ply, searched);
                        break;
                    }
                    alpha = score;
                    rest.depth = self.depth_after_raised_alpha(node.depth, rest.depth, score);
                }
            }
            tried.push(mv, is_quiet);
        }
        self.worker.keys.pop();

        // 17. No legal move: checkmate or stalemate. A singular search without another move fails
        // low.
        if move_count == 0 {
            return Ok(if excluded.is_some() { window.alpha } else { without_moves(position, ply) });
        }

        // 18. Learning, and the TT.
        if excluded.is_none() {
            (best, best_move) =
                self.extend_among_siblings::<N>(position, &node, window, (best, best_move), ply)?;
        }
        let result = LoopResult { best, best_move, tried: &tried, context: &context };
        Ok(self.finish_node(position, window, &node, ply, &result, excluded.is_some()))
    }

    /// Returns the extension of a move, given that by the singular search. Units: plies.
    #[inline]
    fn total_extension(&self, position: &Position, mv: Move, singular: i32, ply: Ply) -> i32 {
        if singular != 0 {
            return singular;
        }
        let last_capture = self.worker.stack.before(ply, 1).capture;
        classic_extensions::plies(self.toggles, position, mv, last_capture, ply, self.worker.iteration)
    }

    /// Counts a cutoff by the last of `searched` moves.
    #[inline]
    pub(super) fn count_cutoff(&mut self, ply: Ply, searched: usize) {
        let frame = &mut self.worker.stack[ply];
        frame.cutoffs = frame.cutoffs.saturating_add(1);
        if T::COUNTS {
            self.worker.tally.note_cutoff(searched);
        }
    }

    /// Returns the depth of the remaining moves after a move has raised alpha to `score`.
    #[inline]
    fn depth_after_raised_alpha(&self, depth: Depth, rest: Depth, score: Score) -> Depth {
        if on!(self.toggles, RaisedAlpha) && raised_alpha::applies(self.toggles, depth, score) {
            depth - 1
        } else {
            rest
        }
    }

    /// Whether a node with this bound is remembered as a PV node because its parent is one. If it
    /// failed low, its parent's move may enter the principal variation.
    #[inline]
    fn inherits_pv(&self, bound: Bound, ply: Ply) -> bool {
        let parent = self.worker.stack.before(ply, 1);
        on!(self.toggles, InheritedPv) && bound == Bound::Upper && parent.was_pv && parent.current.is_some()
    }

    /// Updates the histories and stores the TT entry of a searched node. Returns its final score.
    #[inline]
    pub(super) fn finish_node(
        &mut self,
        position: &Position,
        window: Window,
        node: &NodeContext,
        ply: Ply,
        result: &LoopResult<'_>,
        is_singular_search: bool,
    ) -> Score {
        let &LoopResult { mut best, best_move, tried, context } = result;
        let depth = node.depth;
        if let Some(mv) = best_move.filter(|_| best >= window.beta) {
            self.learn_cutoff(position, context, mv, tried, depth, ply);
        }
        best = self.returned(best, window);
        if is_singular_search {
            return best;
        }
        let bound = Bound::of(best, window);
        if bound == Bound::Upper {
            self.learn_fail_low(position, depth, ply);
        }
        let is_quiet = best_move.is_none_or(|mv| !position.is_noisy(mv));
        if let Some(eval) = node.static_eval
            && is_quiet
            && !best.is_decisive()
            && bound.contradicts(best, eval)
        {
            let keys = self.correction_keys(position, ply);
            self.corrections.learn(self.toggles, &keys, depth, best, eval);
        }
        let record = Record {
            mv: best_move,
            score: best.to_tt(ply),
            static_eval: node.raw_eval,
            depth,
            bound,
            is_pv: node.was_pv || self.inherits_pv(bound, ply),
        };
        self.store(position, record);
        best
    }
}
