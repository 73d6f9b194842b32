//! The searches of the textbooks, for any game: each as it is written there, and counting what it visits.
//!
//! Sources: alpha-beta as in D. Knuth and R. Moore, "An Analysis of Alpha-Beta Pruning" (1975); fail-soft by J. Fishburn
//! (1983); principal variation search by T. Marsland and M. Campbell (1982); `NegaScout` by A. Reinefeld (1983); MTD(f) by
//! A. Plaat (1995).

use std::collections::HashMap;

use super::tree::Game;

/// Beyond every value of a game.
pub(super) const INFINITE: i32 = 1_000_000_000;

/// What a search visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Visits {
    /// All positions, leaves among them.
    pub(super) nodes: u64,
    /// Positions that were evaluated.
    pub(super) leaves: u64,
    /// Null windows that had to be searched again.
    pub(super) researches: u64,
    /// Cutoffs by a bound that comes from three plies above or more.
    pub(super) deep_cutoffs: u64,
}

/// Every move of every node.
pub(super) fn minimax(game: &impl Game, depth: u32, visits: &mut Visits) -> i32 {
    visits.nodes += 1;
    if depth == 0 || game.moves() == 0 {
        visits.leaves += 1;
        return game.value();
    }
    let children = (0..game.moves()).map(|number| -minimax(&game.play(number), depth - 1, visits));
    children.max().unwrap_or(-INFINITE)
}

/// What alpha-beta returns outside its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fail {
    /// The window's edge.
    Hard,
    /// The best bound it has found.
    Soft,
}

/// Alpha-beta, as either text has it.
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

/// Alpha-beta that knows how many plies above each bound was set, and counts cutoffs by bounds from far above.
///
/// A bound set at the parent makes an ordinary cutoff; one that stands since three plies above or more a deep one.
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

/// Principal variation search: all moves but the first by null windows, and again where those fail high.
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

/// `NegaScout`: the same, but the null window of a node two plies from the leaves or nearer is exact and is not repeated.
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

/// What a table remembers of a node: its value lies between these.
type Bounds = (i32, i32);

/// A search by null windows with a table that forgets nothing. Nodes are told apart by the way to them, so that nothing
/// but what was searched before is remembered.
pub(super) struct Memory(HashMap<Vec<u8>, Bounds>);

impl Memory {
    pub(super) fn new() -> Self {
        Self(HashMap::new())
    }

    /// MTD(f): null windows that close in on the value from a first guess.
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
        way: &mut Vec<u8>,
        visits: &mut Visits,
    ) -> i32 {
        if let Some(&(low, high)) = self.0.get(way.as_slice()) {
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
                way.push(number as u8);
                best = best.max(-self.null_window(&game.play(number), depth - 1, 1 - beta, way, visits));
                way.pop();
                if best >= beta {
                    break;
                }
            }
            best
        };
        let bounds = self.0.entry(way.clone()).or_insert((-INFINITE, INFINITE));
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
    fn all_find_the_value() {
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
                        assert!(memory.leaves <= all, "a leaf is evaluated once");
                    }
                }
            }
        }
    }

    #[test]
    fn hard_and_soft_visit_alike() {
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
