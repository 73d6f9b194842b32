//! Synthetic game trees with known values and a configurable move ordering.
//!
//! A tree is generated from the root: each node has a value, one move leads to a child with the
//! same value, and all others to worse ones. The minimax value of every node is thus known, and the
//! quality of the ordering is a parameter: how often the best move comes first for certain.

use stretto_harness::base::random::SplitMix64;

/// A game as searched by the drivers. Values are from the side to move's point of view.
pub(super) trait Game: Clone {
    /// Returns the number of moves; 0 if the game is over.
    fn moves(&self) -> usize;
    /// Returns the position after a move.
    fn play(&self, number: usize) -> Self;
    /// Returns the static value of the position.
    fn value(&self) -> i32;
}

/// The move ordering of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// Best move last, the others in ascending order.
    Worst,
    /// Best move first for certain in this share of the nodes; at a random index, which may be the
    /// first, in the others.
    First(f64),
}

/// The parameters of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    /// Number of moves of every node.
    pub(super) width: usize,
    pub(super) order: Order,
    /// Largest loss of a move against the best; 0 makes all moves equal.
    pub(super) spread: u64,
    /// Whether the total loss possible below a move is less than the difference to the next move.
    pub(super) is_shrinking: bool,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    growth: Growth,
    /// Seed of the subtree.
    seed: u64,
    value: i32,
}

/// Converts random bits to a number between 0 and 1.
fn share(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

impl Node {
    /// Returns the root of a tree with the given value.
    pub(super) fn root(growth: Growth, seed: u64, value: i32) -> Self {
        Self { growth, seed: SplitMix64::mix(seed ^ 0x5EED), value }
    }

    /// Returns the index of the best move.
    fn best(&self) -> usize {
        match self.growth.order {
            Order::Worst => self.growth.width - 1,
            Order::First(often) if share(SplitMix64::mix(self.seed ^ 2)) < often => 0,
            Order::First(_) => (SplitMix64::mix(self.seed ^ 3) % self.growth.width as u64) as usize,
        }
    }

    /// Returns the loss of a move against the best.
    fn loss(&self, number: usize) -> i32 {
        let rank = match self.growth.order {
            Order::Worst => self.growth.width - 1 - number,
            Order::First(_) if self.growth.spread == 0 => return 0,
            Order::First(_) => {
                return 1 + (SplitMix64::mix(self.seed ^ (16 + number as u64)) % self.growth.spread) as i32;
            }
        };
        // In sorted order, each slightly worse than the previous one.
        (rank as u64 * self.growth.spread.div_ceil(self.growth.width.max(1) as u64)) as i32
    }

    /// Returns a number between 0 and 1 that is fixed for this node and `salt`.
    pub(super) fn random(&self, salt: u64) -> f64 {
        share(SplitMix64::mix(self.seed ^ SplitMix64::mix(salt)))
    }
}

impl Game for Node {
    fn moves(&self) -> usize {
        self.growth.width
    }

    fn play(&self, number: usize) -> Self {
        let value = if number == self.best() { self.value } else { self.value - self.loss(number) };
        let mut growth = self.growth;
        if growth.is_shrinking {
            growth.spread /= 2 * self.growth.width as u64;
        }
        let step = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number as u64 + 1);
        Self { growth, seed: SplitMix64::mix(self.seed.wrapping_add(step)), value: -value }
    }

    fn value(&self) -> i32 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the minimax value by full search.
    fn minimax(node: &Node, depth: u32) -> i32 {
        if depth == 0 {
            return node.value();
        }
        (0..node.moves()).map(|number| -minimax(&node.play(number), depth - 1)).max().unwrap_or(node.value())
    }

    #[test]
    fn minimax_value_equals_the_declared_value() {
        for width in [4, 6] {
            for order in [Order::Worst, Order::First(0.0), Order::First(0.5), Order::First(1.0)] {
                for seed in 0..20 {
                    let root = Node::root(Growth { width, order, spread: 50, is_shrinking: false }, seed, 17);
                    assert_eq!(minimax(&root, 5), 17, "{width} {order:?}");
                }
            }
        }
    }

    #[test]
    fn best_move_has_the_configured_index() {
        let first = |order| {
            let growth = Growth { width: 5, order, spread: 50, is_shrinking: false };
            let roots = (0..2000).map(|seed| Node::root(growth, seed, 0));
            roots.filter(|root| root.play(0).value() == 0).count()
        };
        assert_eq!((first(Order::First(1.0)), first(Order::Worst)), (2000, 0));
        // In half of the nodes for certain, in the others with a probability of one in five.
        assert!(first(Order::First(0.5)).abs_diff(1200) < 90);
        assert!(first(Order::First(0.0)).abs_diff(400) < 70);
    }
}
