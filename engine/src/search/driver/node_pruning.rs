//! Pruning of a whole node, in this order: razoring, reverse futility, null move, small ProbCut and
//! ProbCut.
//!
//! The caller is `node`, at nodes with a null window.

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::heuristics::experimental::mate_threat;
use crate::search::heuristics::piece_to::PieceTo;
use crate::search::heuristics::{null_move, prob_cut, razoring, reverse_futility, small_prob_cut};
use crate::search::node_types::{NodeContext, NonPv};
use crate::search::picker::{MoveOrder, Picker};
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Bound, Depth, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the score of the node if one of the heuristics prunes it; never in check.
    #[inline]
    pub(super) fn prune_node(
        &mut self,
        position: &Position,
        node: &NodeContext,
        window: Window,
        record: Option<Record>,
        ply: Ply,
    ) -> Result<Option<Score>, Stopped> {
        let toggles = self.toggles;
        let Some(eval) = node.eval else { return Ok(None) };
        let beta = window.beta;

        if on!(toggles, Razoring) && razoring::is_hopeless(toggles, eval, window.alpha, node.depth) {
            let score = self.leaf::<NonPv>(position, Window::null_above(window.alpha), ply)?;
            if score <= window.alpha {
                return Ok(Some(score));
            }
        }

        if on!(toggles, ReverseFutility)
            && !node.was_pv
            && let Some(score) = reverse_futility::score(toggles, node, eval, beta)
        {
            return Ok(Some(score));
        }

        if on!(toggles, NullMove)
            && node.is_cut
            && ply >= self.worker.null_move_from
            && self.worker.stack.before(ply, 1).current.is_some()
            && let Some(reduction) = null_move::reduction(toggles, position, node, beta)
            && let Some(score) = self.null_move(position, beta, node.depth, reduction, ply)?
        {
            return Ok(Some(score));
        }

        if on!(toggles, SmallProbCut)
            && let Some(record) = record
            && let Some(score) = small_prob_cut::score(toggles, beta, node.depth, &record)
        {
            return Ok(Some(score));
        }

        if on!(toggles, ProbCut)
            && let Some(plan) = prob_cut::plan(toggles, node, beta, record.as_ref())
        {
            return self.prob_cut(position, node, plan, ply);
        }
        Ok(None)
    }

    /// Searches the position after a null move. Returns a score if that fails high and any
    /// verification confirms it.
    pub(super) fn null_move(
        &mut self,
        position: &Position,
        beta: Score,
        depth: Depth,
        reduction: i32,
        ply: Ply,
    ) -> Result<Option<Score>, Stopped> {
        let stack = &mut self.worker.stack;
        let frame = &mut stack[ply];
        frame.current = None;
        frame.piece_to = PieceTo::NONE;
        frame.capture = None;
        frame.is_extended = false;
        let double_extensions = frame.double_extensions;
        let fraction = frame.fraction;
        stack.after_mut(ply, 1).double_extensions = double_extensions;
        self.carry_fraction(ply, fraction);
        self.worker.accumulators.note_null_move(ply);
        let child = position.after_null();
        self.prefetch_here(&child);
        self.worker.keys.push(position.key());
        let below = Window::null_below(beta);
        let reduced = depth - reduction;
        let score = -self.node::<NonPv>(&child, -below, reduced, ply.next(), false)?;
        self.worker.keys.pop();
        if on!(self.toggles, MateThreatExtension) {
            self.worker.stack[ply].is_mate_threatened = score.is_mate() && score < Score::DRAW
                || reduced <= Depth::ZERO && mate_threat::can_mate_at_once(&child);
        }
        let cutoff = null_move::cutoff(score, beta);
        let is_verifying = self.worker.null_move_from > Ply::ROOT;
        if cutoff.is_none() || is_verifying || !null_move::needs_verification(self.toggles, depth) {
            return Ok(cutoff);
        }
        self.worker.null_move_from = null_move::verified_until(self.toggles, ply, reduced);
        let verified = self.node::<NonPv>(position, below, reduced, ply, false)?;
        self.worker.null_move_from = Ply::ROOT;
        Ok(cutoff.filter(|_| verified >= beta))
    }

    /// Searches captures that may reach the raised beta, by quiescence first and then at the planned
    /// depth.
    pub(super) fn prob_cut(
        &mut self,
        position: &Position,
        node: &NodeContext,
        plan: prob_cut::Plan,
        ply: Ply,
    ) -> Result<Option<Score>, Stopped> {
        let missing = plan.beta - node.static_eval.unwrap_or(plan.beta);
        let below = -Window::null_below(plan.beta);
        let mut picker = Picker::captures(position, node.tt_move);
        self.worker.keys.push(position.key());
        let mut found = None;
        loop {
            let order = MoveOrder { toggles: self.toggles, histories: self.histories, context: None };
            let Some(mv) = picker.next(position, &order) else { break };
            self.prefetch(position, mv);
            if !position.see_at_least(mv, missing) {
                continue;
            }
            self.note_move(position, mv, ply, 0);
            let mut child = *position;
            child.play(mv);
            let mut score = -self.leaf::<NonPv>(&child, below, ply.next())?;
            if score >= plan.beta && plan.depth > Depth::ZERO {
                score = -self.node::<NonPv>(&child, below, plan.depth, ply.next(), !node.is_cut)?;
            }
            if score >= plan.beta {
                found = Some((mv, score));
                break;
            }
        }
        self.worker.keys.pop();
        let Some((mv, score)) = found else { return Ok(None) };
        let record = Record {
            mv: Some(mv),
            score: score.to_tt(ply),
            static_eval: None,
            depth: (plan.depth + 1).max(Depth(1)),
            bound: Bound::Lower,
            is_pv: node.was_pv,
        };
        self.store(position, record);
        Ok(Some(score))
    }
}
