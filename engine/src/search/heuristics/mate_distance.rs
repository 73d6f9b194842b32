//! Mate distance pruning.
//!
//! Bet: none. The best score of a node is mate with the next move, the worst is being mated now. A
//! window outside that range needs no search.
//! Preconditions: not at the root.
//! Soundness: exact for the score of the root.
//! Knobs: none.
//! Source: folklore; Chess Programming Wiki, "Mate Distance Pruning".
//! Evidence: `results/ablation.md`.

use crate::types::{Ply, Score, Window};

/// Clips the window to the scores possible at `ply`. The result may be empty (`alpha >= beta`).
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
    fn window_of_a_longer_mate_is_empty() {
        assert_eq!(clip(Window::new(Score(-5), Score(5)), Ply(9)), Window::new(Score(-5), Score(5)));
        let known = Window::new(Score::mate_in(Ply(3)), Score::INFINITE);
        let clipped = clip(known, Ply(4));
        assert!(clipped.alpha >= clipped.beta, "a mate in five plies cannot improve on one in three");
        assert!(clip(known, Ply(1)).alpha < clip(known, Ply(1)).beta);
    }
}
