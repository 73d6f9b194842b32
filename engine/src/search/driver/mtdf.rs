//! MTD(f): converges on the root score by null-window searches, each of which moves one of two
//! bounds.
//!
//! It depends on the TT: without one, every pass is a search from scratch.
//!
//! Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms"
//! (1996).

use crate::search::context::{Search, Stopped};
use crate::search::root_moves::RootScore;
use crate::search::switches::Toggles;
use crate::types::{Bound, Depth, Move, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// Returns the minimax score of the root, starting from a guess.
    pub(super) fn mtdf(&mut self, guess: Score, depth: Depth, first: usize) -> Result<Score, Stopped> {
        let mut score = guess;
        let (mut lower, mut upper) = (-Score::INFINITE, Score::INFINITE);
        while lower < upper {
            let beta = if score == lower { score + 1 } else { score };
            score = self.root(Window::null_below(beta), depth, first)?;
            if score < beta {
                upper = score;
            } else {
                lower = score;
                // The next pass starts with the move that failed high.
                self.sort_root_moves(first);
                self.keep_lower_bound(first);
            }
        }
        // The two bounds met, so together they are exact, though no single pass was.
        self.worker.root_moves[first].current = RootScore { score, bound: Bound::Exact };
        self.worker.root_moves[first].pv = self.line_of_table(self.worker.root_moves[first].mv, depth);
        Ok(score)
    }

    /// Returns `mv` and the moves of the TT that follow it, up to `depth` moves or a repetition.
    /// Null windows leave no other line.
    fn line_of_table(&self, mv: Move, depth: Depth) -> Vec<Move> {
        let mut position = *self.job.game.position();
        let mut keys = vec![position.key()];
        let mut line = vec![mv];
        position = position.after(mv);
        while line.len() < depth.0.max(1) as usize && !keys.contains(&position.key()) {
            let record = self.probe(&position, Ply(line.len() as u16));
            let Some(mv) = self.tt_move(&position, record) else { break };
            keys.push(position.key());
            line.push(mv);
            position = position.after(mv);
        }
        line
    }
}
