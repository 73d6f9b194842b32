//! Mate distance pruning.
//!
//! Bet: none. A node at this ply cannot be worth more than mating next, nor less than being mated now; where the
//! window lies outside, nothing found here can matter.
//! Preconditions: not at the root.
//! Soundness: exact for the root's score; a node's own bound may be cut to what matters.
//! Knobs: none.
//! Source: folklore; Chess Programming Wiki, "Mate Distance Pruning".
//! Evidence: `results/search.md`.

use crate::types::{Ply, Score, Window};

/// The window as far as a node at `ply` can reach; empty (`alpha >= beta`) where nothing is left.
#[inline]
pub(crate) fn clip(window: Window, ply: Ply) -> Window {
    let alpha = window.alpha.max(Score::mated_in(ply));
    let beta = window.beta.min(Score::mate_in(ply.next()));
    Window { alpha, beta }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shorter_mates_matter() {
        assert_eq!(clip(Window::new(Score(-5), Score(5)), Ply(9)), Window::new(Score(-5), Score(5)));
        let known = Window::new(Score::mate_in(Ply(3)), Score::INFINITE);
        let clipped = clip(known, Ply(4));
        assert!(clipped.alpha >= clipped.beta, "a mate in five plies cannot improve on one in three");
        assert!(clip(known, Ply(1)).alpha < clip(known, Ply(1)).beta);
    }
}
