//! The singular search: does any other move come near the TT move?

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::heuristics::experimental::sibling_singular;
use crate::search::heuristics::singular::{self, SingularResult};
use crate::search::node_types::{NodeContext, NodeKind, NonPv};
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Move, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the extension of the TT move, or the score of a multicut.
    #[inline]
    pub(super) fn singular_extension(
        &mut self,
        position: &Position,
        node: &mut NodeContext,
        beta: Score,
        record: Option<Record>,
        ply: Ply,
    ) -> Result<SingularResult, Stopped> {
        if on!(self.toggles, SingularExtension)
            && let (Some(mv), Some(record)) = (node.tt_move, record)
            && let Some(plan) = singular::plan(self.toggles, node, &record, ply, self.worker.iteration)
        {
            let score = self.search_excluding(position, node, plan, ply, mv)?;
            let double_extensions = self.worker.stack[ply].double_extensions;
            let result = singular::result(self.toggles, node, plan, score, beta, double_extensions);
            node.rivals_gap = singular::rivals_gap(plan, score);
            return Ok(result);
        }
        Ok(SingularResult::Extend(0))
    }

    /// Tests whether the best move of a searched node stands out among all its siblings, and searches
    /// it a ply deeper if it does (`SiblingSingularExtension`). Takes and returns the best score and
    /// its move.
    #[inline]
    pub(super) fn extend_among_siblings<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &NodeContext,
        window: Window,
        (best, best_move): (Score, Option<Move>),
        ply: Ply,
    ) -> Result<(Score, Option<Move>), Stopped> {
        // Else a chain of forced moves would never get less deep.
        let may_extend =
            on!(self.toggles, SiblingSingularExtension) && !self.worker.stack.before(ply, 1).is_extended;
        let iteration = self.worker.iteration;
        if let Some(mv) = best_move.filter(|_| may_extend)
            && let Some(plan) = sibling_singular::plan(self.toggles, node, best, window, ply, iteration)
        {
            let others = self.search_excluding(position, node, plan, ply, mv)?;
            if others < plan.beta {
                let score = self.search_extended::<N>(position, node, window, mv, ply)?;
                if score >= best.min(window.beta) {
                    return Ok((score, best_move));
                }
                return self.search_siblings_again::<N>(position, node, window, (best, mv), score, ply);
            }
        }
        Ok((best, best_move))
    }

    /// Searches the siblings of a move at full depth, because its extended search has lowered its
    /// score from `best` to `score`. They were searched with `best` as alpha, or after a cutoff not at
    /// all.
    fn search_siblings_again<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &NodeContext,
        window: Window,
        (best, mv): (Score, Move),
        score: Score,
        ply: Ply,
    ) -> Result<(Score, Option<Move>), Stopped> {
        let alpha = window.alpha.max(score);
        let depth = node.depth - self.check_extension(position, ply);
        let others = self.search_excluding(position, node, singular::Plan::at(alpha + 1, depth), ply, mv)?;
        if others > alpha {
            let others = if best < window.beta { others.min(best) } else { others };
            if N::IS_PV {
                // The line begins with the move that no longer has this score.
                self.worker.stack.line(ply).clear();
            }
            return Ok((others, None));
        }
        Ok((score.max(others), Some(mv).filter(|_| score > window.alpha)))
    }

    /// Searches a move of the node again, one ply deeper.
    fn search_extended<N: NodeKind>(
        &mut self,
        position: &Position,
        node: &NodeContext,
        window: Window,
        mv: Move,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        self.worker.keys.push(position.key());
        self.note_move(position, mv, ply, 1);
        let mut child = *position;
        child.play(mv);
        let score = -self.node::<N>(&child, -window, node.depth, ply.next(), false)?;
        self.worker.keys.pop();
        if N::IS_PV && score > window.alpha {
            self.worker.stack.extend_line(ply, mv);
        }
        Ok(score)
    }

    /// Searches the moves of the node again, without `excluded`.
    ///
    /// This is a node of its own: it counts one, extends checks, and probes the TT again, since
    /// pruning may have replaced the entry. It keeps the static evaluation in the frame, and is
    /// never pruned as a whole.
    fn search_excluding(
        &mut self,
        position: &Position,
        node: &NodeContext,
        plan: singular::Plan,
        ply: Ply,
        excluded: Move,
    ) -> Result<Score, Stopped> {
        let depth = plan.depth + self.check_extension(position, ply);
        self.enter_node(ply)?;
        let record = self.probe(position, ply);
        let tt_move = self.tt_move(position, record);
        let again = NodeContext {
            correction: self.correction(position, ply),
            ..self.node_context::<NonPv>(position, record, tt_move, depth, ply, node.is_cut)
        };
        self.moves::<NonPv>(position, Window::null_below(plan.beta), again, ply, 0, Some(excluded))
    }
}
