//! Experiments on the branching factor and the depth that pruning gains.

use stretto::search::driver_kind::Driver;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, Timed, nodes, ratio, shown, side_by_side};
use super::super::claim::{Effort, Finding, mean_and_half, plus_minus};
use super::super::verdicts::{self, Ratio};
use super::positions::positions;

/// Depth of the minimax searches. Two plies more would take about 600 times the nodes.
const MINIMAX_DEPTH: u32 = 4;

/// Returns the node ratio over two plies, by position.
fn growth(setup: &Setup, fens: &[&str], depth: u32) -> Vec<f64> {
    let [deep, shallow] = [depth, depth - 2].map(|depth| nodes(&setup.to_depth(fens, depth)));
    deep.iter().zip(&shallow).map(|(deep, shallow)| deep / shallow).collect()
}

/// Returns the effective branching factor relative to another one, from the node ratios over two
/// plies, whose square roots the factors are.
fn factor(growth: &[f64], other: &[f64]) -> Ratio {
    let Ratio { mean, low, high } = ratio(growth, other);
    Ratio { mean: mean.sqrt(), low: low.sqrt(), high: high.sqrt() }
}

pub(super) fn effective_branching(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 20));
    let bare = Setup::bare();
    let captures_first = bare.clone().with(Switch::MvvLva, true);
    let learning = [Switch::History, Switch::Killers, Switch::CounterMoves, Switch::ContinuationHistory];
    let learning = captures_first.clone().with_all(&learning, true);
    let one = vec![1.0; fens.len()];
    let minimax = growth(&bare.clone().driver(Driver::Negamax), &fens, MINIMAX_DEPTH);
    let depth = effort.pick(5, 6);
    let found =
        [bare, captures_first, learning].map(|setup| growth(&setup.driver(Driver::AlphaBeta), &fens, depth));
    let ordering = factor(&found[1], &found[0]);
    let found = found.map(|growth| factor(&growth, &one).mean);
    branching_finding(factor(&minimax, &one).mean, depth, found, ordering)
}

/// Returns the finding from the factors of minimax and of alpha-beta at `depth`: without ordering,
/// with captures first and with all heuristics. `ordering` is the factor with captures first relative
/// to that without ordering.
fn branching_finding(minimax: f64, depth: u32, found: [f64; 3], ordering: Ratio) -> Finding {
    // Alpha-beta goes deeper than minimax, so its factor may be below the root of the other.
    let root = minimax.sqrt();
    let [none, captures, all] = found;
    let rows = [
        ("minimax".to_owned(), MINIMAX_DEPTH, minimax),
        (format!("square root of minimax (depth {MINIMAX_DEPTH})"), MINIMAX_DEPTH, root),
        ("alpha-beta, no ordering".to_owned(), depth, none),
        ("alpha-beta, captures first".to_owned(), depth, captures),
        ("alpha-beta, captures, killers, histories".to_owned(), depth, all),
    ];
    let rows = rows.map(|(name, depth, factor)| vec![name, depth.to_string(), format!("{factor:.2}")]);
    let measured = format!(
        "minimax {minimax:.1} at depth {MINIMAX_DEPTH}, whose square root is {root:.1}; alpha-beta at depth {depth}: {none:.1} unordered, \
         {captures:.1} with captures first, {all:.1} with all heuristics; captures first multiply the factor by {}",
        shown(ordering)
    );
    Finding::new(verdicts::effective_branching(captures, root, ordering), measured).with(
        "Effective branching factor with static leaves: square root of the nodes to depth D relative to those to depth D − 2",
        vec!["search", "D", "factor"],
        rows.to_vec(),
    )
}

/// Heuristics that order moves.
const ORDERING: [Switch; 4] = [Switch::MvvLva, Switch::History, Switch::Killers, Switch::CounterMoves];

pub(super) fn twice_the_depth(effort: Effort) -> Finding {
    let fens = positions(effort.pick(4, 12));
    let rounds = effort.pick(1, 3);
    let minimax = Setup::bare().hash(1).driver(Driver::Negamax);
    let ordered = Setup::bare().hash(1).with_all(&ORDERING, true).driver(Driver::AlphaBeta);
    let mut rows = Vec::new();
    let mut factors = Vec::new();
    for depth in 2..=effort.pick(3, 4) {
        // By position: the depth for the nodes, and for the time.
        let mut reached = Vec::new();
        for &fen in &fens {
            let mut deepest = [f64::from(depth); 2];
            for deeper in depth + 1..=2 * depth + 1 {
                // Times that are compared are measured in turn.
                let pair = [Timed::to_depth(&minimax, depth), Timed::to_depth(&ordered, deeper)];
                let costs = side_by_side(&pair, &[fen], rounds);
                let [budget, spent] = costs.as_slice() else { return Finding::no_memory() };
                let is_within = [spent.nodes[0] <= budget.nodes[0], spent.seconds[0] <= budget.seconds[0]];
                for (deepest, is_within) in deepest.iter_mut().zip(is_within) {
                    if is_within {
                        *deepest = f64::from(deeper);
                    }
                }
                if is_within == [false; 2] {
                    break;
                }
            }
            reached.push(deepest.map(|deepest| deepest / f64::from(depth)));
        }
        let [by_nodes, by_time] =
            [0, 1].map(|unit| mean_and_half(&reached.iter().map(|one| one[unit]).collect::<Vec<_>>()));
        factors.push([by_nodes, by_time]);
        let cell = |(mean, half): (f64, f64)| plus_minus(mean, half, 2);
        rows.push(vec![depth.to_string(), cell(by_nodes), cell(by_time)]);
    }
    let Some(&[(by_nodes, _), (by_time, half)]) = factors.last() else {
        return Finding::undecided("no depth was searched");
    };
    let measured = format!(
        "{} times the depth in the time of minimax, {by_nodes:.2} times with its nodes",
        plus_minus(by_time, half, 2)
    );
    Finding::new(verdicts::twice_the_depth((by_time, half)), measured).with(
        "Depth of alpha-beta relative to minimax (95 %)",
        vec!["depth of minimax", "with its nodes", "in its time"],
        rows,
    )
}

pub(super) fn savings_by_depth(effort: Effort) -> Finding {
    let fens = positions(effort.pick(4, 12));
    let bare = Setup::bare();
    let ordered = bare.clone().with_all(&ORDERING, true);
    let mut factors = Vec::new();
    let mut rows = Vec::new();
    for depth in 1..=effort.pick(3, 4) {
        let minimax = nodes(&bare.clone().driver(Driver::Negamax).to_depth(&fens, depth));
        let pruned = nodes(&bare.clone().driver(Driver::AlphaBeta).to_depth(&fens, depth));
        let best = nodes(&ordered.clone().driver(Driver::AlphaBeta).to_depth(&fens, depth));
        let (plain, sorted) = (ratio(&minimax, &pruned), ratio(&minimax, &best));
        factors.push(sorted.mean);
        rows.push(vec![depth.to_string(), shown(plain), shown(sorted)]);
    }
    let listed: Vec<String> = factors.iter().map(|factor| format!("{factor:.1}")).collect();
    let measured = format!(
        "minimax visits {} times the nodes of ordered alpha-beta at depths 1 to {}",
        listed.join(", "),
        factors.len()
    );
    let verdict = verdicts::savings_by_depth(&factors);
    Finding::new(verdict, measured).with(
        "Nodes of minimax relative to alpha-beta",
        vec!["depth", "unordered", "ordered"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branching_factors_are_shown_with_their_depths() {
        let ordering = Ratio { mean: 0.98, low: 0.95, high: 1.01 };
        let finding = branching_finding(24.75, 6, [5.7, 5.6, 4.73], ordering);
        assert!(finding.measured.ends_with("captures first multiply the factor by 0.980 (0.950 to 1.010)"));
        let [figures] = &finding.figures[..] else { panic!("one table: {finding:?}") };
        assert_eq!(figures.header[1], "D");
        assert_eq!(figures.rows[0], ["minimax", "4", "24.75"]);
        assert_eq!(figures.rows[1], ["square root of minimax (depth 4)", "4", "4.97"]);
        assert!(figures.rows[2..].iter().all(|row| row[1] == "6"), "{figures:?}");
        assert_eq!(figures.rows[4][2], "4.73", "below the root of minimax at a lower depth");
        // No figure is called the best possible, because a deeper search may have a lower one.
        assert!(!format!("{finding:?}").contains("best possible"), "{finding:?}");
    }

    #[test]
    fn factors_are_square_roots_of_the_growth_over_two_plies() {
        let found = factor(&[16.0, 36.0], &[4.0, 4.0]);
        assert!((found.mean - 6.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert!(found.low < found.mean && found.mean < found.high, "{found:?}");
        let equal = factor(&[16.0, 36.0], &[16.0, 36.0]);
        assert_eq!((equal.low, equal.high), (1.0, 1.0));
    }
}
