//! Alpha-beta, fail-soft (fail-hard with `FailSoft` off), with the picker's move ordering and no pruning.

use super::learning::TriedMoves;
use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::draw;
use crate::search::heuristics::history::context::HistoryContext;
use crate::search::node_types::Pv;
use crate::search::picker::{MoveOrder, Picker};
use crate::search::switches::Toggles;
use crate::types::{Depth, MAX_PLY, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the score of the node if it lies inside the window, otherwise a bound on it.
    pub(super) fn alphabeta(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        self.worker.stack.line(ply).clear();
        let depth = depth + self.check_extension(position, ply);
        if depth <= Depth::ZERO || ply.index() >= MAX_PLY {
            return self.leaf::<Pv>(position, window, ply);
        }
        self.enter_node(ply)?;
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }

        let mut alpha = window.alpha;
        let mut best: Option<Score> = None;
        let context = HistoryContext::of(position, self.worker.stack.previous_moves(ply));
        let mut picker = Picker::all(None, self.refutations(ply));
        let mut searched = 0;
        self.worker.keys.push(position.key());
        loop {
            let order =
                MoveOrder { toggles: self.toggles, histories: self.histories, context: Some(&context) };
            let Some(mv) = picker.next(position, &order) else { break };
            self.prefetch(position, mv);
            self.note_move(position, mv, ply, 0);
            let mut child = *position;
            child.play(mv);
            let score = -self.alphabeta(&child, -Window::new(alpha, window.beta), depth - 1, ply.next())?;
            searched += 1;
            best = best.max(Some(score));
            if score > alpha {
                alpha = score;
                self.worker.stack.extend_line(ply, mv);
            }
            if score >= window.beta {
                self.count_cutoff(ply, searched);
                self.learn_cutoff(position, &context, mv, &TriedMoves::default(), depth, ply);
                break;
            }
        }
        self.worker.keys.pop();
        let best = best.unwrap_or(if position.is_check() { Score::mated_in(ply) } else { Score::DRAW });
        Ok(self.returned(best, window))
    }
}
