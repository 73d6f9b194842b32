//! Synthetic trees whose values are known to the experiment but not to the search: it sees bounds, or
//! a static evaluation with an error.

use super::tree::{Game, Growth, Node, Order};

/// A game whose positions have bounds of their values, from the side to move's point of view.
pub(super) trait Bounded: Game {
    /// Returns the pessimistic and the optimistic value.
    fn bounds(&self) -> (i32, i32);
}

/// A game with a static evaluation that may be wrong, from the side to move's point of view.
pub(super) trait Evaluated: Game {
    /// Returns the static evaluation.
    fn estimate(&self) -> i32;
}

fn growth(width: usize) -> Growth {
    Growth { width, order: Order::First(0.6), spread: 100, is_shrinking: false }
}

/// A position with bounds of its value that become narrower with every ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimated {
    node: Node,
    /// The width of the bounds.
    uncertainty: f64,
}

/// The width of the bounds at a ply, as a share of that at the ply before.
const NARROWING: f64 = 0.4;

/// Returns a tree with bounds that are `uncertainty` apart at the root.
pub(super) fn estimated(width: usize, uncertainty: f64, seed: u64) -> Estimated {
    Estimated { node: Node::root(growth(width), seed, 0), uncertainty }
}

impl Game for Estimated {
    fn moves(&self) -> usize {
        self.node.moves()
    }

    fn play(&self, number: usize) -> Self {
        Self { node: self.node.play(number), uncertainty: self.uncertainty * NARROWING }
    }

    fn value(&self) -> i32 {
        self.node.value()
    }
}

impl Bounded for Estimated {
    fn bounds(&self) -> (i32, i32) {
        // The value may be anywhere between the bounds. Less than one unit is certainty.
        let share = self.node.random(5);
        let below = (self.uncertainty * share) as i32;
        let above = (self.uncertainty * (1.0 - share)) as i32;
        (self.value() - below, self.value() + above)
    }
}

/// A position whose static evaluation has an error that does not depend on the depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noisy {
    node: Node,
    /// Largest error of the evaluation.
    error: f64,
}

/// Returns a tree whose evaluations are wrong by up to `error`.
pub(super) fn noisy(width: usize, error: f64, seed: u64) -> Noisy {
    Noisy { node: Node::root(growth(width), seed, 0), error }
}

impl Game for Noisy {
    fn moves(&self) -> usize {
        self.node.moves()
    }

    fn play(&self, number: usize) -> Self {
        Self { node: self.node.play(number), ..*self }
    }

    fn value(&self) -> i32 {
        self.node.value()
    }
}

impl Evaluated for Noisy {
    fn estimate(&self) -> i32 {
        self.value() + (self.error * (2.0 * self.node.random(6) - 1.0)).round() as i32
    }
}
