//! MTD(f): the value of the root by null windows alone, each answer moving one of two bounds.
//!
//! Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms" (1996). It lives on
//! the hash table: without it every pass is a search from scratch.

use crate::search::switches::Toggles;
use crate::search::worker::{Known, Search, Stopped};
use crate::types::{Bound, Depth, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// The minimax value of the root, starting from a guess.
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
                // The move that failed high is the one to go on with.
                self.sort_root_moves(first);
                self.keep_lower_bound(first);
            }
        }
        // The two bounds met: no single pass says so, but together they are exact.
        self.worker.root_moves[first].known = Known { score, bound: Bound::Exact };
        Ok(score)
    }
}
