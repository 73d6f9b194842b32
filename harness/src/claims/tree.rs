//! Games to search that are not chess: trees grown from a seed, whose values and order of moves are as wanted.
//!
//! A tree is made from the root down: each node has a value, one of its moves leads to a node that is worth just as much
//! to the other side, and all others are worth less. So the minimax value of every node is known beforehand, and how well
//! moves are ordered is a number: how often the best one comes first. Claims about trees are tested on trees.

/// What the drivers search. A value is for the side to move.
pub(super) trait Game: Clone {
    /// How many moves there are; 0 ends the game.
    fn moves(&self) -> usize;
    /// The position after the move with this number.
    fn play(&self, number: usize) -> Self;
    /// What the position is worth without looking ahead.
    fn value(&self) -> i32;
}

/// How the moves of a node are ordered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// The best first, the others from good to bad.
    Best,
    /// The best last, the others from bad to good.
    Worst,
    /// The best first in this share of the nodes, anywhere in the others.
    First(f64),
}

/// How many moves a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// So many.
    Uniform(usize),
    /// 1 to so many, each as likely.
    Random(usize),
}

/// A kind of tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    pub(super) width: Width,
    pub(super) order: Order,
    /// How much worse than the best other moves are, at most; 0 makes all alike.
    pub(super) spread: u64,
    /// Is all that can be lost below a move less than what there is between it and the next?
    pub(super) is_shrinking: bool,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    growth: Growth,
    /// Everything random below the node.
    seed: u64,
    value: i32,
    width: usize,
}

/// Scatters bits (the finaliser of `SplitMix64`).
fn scatter(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A number between 0 and 1 out of random bits.
fn share(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

impl Node {
    /// The root of a tree, worth so much.
    pub(super) fn root(growth: Growth, seed: u64, value: i32) -> Self {
        Self::new(growth, scatter(seed ^ 0x5EED), value)
    }

    fn new(growth: Growth, seed: u64, value: i32) -> Self {
        let width = match growth.width {
            Width::Uniform(width) => width,
            Width::Random(most) => 1 + (scatter(seed ^ 1) % most as u64) as usize,
        };
        Self { growth, seed, value, width }
    }

    /// Which move is the best.
    fn best(&self) -> usize {
        match self.growth.order {
            Order::Best => 0,
            Order::Worst => self.width - 1,
            Order::First(often) if share(scatter(self.seed ^ 2)) < often => 0,
            Order::First(_) => (scatter(self.seed ^ 3) % self.width as u64) as usize,
        }
    }

    /// How much worse than the best a move is.
    fn loss(&self, number: usize) -> i32 {
        let rank = match self.growth.order {
            Order::Best => number,
            Order::Worst => self.width - 1 - number,
            Order::First(_) => {
                return if self.growth.spread == 0 {
                    0
                } else {
                    1 + (scatter(self.seed ^ (16 + number as u64)) % self.growth.spread) as i32
                };
            }
        };
        // In order, each a little worse than the one before.
        (rank as u64 * self.growth.spread.div_ceil(self.width.max(1) as u64)) as i32
    }
}

impl Game for Node {
    fn moves(&self) -> usize {
        self.width
    }

    fn play(&self, number: usize) -> Self {
        let value = if number == self.best() { self.value } else { self.value - self.loss(number) };
        let mut growth = self.growth;
        if growth.is_shrinking {
            growth.spread /= 2 * self.width as u64;
        }
        Self::new(
            growth,
            scatter(self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number as u64 + 1))),
            -value,
        )
    }

    fn value(&self) -> i32 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimax value, by looking.
    fn minimax(node: &Node, depth: u32) -> i32 {
        if depth == 0 {
            return node.value();
        }
        (0..node.moves()).map(|number| -minimax(&node.play(number), depth - 1)).max().unwrap_or(node.value())
    }

    #[test]
    fn nodes_are_worth_what_they_say() {
        for width in [Width::Uniform(4), Width::Random(6)] {
            for order in [Order::Best, Order::Worst, Order::First(0.0), Order::First(0.5), Order::First(1.0)]
            {
                for seed in 0..20 {
                    let root = Node::root(Growth { width, order, spread: 50, is_shrinking: false }, seed, 17);
                    assert_eq!(minimax(&root, 5), 17, "{width:?} {order:?}");
                }
            }
        }
    }

    #[test]
    fn the_best_move_is_where_it_should_be() {
        let first = |order| {
            let growth = Growth { width: Width::Uniform(5), order, spread: 50, is_shrinking: false };
            let roots = (0..2000).map(|seed| Node::root(growth, seed, 0));
            roots.filter(|root| root.play(0).value() == 0).count()
        };
        assert_eq!((first(Order::Best), first(Order::First(1.0)), first(Order::Worst)), (2000, 2000, 0));
        // Half of the nodes for sure, the others by one chance in five.
        assert!(first(Order::First(0.5)).abs_diff(1200) < 90);
        assert!(first(Order::First(0.0)).abs_diff(400) < 70);
    }

    #[test]
    fn widths_are_as_wanted() {
        let growth = Growth { width: Width::Random(9), order: Order::Best, spread: 9, is_shrinking: false };
        let widths: Vec<usize> = (0..9000).map(|seed| Node::root(growth, seed, 0).moves()).collect();
        for width in 1..=9 {
            assert!(widths.iter().filter(|&&found| found == width).count().abs_diff(1000) < 150);
        }
    }
}
