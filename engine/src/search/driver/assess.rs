//! Assessment of a node: static evaluation, correction, and the facts that the heuristics use.

use crate::position::Position;
use crate::search::context::Search;
use crate::search::heuristics::correction_history::CorrectionKeys;
use crate::search::heuristics::experimental::killers::Killers;
use crate::search::node_types::{NodeContext, NodeKind};
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Depth, Move, Ply, Score};

/// The distances of our last move and the one before. Units: plies.
const OUR_LAST_MOVES: [usize; 2] = [2, 4];

impl<T: Toggles> Search<'_, T> {
    /// Evaluates the node, prepares its frame and that of its grandchildren, and returns the facts about
    /// it. In check there is no evaluation.
    #[inline]
    pub(super) fn assess<N: NodeKind>(
        &mut self,
        position: &Position,
        record: Option<Record>,
        tt_move: Option<Move>,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> NodeContext {
        let raw_eval = if position.is_check() {
            None
        } else {
            Some(record.and_then(|record| record.static_eval).unwrap_or_else(|| self.evaluate(position, ply)))
        };
        let correction = self.correction(position, ply);
        let static_eval = raw_eval.map(|raw| self.corrected_eval(raw, correction, position));
        let stack = &mut self.worker.stack;
        stack[ply].static_eval = static_eval;
        if on!(self.toggles, MateThreatExtension) {
            stack[ply].is_mate_threatened = false;
        }
        let ahead = stack.after_mut(ply, 2);
        ahead.cutoffs = 0;
        ahead.killers = Killers::default();
        let node = NodeContext {
            raw_eval,
            eval: static_eval.map(|eval| self.tt_adjusted_eval(eval, record)),
            correction,
            ..self.node_context::<N>(position, record, tt_move, depth, ply, is_cut)
        };
        self.worker.stack[ply].was_pv = node.was_pv;
        node
    }

    /// Returns the facts about a node whose frame has a static evaluation. Fields that only
    /// [`Self::assess`] can fill stay empty.
    #[inline]
    pub(super) fn node_context<N: NodeKind>(
        &self,
        position: &Position,
        record: Option<Record>,
        tt_move: Option<Move>,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> NodeContext {
        let static_eval = self.worker.stack[ply].static_eval;
        NodeContext {
            depth,
            is_pv: N::IS_PV,
            was_pv: N::IS_PV || record.is_some_and(|record| record.is_pv),
            is_cut,
            is_improving: self.is_improving(static_eval, ply),
            tt_move,
            tt_move_is_noisy: tt_move.is_some_and(|mv| position.is_noisy(mv)),
            static_eval,
            raw_eval: None,
            eval: None,
            rivals_gap: 0,
            correction: 0,
        }
    }

    /// Returns the keys of the node's correction history entries.
    #[inline]
    pub(super) fn correction_keys(&self, position: &Position, ply: Ply) -> CorrectionKeys {
        CorrectionKeys::of(position, self.worker.stack.last_two_moves(ply))
    }

    /// Returns the correction of the node's static evaluation. Units: centipawns.
    #[inline]
    pub(super) fn correction(&self, position: &Position, ply: Ply) -> i32 {
        self.corrections.correction(self.toggles, &self.correction_keys(position, ply))
    }

    /// Whether the static evaluation rose since our last move, or since the one before if that was
    /// in check. True where neither is known; false in check.
    #[inline]
    fn is_improving(&self, static_eval: Option<Score>, ply: Ply) -> bool {
        if !on!(self.toggles, Improving) {
            return false;
        }
        let Some(eval) = static_eval else { return false };
        let [last, before] = OUR_LAST_MOVES.map(|back| self.worker.stack.before(ply, back).static_eval);
        last.or(before).is_none_or(|earlier| eval > earlier)
    }
}
