//! Textbook search algorithms for any game, as published, with node counts.
//!
//! Sources: alpha-beta as in D. Knuth and R. Moore, "An Analysis of Alpha-Beta Pruning" (1975);
//! fail-soft by J. Fishburn (1983); principal variation search by T. Marsland and M. Campbell
//! (1982); `NegaScout` by A. Reinefeld (1983); MTD(f) by A. Plaat (1995).

use std::collections::HashMap;

use super::tree::Game;

/// A bound beyond every value of a game.
pub(super) const INFINITE: i32 = 1_000_000_000;

/// The counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Visits {
    /// All nodes, including leaves.
    pub(super) nodes: u64,
    /// Positions evaluated: at depth 0, or with the game over.
    pub(super) leaves: u64,
}

/// Searches every move of every node.
pub(super) fn minimax(game: &impl Game, depth: u32, visits: &mut Visits) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return game.value();
    }
    let children = (0..game.moves()).map(|number| -minimax(&game.play(number), depth - 1, visits));
    children.max().unwrap_or(-INFINITE)
}

/// Searches with fail-soft alpha-beta.
pub(super) fn alpha_beta<G: Game>(game: &G, depth: u32, window: (i32, i32), visits: &mut Visits) -> i32 {
    alpha_beta_by(&G::value, game, depth, window, visits)
}

/// Searches with fail-soft alpha-beta on another value of the leaves.
pub(super) fn alpha_beta_by<G: Game>(
    value_of: &impl Fn(&G) -> i32,
    game: &G,
    depth: u32,
    (mut alpha, beta): (i32, i32),
    visits: &mut Visits,
) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return value_of(game);
    }
    let mut best = -INFINITE;
    for number in 0..game.moves() {
        let value = -alpha_beta_by(value_of, &game.play(number), depth - 1, (-beta, -alpha), visits);
        best = best.max(value);
        alpha = alpha.max(best);
        if best >= beta {
            return best;
        }
    }
    best
}

/// Searches with PVS: null windows for all moves but the first, and a re-search on fail high.
pub(super) fn pvs(game: &impl Game, depth: u32, (mut alpha, beta): (i32, i32), visits: &mut Visits) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return game.value();
    }
    let mut best = -pvs(&game.play(0), depth - 1, (-beta, -alpha), visits);
    for number in 1..game.moves() {
        if best >= beta {
            break;
        }
        alpha = alpha.max(best);
        let child = game.play(number);
        let value = -pvs(&child, depth - 1, (-alpha - 1, -alpha), visits);
        if value > alpha && value < beta {
            best = best.max(-pvs(&child, depth - 1, (-beta, -value), visits));
        } else {
            best = best.max(value);
        }
    }
    best
}

/// Searches with `NegaScout`: like [`pvs`], but without re-search at depth 2 or less, where the
/// null-window value is exact.
pub(super) fn nega_scout(
    game: &impl Game,
    depth: u32,
    (mut alpha, beta): (i32, i32),
    visits: &mut Visits,
) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return game.value();
    }
    let (mut best, mut window) = (-INFINITE, beta);
    for number in 0..game.moves() {
        let child = game.play(number);
        let mut value = -nega_scout(&child, depth - 1, (-window, -alpha), visits);
        if number > 0 && value > alpha && value < beta && depth > 2 {
            value = -nega_scout(&child, depth - 1, (-beta, -value), visits);
        }
        best = best.max(value);
        alpha = alpha.max(best);
        if alpha >= beta {
            return best;
        }
        window = alpha + 1;
    }
    best
}

/// The lower and upper bound stored for a node.
type Bounds = (i32, i32);

/// An MTD(f) search with an unlimited table. Nodes are identified by their path, so transpositions
/// are not detected.
pub(super) struct Memory(HashMap<Vec<u8>, Bounds>);

impl Memory {
    pub(super) fn new() -> Self {
        Self(HashMap::new())
    }

    /// Searches with MTD(f): null windows that converge to the value from a first guess.
    pub(super) fn mtdf(&mut self, game: &impl Game, depth: u32, guess: i32, visits: &mut Visits) -> i32 {
        let (mut low, mut high, mut value) = (-INFINITE, INFINITE, guess);
        while low < high {
            let beta = if value == low { value + 1 } else { value };
            value = self.null_window(game, depth, beta, &mut Vec::new(), visits);
            if value < beta {
                high = value;
            } else {
                low = value;
            }
        }
        value
    }

    fn null_window(
        &mut self,
        game: &impl Game,
        depth: u32,
        beta: i32,
        path: &mut Vec<u8>,
        visits: &mut Visits,
    ) -> i32 {
        if let Some(&(low, high)) = self.0.get(path.as_slice()) {
            if low >= beta {
                return low;
            }
            if high < beta {
                return high;
            }
        }
        visits.nodes += 1;
        let value = if depth == 0 || game.moves() == 0 {
            visits.leaves += 1;
            game.value()
        } else {
            let mut best = -INFINITE;
            for number in 0..game.moves() {
                path.push(number as u8);
                best = best.max(-self.null_window(&game.play(number), depth - 1, 1 - beta, path, visits));
                path.pop();
                if best >= beta {
                    break;
                }
            }
            best
        };
        let bounds = self.0.entry(path.clone()).or_insert((-INFINITE, INFINITE));
        if depth == 0 {
            *bounds = (value, value);
        } else if value >= beta {
            bounds.0 = value;
        } else {
            bounds.1 = value;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::tree::{Growth, Node, Order};

    #[test]
    fn best_order_visits_the_minimal_tree() {
        for (width, depth) in [(3, 4), (5, 3), (38, 3)] {
            let growth = Growth { width, order: Order::First(1.0), spread: 100, is_shrinking: false };
            let mut visits = Visits::default();
            alpha_beta(&Node::root(growth, 1, 0), depth, (-INFINITE, INFINITE), &mut visits);
            let power = |exponent: u32| (width as u64).pow(exponent);
            assert_eq!(visits.leaves, power(depth.div_ceil(2)) + power(depth / 2) - 1);
        }
    }

    #[test]
    fn all_algorithms_find_the_minimax_value() {
        let window = (-INFINITE, INFINITE);
        for width in [5, 7] {
            for order in [Order::Worst, Order::First(0.0), Order::First(0.6), Order::First(1.0)] {
                for seed in 0..30 {
                    let root = Node::root(Growth { width, order, spread: 30, is_shrinking: false }, seed, 5);
                    let mut visits = Visits::default();
                    assert_eq!(minimax(&root, 5, &mut visits), 5);
                    let all = visits.leaves;
                    assert_eq!(alpha_beta(&root, 5, window, &mut visits), 5);
                    assert_eq!(pvs(&root, 5, window, &mut visits), 5);
                    assert_eq!(nega_scout(&root, 5, window, &mut visits), 5);
                    for guess in [5, 0, 40] {
                        let mut memory = Visits::default();
                        assert_eq!(Memory::new().mtdf(&root, 5, guess, &mut memory), 5);
                        assert!(memory.leaves <= all, "every leaf is evaluated at most once");
                    }
                }
            }
        }
    }
}
