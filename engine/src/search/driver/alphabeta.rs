//! Alpha-beta: negamax that leaves out what cannot matter, fail-soft, with the picker's move order.

use super::learning::Tried;
use crate::position::Position;
use crate::search::draw;
use crate::search::heuristics::check_extension;
use crate::search::heuristics::history::Surroundings;
use crate::search::picker::{Ordering, Picker};
use crate::search::switches::{Toggles, on};
use crate::search::worker::{Search, Stopped};
use crate::types::{Depth, MAX_PLY, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// The value of the node if it lies inside the window, otherwise a bound on it.
    pub(super) fn alphabeta(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Result<Score, Stopped> {
        let mut depth = depth;
        if on!(self.toggles, CheckExtension) {
            depth += check_extension::plies(position.is_check(), ply, self.worker.iteration);
        }
        if depth <= Depth::ZERO || ply.index() >= MAX_PLY {
            return self.leaf(position, window, ply);
        }
        self.enter_node(ply)?;
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }

        let mut alpha = window.alpha;
        let mut best: Option<Score> = None;
        let at = Surroundings::of(position, self.worker.frames.landings(ply), ply);
        let mut picker = Picker::all(None, self.refutations(ply));
        self.worker.keys.push(position.key());
        loop {
            let order = Ordering { toggles: self.toggles, histories: self.histories, at: Some(&at) };
            let Some(mv) = picker.next(position, &order) else { break };
            let child = self.play(position, mv, ply, 0);
            let score = -self.alphabeta(&child, -Window::new(alpha, window.beta), depth - 1, ply.next())?;
            best = best.max(Some(score));
            alpha = alpha.max(score);
            if score >= window.beta {
                self.note_cutoff(position, &at, mv, &Tried::default(), depth, ply);
                break;
            }
        }
        self.worker.keys.pop();
        Ok(best.unwrap_or(if position.is_check() { Score::mated_in(ply) } else { Score::DRAW }))
    }
}
