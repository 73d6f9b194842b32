//! What cuts a whole node without trying its moves one by one: razoring, reverse futility, null move, ProbCut.
//!
//! Asked by `pvs` at nodes with a null window that are not in check, cheapest bet first.

use super::pvs::NonPv;
use crate::position::Position;
use crate::search::heuristics::history::Landing;
use crate::search::heuristics::{NodeContext, null_move, prob_cut, razoring, reverse_futility};
use crate::search::picker::{Ordering, Picker};
use crate::search::switches::{Toggles, on};
use crate::search::worker::{Search, Stopped};
use crate::tt::Record;
use crate::types::{Bound, Depth, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// The score of the node, if one of the bets cuts it.
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
            let score = self.leaf(position, Window::null_above(window.alpha), ply)?;
            if score <= window.alpha {
                return Ok(Some(score));
            }
        }

        if on!(toggles, ReverseFutility)
            && !node.was_pv
            && let Some(score) = reverse_futility::verdict(toggles, node, eval, beta)
        {
            return Ok(Some(score));
        }

        if on!(toggles, NullMove)
            && node.is_cut
            && ply >= self.worker.null_move_from
            && self.worker.frames.before(ply, 1).current.is_some()
            && let Some(reduction) = null_move::reduction(toggles, position, node, beta)
            && let Some(score) = self.pass(position, beta, node.depth, reduction, ply)?
        {
            return Ok(Some(score));
        }

        if on!(toggles, SmallProbCut)
            && let Some(record) = record
            && let Some(score) = prob_cut::small(toggles, beta, node.depth, &record)
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

    /// Searches the position after passing; a score if that cuts the node.
    fn pass(
        &mut self,
        position: &Position,
        beta: Score,
        depth: Depth,
        reduction: i32,
        ply: Ply,
    ) -> Result<Option<Score>, Stopped> {
        let frames = &mut self.worker.frames;
        let frame = &mut frames[ply];
        frame.current = None;
        frame.landing = Landing::NONE;
        frame.capture = None;
        frame.reduction = 0;
        let doubled = frame.doubled;
        frames.after(ply, 1).doubled = doubled;
        self.worker.keys.push(position.key());
        let below = Window::null_below(beta);
        let reduced = depth - reduction;
        let score = -self.pvs::<NonPv>(&position.after_null(), -below, reduced, ply.next(), false)?;
        self.worker.keys.pop();
        let verdict = null_move::verdict(score, beta);
        let is_verifying = self.worker.null_move_from > Ply::ROOT;
        if verdict.is_none() || is_verifying || !null_move::needs_verification(self.toggles, depth) {
            return Ok(verdict);
        }
        self.worker.null_move_from = null_move::quiet_until(ply, reduced);
        let verified = self.pvs::<NonPv>(position, below, reduced, ply, false)?;
        self.worker.null_move_from = Ply::ROOT;
        Ok(verdict.filter(|_| verified >= beta))
    }

    /// Tries captures that may beat the raised beta: by quiescence, and then by the planned search.
    fn prob_cut(
        &mut self,
        position: &Position,
        node: &NodeContext,
        plan: prob_cut::Plan,
        ply: Ply,
    ) -> Result<Option<Score>, Stopped> {
        let missing = plan.beta - node.static_eval.unwrap_or(plan.beta);
        let below = -Window::null_below(plan.beta);
        let mut picker = Picker::captures(position, node.hash_move);
        self.worker.keys.push(position.key());
        let mut found = None;
        loop {
            let order = Ordering { toggles: self.toggles, histories: self.histories, at: None };
            let Some(mv) = picker.next(position, &order) else { break };
            if !position.see_at_least(mv, missing) {
                continue;
            }
            let child = self.play(position, mv, ply, 0);
            let mut score = -self.leaf(&child, below, ply.next())?;
            if score >= plan.beta && plan.depth > Depth::ZERO {
                score = -self.pvs::<NonPv>(&child, below, plan.depth, ply.next(), !node.is_cut)?;
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
            score: score.to_table(ply),
            static_eval: None,
            depth: (plan.depth + 1).max(Depth(1)),
            bound: Bound::Lower,
            is_pv: node.was_pv,
        };
        self.store(position, record);
        Ok(Some(score))
    }
}
