//! B*: a best-first search that proves which move is best, without a depth.
//!
//! Every node has an optimistic and a pessimistic value, which enclose its true value. The search
//! ends when one move's pessimistic value is at least the optimistic value of all others. It works
//! towards this end by two strategies: to prove the best move by raising its pessimistic value, or
//! to disprove the rest by lowering the optimistic value of the next best.
//!
//! Source: H. Berliner, "The B* Tree Search Algorithm: A Best-First Proof Procedure" (1979).

use super::drivers::{INFINITE, Visits};
use super::estimates::Uncertain;
use super::tree::Game;

/// A node of the search tree.
struct Entry {
    game: Uncertain,
    pessimistic: i32,
    optimistic: i32,
    /// Indices of the children; empty before the node is expanded.
    children: Vec<usize>,
}

/// The tree of a B* search.
pub(super) struct BStar {
    entries: Vec<Entry>,
}

/// The move that is proved best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    pub(super) best: usize,
    /// A bound that separates the best move from the others: its value is at least this, theirs at
    /// most.
    pub(super) separator: i32,
}

impl BStar {
    /// Creates a tree with only the root.
    pub(super) fn new(root: &Uncertain) -> Self {
        let (pessimistic, optimistic) = root.bounds();
        Self { entries: vec![Entry { game: *root, pessimistic, optimistic, children: Vec::new() }] }
    }

    /// Returns the pessimistic and the optimistic value of a child, from its parent's point of view.
    fn seen_by_parent(&self, child: usize) -> (i32, i32) {
        (-self.entries[child].optimistic, -self.entries[child].pessimistic)
    }

    /// Generates the children of a node.
    fn expand(&mut self, index: usize, visits: &mut Visits) {
        let game = self.entries[index].game;
        for number in 0..game.moves() {
            let child = game.play(number);
            let (pessimistic, optimistic) = child.bounds();
            visits.nodes += 1;
            let place = self.entries.len();
            self.entries.push(Entry { game: child, pessimistic, optimistic, children: Vec::new() });
            self.entries[index].children.push(place);
        }
    }

    /// Recomputes the bounds of a node from its children. Bounds only become narrower.
    fn back_up(&mut self, index: usize) {
        if self.entries[index].children.is_empty() {
            return;
        }
        let children = &self.entries[index].children;
        let bounds = children.iter().map(|&child| self.seen_by_parent(child));
        let (pessimistic, optimistic) = bounds
            .reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))
            .unwrap_or((-INFINITE, INFINITE));
        let entry = &mut self.entries[index];
        entry.pessimistic = entry.pessimistic.max(pessimistic);
        entry.optimistic = entry.optimistic.min(optimistic);
    }

    /// Expands the leaf below a child that a node's optimistic value depends on, and backs up.
    fn expand_below(&mut self, from: usize, visits: &mut Visits) {
        let mut path = vec![from];
        let mut here = from;
        while !self.entries[here].children.is_empty() {
            // The opponent's most hopeful reply, then ours.
            let children = self.entries[here].children.iter().copied();
            let Some(next) = children.max_by_key(|&child| self.seen_by_parent(child).1) else { break };
            path.push(next);
            here = next;
        }
        self.expand(here, visits);
        for &index in path.iter().rev() {
            self.back_up(index);
        }
    }

    /// Returns the proof if the root's bounds already hold one.
    fn proof(&self) -> Option<Proof> {
        let children = &self.entries[0].children;
        let (best, separator) = children
            .iter()
            .map(|&child| self.seen_by_parent(child).0)
            .enumerate()
            .max_by_key(|&(_, pessimistic)| pessimistic)?;
        let others = children.iter().enumerate().filter(|&(number, _)| number != best);
        let is_proved = others.map(|(_, &child)| self.seen_by_parent(child).1).all(|hope| hope <= separator);
        is_proved.then_some(Proof { best, separator })
    }

    /// Searches until one move is proved best; `None` if that takes more than `most` nodes.
    pub(super) fn prove(&mut self, most: u64, visits: &mut Visits) -> Option<Proof> {
        visits.nodes += 1;
        if self.entries[0].children.is_empty() {
            self.expand(0, visits);
        }
        loop {
            if let Some(proof) = self.proof() {
                return Some(proof);
            }
            if visits.nodes >= most {
                return None;
            }
            let mut order: Vec<usize> = self.entries[0].children.clone();
            order.sort_by_key(|&child| std::cmp::Reverse(self.seen_by_parent(child).1));
            let (first, second) = (order[0], order[1]);
            // The strategy with the smaller distance to its goal. Proving raises the pessimistic value
            // of the best move to the other's hope; disproving lowers that hope.
            let most_pessimistic = order.iter().map(|&child| self.seen_by_parent(child).0).max();
            let to_prove = self.seen_by_parent(second).1 - self.seen_by_parent(first).0;
            let to_disprove = self.seen_by_parent(second).1 - most_pessimistic.unwrap_or(-INFINITE);
            // A move whose value is known has no hope left to lose.
            let (pessimistic, optimistic) = self.seen_by_parent(second);
            let is_open = pessimistic < optimistic;
            let chosen = if is_open && 2 * to_prove > 3 * to_disprove { second } else { first };
            self.expand_below(chosen, visits);
            self.back_up(0);
        }
    }
}

/// A position whose bounds are known: the pessimistic and the optimistic value.
#[derive(Clone)]
struct Known {
    game: Uncertain,
    bounds: (i32, i32),
}

impl Known {
    /// Evaluates the position after a move, which counts as a node.
    fn after(parent: &Uncertain, number: usize, visits: &mut Visits) -> Self {
        visits.nodes += 1;
        let game = parent.play(number);
        let bounds = game.bounds();
        Self { game, bounds }
    }

    /// Returns twice the middle of the bounds; the lower, the better for the parent.
    fn middle(&self) -> i32 {
        self.bounds.0 + self.bounds.1
    }
}

/// Proves the best move by searches to fixed depths, each one ply deeper than the last: the
/// pessimistic values by alpha-beta, then by null windows that no other move has more hope. Moves are
/// sorted by their bounds; at the root the best move of the last search comes first. Returns the
/// proof and its depth; `None` if that takes more than `most` nodes.
pub(super) fn prove_by_depth(root: &Uncertain, most: u64, visits: &mut Visits) -> Option<(Proof, u32)> {
    visits.nodes += 1;
    let children: Vec<Known> = (0..root.moves()).map(|number| Known::after(root, number, visits)).collect();
    let mut order: Vec<usize> = (0..children.len()).collect();
    order.sort_by_key(|&number| children[number].middle());
    for depth in 1.. {
        let (mut best, mut separator) = (order.first().copied()?, -INFINITE);
        for &number in &order {
            let window = (-INFINITE, -separator);
            let value = -bound(&children[number], depth - 1, window, Side::Optimistic, most, visits);
            if value > separator {
                (best, separator) = (number, value);
            }
        }
        let mut others = order.iter().filter(|&&number| number != best);
        let is_proved = others.all(|&number| {
            let window = (-separator - 1, -separator);
            -bound(&children[number], depth - 1, window, Side::Pessimistic, most, visits) <= separator
        });
        // A search that was broken off proves nothing.
        if visits.nodes >= most {
            return None;
        }
        if is_proved {
            return Some((Proof { best, separator }, depth));
        }
        order.retain(|&number| number != best);
        order.insert(0, best);
    }
    None
}

/// The bound of a leaf that a search backs up, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Pessimistic,
    Optimistic,
}

/// Searches one bound with alpha-beta. Children have the other bound from their own point of view.
/// The node's own bounds limit the value and may decide it, as in B*. Breaks off after `most` nodes.
fn bound(
    node: &Known,
    depth: u32,
    (mut alpha, beta): (i32, i32),
    side: Side,
    most: u64,
    visits: &mut Visits,
) -> i32 {
    if visits.nodes >= most {
        return 0;
    }
    let (game, (pessimistic, optimistic)) = (&node.game, node.bounds);
    let (own, is_decided, other) = match side {
        Side::Pessimistic => (pessimistic, pessimistic >= beta, Side::Optimistic),
        Side::Optimistic => (optimistic, optimistic <= alpha, Side::Pessimistic),
    };
    if depth == 0 || game.moves() == 0 || is_decided || pessimistic == optimistic {
        visits.leaves += 1;
        return own;
    }
    // Leaves are not sorted: each would have to be evaluated, also after a cutoff.
    let mut sorted: Vec<Known> = Vec::new();
    if depth > 1 {
        sorted.extend((0..game.moves()).map(|number| Known::after(game, number, visits)));
        sorted.sort_by_key(Known::middle);
    }
    let mut best = -INFINITE;
    for number in 0..game.moves() {
        let child = sorted.get(number).cloned().unwrap_or_else(|| Known::after(game, number, visits));
        let value = -bound(&child, depth - 1, (-beta, -alpha), other, most, visits);
        best = best.max(value);
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    if side == Side::Pessimistic { best.max(own) } else { best.min(own) }
}

#[cfg(test)]
mod tests {
    use super::super::estimates::estimated;
    use super::*;

    /// Returns the true value of each move of the root.
    fn values(root: &Uncertain) -> Vec<i32> {
        (0..root.moves()).map(|number| -root.play(number).value()).collect()
    }

    #[test]
    fn bounds_enclose_the_value() {
        fn check(game: &Uncertain, depth: u32) {
            let (pessimistic, optimistic) = game.bounds();
            assert!(pessimistic <= game.value() && game.value() <= optimistic);
            if depth > 0 {
                (0..game.moves()).for_each(|number| check(&game.play(number), depth - 1));
            }
        }
        (0..10).for_each(|seed| check(&estimated(4, 60.0, seed), 4));
    }

    #[test]
    fn both_proofs_find_a_best_move() {
        for seed in 0..60 {
            let root = estimated(5, 60.0, seed);
            let values = values(&root);
            let most = values.iter().copied().max().unwrap();
            let (mut one, mut other) = (Visits::default(), Visits::default());
            let first = BStar::new(&root).prove(1_000_000, &mut one).unwrap();
            let (second, depth) = prove_by_depth(&root, 10_000_000, &mut other).unwrap();
            for proof in [first, second] {
                assert_eq!(values[proof.best], most, "seed {seed}");
                assert!(proof.separator <= most);
                let rest = values.iter().enumerate().filter(|&(number, _)| number != proof.best);
                assert!(rest.clone().all(|(_, &value)| value <= proof.separator), "seed {seed}");
            }
            assert!(depth >= 1 && one.nodes > 5 && other.nodes > 5);
        }
    }

    /// Backs up a bound to a fixed depth without cutoffs.
    fn plain_bound(game: &Uncertain, depth: u32, side: Side) -> i32 {
        let (pessimistic, optimistic) = game.bounds();
        let (own, other) = match side {
            Side::Pessimistic => (pessimistic, Side::Optimistic),
            Side::Optimistic => (optimistic, Side::Pessimistic),
        };
        if depth == 0 || game.moves() == 0 || pessimistic == optimistic {
            return own;
        }
        let best = (0..game.moves()).map(|number| -plain_bound(&game.play(number), depth - 1, other)).max();
        let best = best.unwrap_or(own);
        if side == Side::Pessimistic { best.max(own) } else { best.min(own) }
    }

    #[test]
    fn proof_needs_the_first_depth_whose_bounds_hold_one() {
        for seed in 0..20 {
            let root = estimated(4, 60.0, seed);
            let (proof, depth) = prove_by_depth(&root, 10_000_000, &mut Visits::default()).unwrap();
            let seen = |depth: u32, side: Side| -> Vec<i32> {
                (0..root.moves()).map(|number| -plain_bound(&root.play(number), depth - 1, side)).collect()
            };
            let proves = |depth: u32, best: usize| {
                let (sure, hoped) = (seen(depth, Side::Optimistic), seen(depth, Side::Pessimistic));
                let others = hoped.iter().enumerate().filter(|&(number, _)| number != best);
                others.map(|(_, &hope)| hope).all(|hope| hope <= sure[best]).then_some(sure[best])
            };
            assert_eq!(proves(depth, proof.best), Some(proof.separator), "seed {seed}");
            for (less, best) in (1..depth).flat_map(|less| (0..root.moves()).map(move |best| (less, best))) {
                assert_eq!(proves(less, best), None, "seed {seed}, depth {less} of {depth}");
            }
        }
    }

    #[test]
    fn searches_give_up_at_their_limit() {
        let root = estimated(5, 400.0, 3);
        assert_eq!(BStar::new(&root).prove(3, &mut Visits::default()), None);
        assert_eq!(prove_by_depth(&root, 3, &mut Visits::default()), None);
    }
}
