//! Claims about game trees, tested on synthetic trees.

use super::chess::{ratio_of_family, shown};
use super::claim::{Claim, Effort, Finding, claims};
use super::drivers::{INFINITE, Memory, Visits, alpha_beta, minimax, nega_scout, pvs};
use super::tree::{Game, Growth, Node, Order};
use super::verdicts::{self, Ratio};

const WINDOW: (i32, i32) = (-INFINITE, INFINITE);

pub(super) const CLAIMS: &[Claim] = claims! {
    N5 [TreeSearch, Owen] "Minimax visits W^D leaves, and so does alpha-beta with moves ordered worst first"
        Whole(worst_order);
    N6 [TreeSearch, Owen] "With moves ordered best first, alpha-beta visits W^⌈D/2⌉ + W^⌊D/2⌋ − 1 leaves"
        Arithmetic("proved by Knuth and Moore (1975); 1481 of 54,872 leaves with W = 38 and D = 3");
    N9 [Owen] "Alpha-beta always returns the minimax value"
        Arithmetic("proved by Knuth and Moore (1975); `cargo test -p stretto-engine --test drivers` checks all drivers on chess positions");
    N10 [Owen] "Deep cutoffs occur only at depth four or more"
        Arithmetic("the bound of a deep cutoff was set three or more plies above, and the node that is cut off has moves");
    N11 [TreeSearch] "Outside its window, fail-soft alpha-beta still returns a bound"
        Arithmetic("proved by Fishburn (1983): a value at or below the window is an upper bound, one at or above it a lower bound");
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
    Growth { width, order, spread: 100, is_shrinking: false }
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
                leaves(|visits| alpha_beta(&root, depth, WINDOW, visits))
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
            width,
            order: Order::First(f64::from(quality) / 100.0),
            spread: 100,
            is_shrinking: false,
        };
        let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
        for seed in 0..trees {
            let root = Node::root(growth, seed, 0);
            let base = leaves(|visits| alpha_beta(&root, depth, WINDOW, visits)) as f64;
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
    use super::*;

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
