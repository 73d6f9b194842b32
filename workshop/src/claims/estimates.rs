//! Synthetic trees whose values are known to the experiment but not to the search: it sees bounds, or
//! a static evaluation with an error.

use super::tree::{Game, Growth, Node, Order};

/// A position whose value the search does not see exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uncertain {
    node: Node,
    /// The width of the bounds, and the largest error of the evaluation.
    spread: f64,
    /// The spread at a ply, as a share of that at the ply before.
    narrowing: f64,
}

impl Uncertain {
    fn root(width: usize, seed: u64, spread: f64, narrowing: f64) -> Self {
        let growth = Growth { width, order: Order::First(0.6), spread: 100, is_shrinking: false };
        Self { node: Node::root(growth, seed, 0), spread, narrowing }
    }
}

/// Returns a tree with bounds that are `uncertainty` apart at the root and become narrower with every ply.
pub(super) fn estimated(width: usize, uncertainty: f64, seed: u64) -> Uncertain {
    Uncertain::root(width, seed, uncertainty, 0.4)
}

/// Returns a tree whose evaluations are wrong by up to `error` at every depth.
pub(super) fn noisy(width: usize, error: f64, seed: u64) -> Uncertain {
    Uncertain::root(width, seed, error, 1.0)
}

impl Game for Uncertain {
    fn moves(&self) -> usize {
        self.node.moves()
    }

    fn play(&self, number: usize) -> Self {
        Self { node: self.node.play(number), spread: self.spread * self.narrowing, ..*self }
    }

    fn value(&self) -> i32 {
        self.node.value()
    }
}

impl Uncertain {
    /// Returns the pessimistic and the optimistic value, from the side to move's point of view.
    pub(super) fn bounds(&self) -> (i32, i32) {
        // The value may be anywhere between the bounds. Less than one unit is certainty.
        let share = self.node.random(5);
        let below = (self.spread * share) as i32;
        let above = (self.spread * (1.0 - share)) as i32;
        (self.value() - below, self.value() + above)
    }

    /// Returns the static evaluation, from the side to move's point of view.
    pub(super) fn estimate(&self) -> i32 {
        self.value() + (self.spread * (2.0 * self.node.random(6) - 1.0)).round() as i32
    }
}
