//! Claims about game trees, tested on synthetic trees.

use super::chess::{ratio_of_family, shown};
use super::claim::{Claim, Effort, Finding, claims};
use super::drivers::{
    Bound, Fail, INFINITE, Memory, Visits, alpha_beta, alpha_beta_deep, minimax, nega_scout, pvs,
};
use super::noughts::{self, Noughts};
use super::tree::{Game, Growth, Node, Order, Width};
use super::verdicts::{self, Ratio};
use stretto_harness::base::random::SplitMix64;

const WINDOW: (i32, i32) = (-INFINITE, INFINITE);

/// The longest game of noughts and crosses.
const NOUGHTS_PLIES: u32 = 9;

pub(super) const CLAIMS: &[Claim] = claims! {
    N5 [TreeSearch, Owen] "Minimax visits W^D leaves, and so does alpha-beta with moves ordered worst first"
        Whole(worst_order);
    N6 [TreeSearch, Owen] "With moves ordered best first, alpha-beta visits W^⌈D/2⌉ + W^⌊D/2⌋ − 1 leaves"
        Whole(best_order);
    N9 [Owen] "Alpha-beta always returns the minimax value"
        Sized(same_value);
    N10 [Owen] "Deep cutoffs occur only at depth four or more"
        Sized(deep_cutoffs);
    N11 [TreeSearch] "Outside its window, fail-soft alpha-beta still returns a bound"
        Sized(soft_bounds);
    N16 [TreeSearch] "Principal variation search gains more from null windows than its re-searches cost"
        Sized(null_windows);
};

/// Returns the number of leaves that a search visits.
fn leaves(search: impl FnOnce(&mut Visits) -> i32) -> u64 {
    let mut visits = Visits::default();
    search(&mut visits);
    visits.leaves
}

fn uniform(width: usize, order: Order) -> Growth {
    Growth { width: Width::Uniform(width), order, spread: 100, is_shrinking: false }
}

/// Sizes of the exhaustively searched trees.
const SIZES: [(usize, u32); 6] = [(3, 4), (3, 5), (5, 4), (6, 6), (10, 5), (38, 3)];

fn worst_order() -> Finding {
    let rows: Vec<(u64, u64, [u64; 2])> = SIZES
        .iter()
        .map(|&(width, depth)| {
            let even = uniform(width, Order::Worst);
            // Wide enough that differences remain at the last ply.
            let spread = (2 * width as u64).pow(depth);
            let shrinking = Growth { spread, is_shrinking: true, ..even };
            let all = leaves(|visits| minimax(&Node::root(even, 1, 0), depth, visits));
            let pruned = [even, shrinking].map(|growth| {
                let root = Node::root(growth, 1, 0);
                leaves(|visits| alpha_beta(&root, depth, WINDOW, Fail::Soft, visits))
            });
            ((width as u64).pow(depth), all, pruned)
        })
        .collect();
    let verdict = verdicts::worst_order(&rows);
    let whole = rows.iter().filter(|&&(expected, all, _)| all == expected).count();
    let kept = |place: usize| rows.iter().filter(|&&(expected, _, pruned)| pruned[place] == expected).count();
    let least =
        rows.iter().map(|&(expected, _, pruned)| pruned[0] as f64 / expected as f64).fold(1.0, f64::min);
    let measured = format!(
        "W^D leaves in {whole} of {} trees by minimax; by alpha-beta in {} where differences between moves are constant and in {} where \
         they shrink with depth; deep cutoffs leave as few as {:.0} %",
        rows.len(),
        kept(0),
        kept(1),
        100.0 * least
    );
    let table = SIZES.iter().zip(&rows).map(|(&(width, depth), &(expected, all, [even, shrinking]))| {
        [
            width.to_string(),
            depth.to_string(),
            expected.to_string(),
            all.to_string(),
            even.to_string(),
            shrinking.to_string(),
        ]
        .to_vec()
    });
    Finding::new(verdict, measured).with(
        "Leaves with moves ordered worst first, for constant and shrinking differences between moves",
        vec!["W", "D", "W^D", "minimax", "alpha-beta, constant", "alpha-beta, shrinking"],
        table.collect(),
    )
}

fn best_order() -> Finding {
    let rows: Vec<(u64, u64)> = SIZES
        .iter()
        .map(|&(width, depth)| {
            let root = Node::root(uniform(width, Order::Best), 1, 0);
            let found = leaves(|visits| alpha_beta(&root, depth, WINDOW, Fail::Soft, visits));
            let power = |exponent: u32| (width as u64).pow(exponent);
            (power(depth.div_ceil(2)) + power(depth / 2) - 1, found)
        })
        .collect();
    let table = SIZES.iter().zip(&rows).map(|(&(width, depth), &(expected, found))| {
        [width.to_string(), depth.to_string(), expected.to_string(), found.to_string()].to_vec()
    });
    let exact = rows.iter().filter(|(expected, found)| expected == found).count();
    let measured = format!("exactly this number in {exact} of {} trees", rows.len());
    Finding::new(verdicts::best_order(&rows), measured).with(
        "Leaves with moves ordered best first",
        vec!["W", "D", "W^⌈D/2⌉ + W^⌊D/2⌋ − 1", "alpha-beta"],
        table.collect(),
    )
}

/// The parameters of a random tree: its growth, the value of its root and its depth.
type Shape = (Growth, i32, u32);

/// Returns the parameters of the tree of a seed, which are independent of each other.
fn shape(seed: u64) -> Shape {
    // A seed has fewer than 32 bits, so no two parameters of any trees share their random bits.
    let below = |parameter: u64, limit: u64| SplitMix64::mix(seed ^ parameter << 32) % limit;
    let width = match below(1, 2) {
        0 => Width::Uniform(2 + below(2, 6) as usize),
        _ => Width::Random(9),
    };
    let order = [Order::First(0.0), Order::First(0.7), Order::Best, Order::Worst][below(3, 4) as usize];
    // Sometimes all moves have the same value.
    let spread = if below(4, 7) == 0 { 0 } else { 40 };
    (Growth { width, order, spread, is_shrinking: false }, below(5, 21) as i32 - 10, 1 + below(6, 6) as u32)
}

/// Returns trees of many kinds, each with its depth.
fn forest(count: u64) -> impl Iterator<Item = (Node, u32)> {
    (0..count).map(|seed| {
        let (growth, value, depth) = shape(seed);
        (Node::root(growth, seed, value), depth)
    })
}

fn same_value(effort: Effort) -> Finding {
    let trees = effort.pick(2000, 40_000);
    let different = forest(trees).filter(|(root, depth)| has_another_value(root, *depth)).count() as u64;
    let positions = noughts::reachable_positions();
    let in_noughts = positions.iter().filter(|position| has_another_value(*position, NOUGHTS_PLIES)).count();
    let (in_noughts, boards) = (in_noughts as u64, positions.len() as u64);
    let measured = format!(
        "the same value in {} of {trees} random trees of 1 to 6 plies, and in {} of the {boards} positions of noughts and crosses; \
         `cargo test -p stretto-engine --test drivers` checks all drivers on chess positions",
        trees - different,
        boards - in_noughts
    );
    Finding::new(verdicts::no_exception(different + in_noughts, trees + boards), measured).with(
        "The whole game of noughts and crosses: a draw",
        vec!["search", "nodes", "games to the end"],
        whole_noughts(),
    )
}

/// Whether a form of alpha-beta finds another value than minimax.
fn has_another_value(root: &impl Game, depth: u32) -> bool {
    let mut visits = Visits::default();
    let truth = minimax(root, depth, &mut visits);
    let is_another = |&fail: &Fail| alpha_beta(root, depth, WINDOW, fail, &mut visits) != truth;
    [Fail::Hard, Fail::Soft].iter().any(is_another)
}

/// Returns the size of the search of noughts and crosses, by algorithm.
fn whole_noughts() -> Vec<Vec<String>> {
    let start = Noughts::default();
    let mut visits = [(); 3].map(|()| Visits::default());
    let [all, pruned, null_windows] = &mut visits;
    minimax(&start, NOUGHTS_PLIES, all);
    alpha_beta(&start, NOUGHTS_PLIES, WINDOW, Fail::Soft, pruned);
    pvs(&start, NOUGHTS_PLIES, WINDOW, null_windows);
    let names = ["minimax", "alpha-beta", "PVS"].into_iter();
    let rows = names.zip(visits).map(|(name, Visits { nodes, leaves, .. })| {
        [name.to_owned(), nodes.to_string(), leaves.to_string()].to_vec()
    });
    rows.collect()
}

fn deep_cutoffs(effort: Effort) -> Finding {
    let trees = effort.pick(200, 2000);
    let edge = |value| Bound { value, ply: 0 };
    let counts: Vec<(u64, u64)> = (1..=7)
        .map(|depth| {
            let mut visits = Visits::default();
            for seed in 0..trees {
                let growth = Growth {
                    width: Width::Uniform(4),
                    order: Order::First(0.3),
                    spread: 40,
                    is_shrinking: false,
                };
                let root = Node::root(growth, seed, 0);
                alpha_beta_deep(&root, depth, 0, (edge(-INFINITE), edge(INFINITE)), &mut visits);
            }
            (visits.deep_cutoffs, visits.nodes)
        })
        .collect();
    let deep: Vec<u64> = counts.iter().map(|&(deep, _)| deep).collect();
    let shallow: u64 = deep[..3].iter().sum();
    let rows = (1..).zip(&counts).map(|(depth, (deep, nodes))| {
        let share = 1000.0 * *deep as f64 / *nodes as f64;
        vec![depth.to_string(), deep.to_string(), format!("{share:.2}")]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let share = 1000.0 * counts[6].0 as f64 / counts[6].1 as f64;
    let measured =
        format!("{shallow} up to depth 3, {} at depth 4; {share:.2} per thousand nodes at depth 7", deep[3]);
    Finding::new(verdicts::deep_cutoffs(&deep), measured).with(
        "Cutoffs by a bound from three or more plies above; W = 4, best move first in at least 3 of 10 nodes",
        vec!["depth", "deep cutoffs", "per thousand nodes"],
        rows,
    )
}

fn soft_bounds(effort: Effort) -> Finding {
    let (mut wrong, mut outside, mut tighter) = (0, 0, 0);
    let count = effort.pick(2000, 40_000);
    for (root, depth) in forest(count) {
        let mut visits = Visits::default();
        let truth = minimax(&root, depth, &mut visits);
        for (alpha, beta) in [(truth + 3, truth + 9), (truth - 9, truth - 3), (truth - 5, truth + 5)] {
            let value = alpha_beta(&root, depth, (alpha, beta), Fail::Soft, &mut visits);
            let holds = match value {
                value if value <= alpha => truth <= value,
                value if value >= beta => truth >= value,
                value => truth == value,
            };
            wrong += u64::from(!holds);
            if value <= alpha || value >= beta {
                outside += 1;
                tighter += u64::from(value < alpha || value > beta);
            }
        }
    }
    let share = 100.0 * tighter as f64 / outside as f64;
    let measured = format!(
        "{wrong} wrong bounds in {} searches; {share:.0} % of the failing ones return a tighter bound than the window",
        3 * count
    );
    Finding::new(verdicts::no_exception(wrong, 3 * count), measured)
}

/// Share of nodes in which the best move comes first for certain. In the others its index is random,
/// so that it may come first there too. Units: percent.
const QUALITIES: [u32; 11] = [0, 20, 40, 50, 60, 70, 80, 90, 95, 98, 100];

/// Size of the trees on which null windows are tested.
const NULL_WINDOW_TREES: (usize, u32) = (12, 6);

fn null_windows(effort: Effort) -> Finding {
    let trees = effort.pick(4, 24);
    let (width, depth) = NULL_WINDOW_TREES;
    let found = QUALITIES.map(|quality| {
        let growth = Growth {
            width: Width::Uniform(width),
            order: Order::First(f64::from(quality) / 100.0),
            spread: 100,
            is_shrinking: false,
        };
        let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
        for seed in 0..trees {
            let root = Node::root(growth, seed, 0);
            let base = leaves(|visits| alpha_beta(&root, depth, WINDOW, Fail::Soft, visits)) as f64;
            // A guess like the previous iteration's score: off by a few centipawns.
            let guess = root.value() + (seed % 9) as i32 - 4;
            let others = [
                leaves(|visits| pvs(&root, depth, WINDOW, visits)),
                leaves(|visits| nega_scout(&root, depth, WINDOW, visits)),
                leaves(|visits| Memory::new().mtdf(&root, depth, guess, visits)),
            ];
            for (ratios, other) in ratios.iter_mut().zip(others) {
                ratios.push(other as f64 / base);
            }
        }
        let alone = vec![1.0; trees as usize];
        ratios.map(|ratios| ratio_of_family(&ratios, &alone, QUALITIES.len()))
    });
    null_windows_finding(&found)
}

/// Returns the finding from the leaves of PVS, `NegaScout` and MTD(f) relative to alpha-beta, by
/// quality of the ordering.
fn null_windows_finding(found: &[[Ratio; 3]; QUALITIES.len()]) -> Finding {
    let (width, depth) = NULL_WINDOW_TREES;
    let pvs = found.map(|[pvs, ..]| pvs);
    let percent = QUALITIES.map(|quality| format!("{quality} %"));
    let gains = percent.iter().zip(&pvs).filter(|(_, ratio)| ratio.high < 1.0).map(|(name, _)| name.as_str());
    let gains: Vec<&str> = gains.collect();
    let fewer = if gains.is_empty() {
        "significantly fewer in no row".to_owned()
    } else {
        format!(
            "significantly fewer if the best move comes first for certain in {} of the nodes and at a random place in the others",
            gains.join(", ")
        )
    };
    let least = pvs.iter().map(|ratio| ratio.mean).fold(f64::INFINITY, f64::min);
    let most = pvs.iter().map(|ratio| ratio.mean).fold(0.0, f64::max);
    let measured = format!(
        "on trees of {width}^{depth} leaves, {least:.3} to {most:.3} times the leaves of alpha-beta; {fewer}"
    );
    let rows = percent.iter().zip(found).map(|(name, ratios)| {
        [name.clone()].into_iter().chain(ratios.iter().map(|&ratio| shown(ratio))).collect()
    });
    Finding::new(verdicts::null_windows(&pvs), measured).with(
        format!(
            "Leaves relative to alpha-beta (95 %, for all rows together); W = {width}, D = {depth}; the best move comes first for certain \
             in this share of the nodes, and at a random place, which may be the first, in the others; MTD(f) has a table of all nodes and a first guess at most 4 off, \
             which the others lack"
        ),
        vec!["first for certain", "PVS", "NegaScout", "MTD(f)"],
        rows.collect(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn random_trees_have_every_combination_of_their_parameters() {
        let kind = |seed| {
            let (Growth { width, order, spread, .. }, _, depth) = shape(seed);
            format!("{width:?}, {order:?}, {spread}, {depth}")
        };
        // Six uniform widths and a random one, four orders, two spreads, six depths.
        let kinds: HashSet<String> = (0..20_000).map(kind).collect();
        assert_eq!(kinds.len(), 7 * 4 * 2 * 6);
    }

    #[test]
    fn ordering_quality_is_described_as_certain_or_random() {
        let mut found = [[Ratio::ONE; 3]; QUALITIES.len()];
        let none = null_windows_finding(&found);
        assert!(none.measured.ends_with("; significantly fewer in no row"), "{}", none.measured);
        found[1][0] = Ratio { mean: 0.8, low: 0.7, high: 0.9 };
        // MTD(f) does not count.
        found[2][2] = Ratio { mean: 0.5, low: 0.4, high: 0.6 };
        let some = null_windows_finding(&found);
        assert!(
            some.measured
                .contains("first for certain in 20 % of the nodes and at a random place in the others"),
            "{}",
            some.measured
        );
        let figures = &some.figures[0];
        assert!(
            figures.title.contains("first for certain in this share of the nodes, and at a random place")
        );
        assert_eq!(figures.rows[1][..2], ["20 %", "0.800 (0.700 to 0.900)"]);
        assert_eq!((figures.rows.len(), figures.rows[2].len()), (QUALITIES.len(), 4));
    }
}
