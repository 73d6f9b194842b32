//! Conspiracy numbers: a best-first search that expands the leaves on which the root's value depends.
//!
//! The conspiracy number of a node for a value is the least number of leaves whose values must
//! change, all at once, for the node to reach that value. A root value that few leaves can overturn
//! is uncertain, so the search expands such leaves until none is left or its nodes are used up.
//!
//! Source: D. `McAllester`, "Conspiracy Numbers for Min-Max Search" (1988).

use super::drivers::Visits;
use super::estimates::Uncertain;
use super::tree::Game;

/// The number of conspirators that cannot be reached: the leaf is a terminal position.
const NEVER: u32 = 1_000_000;

/// A node of the search tree.
struct Entry {
    game: Uncertain,
    /// The static evaluation of a leaf, or the negamax value of the children.
    value: i32,
    children: Vec<usize>,
}

/// The tree of a search by conspiracy numbers.
pub(super) struct Conspiracy {
    entries: Vec<Entry>,
}

/// The direction of a change of a node's value, from the point of view of its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// To at least this value.
    Rise(i32),
    /// To at most this value.
    Fall(i32),
}

impl Change {
    /// Returns the same change of the parent's view for a child.
    fn turned(self) -> Self {
        match self {
            Self::Rise(value) => Self::Fall(-value),
            Self::Fall(value) => Self::Rise(-value),
        }
    }

    /// Whether a value is already there.
    fn is_met(self, value: i32) -> bool {
        match self {
            Self::Rise(limit) => value >= limit,
            Self::Fall(limit) => value <= limit,
        }
    }
}

impl Conspiracy {
    /// Creates a tree with the root and its children.
    pub(super) fn new(root: &Uncertain, visits: &mut Visits) -> Self {
        let mut tree =
            Self { entries: vec![Entry { game: *root, value: root.estimate(), children: Vec::new() }] };
        visits.nodes += 1;
        tree.expand(0, visits);
        tree
    }

    /// Generates the children of a leaf and sets its value.
    fn expand(&mut self, index: usize, visits: &mut Visits) {
        let game = self.entries[index].game;
        for number in 0..game.moves() {
            let child = game.play(number);
            visits.nodes += 1;
            visits.leaves += 1;
            let place = self.entries.len();
            self.entries.push(Entry { value: child.estimate(), game: child, children: Vec::new() });
            self.entries[index].children.push(place);
        }
        self.back_up(index);
    }

    fn back_up(&mut self, index: usize) {
        let children = self.entries[index].children.iter();
        if let Some(value) = children.map(|&child| -self.entries[child].value).max() {
            self.entries[index].value = value;
        }
    }

    /// Returns the conspiracy number of a node for a change.
    fn number(&self, index: usize, change: Change) -> u32 {
        let entry = &self.entries[index];
        if change.is_met(entry.value) {
            return 0;
        }
        if entry.children.is_empty() {
            return if entry.game.moves() == 0 { NEVER } else { 1 };
        }
        let numbers = entry.children.iter().map(|&child| self.number(child, change.turned()));
        match change {
            // One child suffices.
            Change::Rise(_) => numbers.min().unwrap_or(NEVER),
            // Every better move must become worse.
            Change::Fall(_) => numbers.sum::<u32>().min(NEVER),
        }
    }

    /// Returns the path to a leaf of a smallest conspiracy.
    fn conspirator(&self, from: usize, change: Change) -> Vec<usize> {
        let (mut path, mut here, mut change) = (vec![from], from, change);
        while !self.entries[here].children.is_empty() {
            change = change.turned();
            // The conspirators of a child whose change is met are none.
            let children = self.entries[here].children.iter().copied();
            let numbered = children.map(|child| (self.number(child, change), child));
            let Some((_, next)) = numbered.filter(|&(number, _)| number > 0).min() else { break };
            path.push(next);
            here = next;
        }
        path
    }

    /// Returns the best root move and the second best, by their values.
    fn leaders(&self) -> (usize, usize) {
        let children = &self.entries[0].children;
        let mut order: Vec<usize> = (0..children.len()).collect();
        order.sort_by_key(|&number| (self.entries[children[number]].value, number));
        (order[0], order.get(1).copied().unwrap_or(order[0]))
    }

    /// Expands conspirators until each overthrow of the best root move needs at least `threshold` of
    /// them, or the nodes are used up. Returns the best root move.
    pub(super) fn decide(&mut self, threshold: u32, most: u64, visits: &mut Visits) -> usize {
        while visits.nodes < most {
            let Some((from, change, _)) = self.weakest(threshold) else { break };
            let path = self.conspirator(from, change);
            let leaf = path.last().copied().unwrap_or(from);
            if self.entries[leaf].game.moves() == 0 {
                break;
            }
            self.expand(leaf, visits);
            for &index in path.iter().rev().skip(1) {
                self.back_up(index);
            }
            self.back_up(0);
        }
        self.leaders().0
    }

    /// Returns the overthrow of the best root move with the fewest conspirators, if they are fewer than
    /// `threshold`: the node that must change, how, and their number. Either the best move falls to
    /// the second, or another one rises to it.
    fn weakest(&self, threshold: u32) -> Option<(usize, Change, u32)> {
        let children = &self.entries[0].children;
        let (first, second) = self.leaders();
        let value = |number: usize| -self.entries[children[number]].value;
        let (best, next) = (value(first), value(second));
        let fall = (children[first], Change::Fall(next).turned());
        let others = (0..children.len()).filter(|&number| number != first);
        let rises = others.map(|number| (children[number], Change::Rise(best).turned()));
        let all = std::iter::once(fall).chain(rises).map(|(node, change)| {
            // A tie is no overthrow yet: with equal values one more centipawn is needed.
            let change = match change {
                Change::Rise(limit) if best == next => Change::Rise(limit + 1),
                Change::Fall(limit) if best == next => Change::Fall(limit - 1),
                change => change,
            };
            (node, change, self.number(node, change))
        });
        let weakest = all.filter(|&(_, _, number)| number > 0).min_by_key(|&(_, _, number)| number)?;
        (weakest.2 < threshold).then_some(weakest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimates::noisy;
    use super::*;

    /// Returns the least number of leaves whose change makes a node meet `change`, by trying all sets.
    fn by_sets(tree: &Conspiracy, index: usize, change: Change) -> u32 {
        /// Returns the best value that the changed leaves can give the side that wants it.
        fn value(tree: &Conspiracy, index: usize, changed: &[usize], extreme: i32) -> i32 {
            let entry = &tree.entries[index];
            if entry.children.is_empty() {
                return if changed.contains(&index) { extreme } else { entry.value };
            }
            let children = entry.children.iter();
            children.map(|&child| -value(tree, child, changed, -extreme)).max().unwrap_or(entry.value)
        }
        let leaves: Vec<usize> =
            (0..tree.entries.len()).filter(|&index| tree.entries[index].children.is_empty()).collect();
        assert!(leaves.len() < 20, "{} leaves", leaves.len());
        // Beyond every limit, in favour of the side that wants the change.
        let extreme = match change {
            Change::Rise(_) => 1_000_000,
            Change::Fall(_) => -1_000_000,
        };
        (0..1_u32 << leaves.len())
            .filter(|set| {
                let changed: Vec<usize> = leaves
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| set & (1 << place) != 0)
                    .map(|(_, &leaf)| leaf)
                    .collect();
                change.is_met(value(tree, index, &changed, extreme))
            })
            .map(u32::count_ones)
            .min()
            .unwrap_or(NEVER)
    }

    #[test]
    fn conspiracy_numbers_are_the_smallest_sets() {
        for seed in 0..12 {
            let mut visits = Visits::default();
            let mut tree = Conspiracy::new(&noisy(3, 30.0, seed), &mut visits);
            for index in [1, 3, 4] {
                tree.expand(index, &mut visits);
            }
            for index in [3, 1, 0] {
                tree.back_up(index);
            }
            let value = tree.entries[0].value;
            for step in [1, 5, 20, 60] {
                for change in [Change::Rise(value + step), Change::Fall(value - step)] {
                    assert_eq!(tree.number(0, change), by_sets(&tree, 0, change), "seed {seed} {change:?}");
                }
            }
            assert_eq!(tree.number(0, Change::Rise(value)), 0);
        }
    }

    #[test]
    fn search_ends_when_no_small_conspiracy_is_left() {
        for seed in 0..20 {
            let root = noisy(4, 20.0, seed);
            let mut visits = Visits::default();
            let mut tree = Conspiracy::new(&root, &mut visits);
            let best = tree.decide(3, 3000, &mut visits);
            assert!(best < 4 && visits.nodes <= 3004);
            if visits.nodes < 3000 {
                assert!(tree.weakest(3).is_none());
            }
        }
    }

    #[test]
    fn search_without_error_keeps_the_best_move() {
        let root = noisy(5, 0.0, 1);
        let mut visits = Visits::default();
        let best = Conspiracy::new(&root, &mut visits).decide(2, 500, &mut visits);
        let values: Vec<i32> = (0..5).map(|number| -root.play(number).value()).collect();
        assert_eq!(values[best], values.iter().copied().max().unwrap());
    }
}
