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
    /// Evaluated positions.
    pub(super) leaves: u64,
    /// Re-searches after a null window failed high.
    pub(super) researches: u64,
    /// Cutoffs by a bound set three or more plies above.
    pub(super) deep_cutoffs: u64,
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

/// The return value of alpha-beta outside its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fail {
    /// The window bound.
    Hard,
    /// The best value found.
    Soft,
}

/// Searches with alpha-beta in either form.
pub(super) fn alpha_beta(
    game: &impl Game,
    depth: u32,
    (mut alpha, beta): (i32, i32),
    fail: Fail,
    visits: &mut Visits,
) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return match fail {
            Fail::Soft => game.value(),
            Fail::Hard => game.value().clamp(alpha, beta),
        };
    }
    let mut best = if fail == Fail::Hard { alpha } else { -INFINITE };
    for number in 0..game.moves() {
        let value = -alpha_beta(&game.play(number), depth - 1, (-beta, -alpha), fail, visits);
        best = best.max(value);
        alpha = alpha.max(best);
        if best >= beta {
            return if fail == Fail::Hard { beta } else { best };
        }
    }
    best
}

/// Searches with alpha-beta and counts deep cutoffs.
///
/// A cutoff by a bound of the parent is ordinary; by a bound set three or more plies above it is
/// deep.
pub(super) fn alpha_beta_deep(
    game: &impl Game,
    depth: u32,
    ply: u32,
    (mut alpha, beta): (Bound, Bound),
    visits: &mut Visits,
) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return game.value();
    }
    let mut best = -INFINITE;
    for number in 0..game.moves() {
        let value =
            -alpha_beta_deep(&game.play(number), depth - 1, ply + 1, (beta.turned(), alpha.turned()), visits);
        best = best.max(value);
        if best > alpha.value {
            alpha = Bound { value: best, ply };
        }
        if best >= beta.value {
            visits.deep_cutoffs += u64::from(ply >= beta.ply + 3);
            return best;
        }
    }
    best
}

/// A bound and the ply of the node that set it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) value: i32,
    pub(super) ply: u32,
}

impl Bound {
    fn turned(self) -> Self {
        Self { value: -self.value, ply: self.ply }
    }
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
            visits.researches += 1;
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
            visits.researches += 1;
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
    use crate::claims::tree::{Growth, Node, Order, Width};

    #[test]
    fn all_algorithms_find_the_minimax_value() {
        let window = (-INFINITE, INFINITE);
        for width in [Width::Uniform(5), Width::Random(7)] {
            for order in [Order::Best, Order::Worst, Order::First(0.0), Order::First(0.6)] {
                for seed in 0..30 {
                    let root = Node::root(Growth { width, order, spread: 30, is_shrinking: false }, seed, 5);
                    let mut visits = Visits::default();
                    assert_eq!(minimax(&root, 5, &mut visits), 5);
                    let all = visits.leaves;
                    for fail in [Fail::Hard, Fail::Soft] {
                        assert_eq!(alpha_beta(&root, 5, window, fail, &mut visits), 5);
                    }
                    let edge = |value| Bound { value, ply: 0 };
                    assert_eq!(
                        alpha_beta_deep(&root, 5, 0, (edge(-INFINITE), edge(INFINITE)), &mut visits),
                        5
                    );
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

    #[test]
    fn fail_hard_and_fail_soft_visit_the_same_nodes() {
        for seed in 0..30 {
            let growth = Growth {
                width: Width::Uniform(5),
                order: Order::First(0.5),
                spread: 30,
                is_shrinking: false,
            };
            let root = Node::root(growth, seed, 0);
            let visits = |fail| {
                let mut visits = Visits::default();
                alpha_beta(&root, 6, (-INFINITE, INFINITE), fail, &mut visits);
                visits
            };
            assert_eq!(visits(Fail::Hard), visits(Fail::Soft));
        }
    }
}
