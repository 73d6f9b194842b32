//! Plain negamax: every move of every node, without a window. The other drivers are tested against
//! it.

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::draw;
use crate::search::node_types::Pv;
use crate::search::switches::Toggles;
use crate::types::{Depth, MAX_PLY, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the minimax score of the node.
    pub(super) fn negamax(&mut self, position: &Position, depth: Depth, ply: Ply) -> Result<Score, Stopped> {
        self.worker.stack.line(ply).clear();
        let depth = depth + self.check_extension(position, ply);
        if depth <= Depth::ZERO || ply.index() >= MAX_PLY {
            return self.leaf::<Pv>(position, Window::FULL, ply);
        }
        self.enter_node(ply)?;
        if let Some(score) = draw::at_node(position, &self.worker.keys, ply) {
            return Ok(score);
        }

        let moves = position.legal_moves();
        if moves.is_empty() {
            return Ok(if position.is_check() { Score::mated_in(ply) } else { Score::DRAW });
        }
        let mut best = -Score::INFINITE;
        self.worker.keys.push(position.key());
        for &mv in &moves {
            self.note_move(position, mv, ply, 0);
            let mut child = *position;
            child.play(mv);
            let score = -self.negamax(&child, depth - 1, ply.next())?;
            if score > best {
                best = score;
                self.worker.stack.extend_line(ply, mv);
            }
        }
        self.worker.keys.pop();
        Ok(best)
    }
}
