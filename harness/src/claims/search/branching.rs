//! Experiments on the branching factor and the depth that pruning gains.

use stretto::search::driver::Driver;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, Timed, nodes, ratio, shown, side_by_side};
use super::super::claim::{Effort, Finding, mean_and_half};
use super::super::verdicts;
use super::positions::positions;

/// Returns the effective branching factor: the square root of the node ratio over two plies.
fn branching(setup: &Setup, fens: &[&str], depth: u32) -> f64 {
    let (deep, shallow) = (nodes(&setup.to_depth(fens, depth)), nodes(&setup.to_depth(fens, depth - 2)));
    ratio(&deep, &shallow).mean.sqrt()
}

pub(super) fn effective_branching(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 20));
    let bare = Setup::bare();
    let captures_first = bare.clone().with(Switch::MvvLva, true);
    let learning = [Switch::History, Switch::Killers, Switch::CounterMoves, Switch::ContinuationHistory]
        .into_iter()
        .fold(captures_first.clone(), |setup, switch| setup.with(switch, true));
    let minimax = branching(&bare.clone().driver(Driver::Negamax), &fens, 4);
    let depth = effort.pick(5, 6);
    let orders =
        [("none", bare), ("captures first", captures_first), ("captures, killers, histories", learning)];
    let found: Vec<f64> = orders
        .iter()
        .map(|(_, setup)| branching(&setup.clone().driver(Driver::AlphaBeta), &fens, depth))
        .collect();
    let best = minimax.sqrt();
    let rows = [("minimax", minimax), ("best possible (square root)", best)]
        .into_iter()
        .chain(orders.iter().map(|(name, _)| *name).zip(found.iter().copied()))
        .map(|(name, factor)| vec![name.to_owned(), format!("{factor:.2}")]);
    let rows: Vec<Vec<String>> = rows.collect();
    let verdict = verdicts::effective_branching(found[1], best);
    let measured = format!(
        "minimax {minimax:.1}; alpha-beta {:.1} unordered, {:.1} with captures first, {:.1} with all heuristics; the best possible is \
         {best:.1}",
        found[0], found[1], found[2]
    );
    Finding::new(verdict, measured).with(
        format!("Effective branching factor at depth {depth}, static leaves"),
        vec!["move ordering", "factor"],
        rows,
    )
}

pub(super) fn twice_the_depth(effort: Effort) -> Finding {
    let fens = positions(effort.pick(4, 12));
    let rounds = effort.pick(1, 3);
    let minimax = Setup::bare().hash(1).driver(Driver::Negamax);
    let ordered = [Switch::MvvLva, Switch::History, Switch::Killers, Switch::CounterMoves]
        .into_iter()
        .fold(Setup::bare().hash(1), |setup, switch| setup.with(switch, true))
        .driver(Driver::AlphaBeta);
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
                let [budget, spent] = costs.as_slice() else {
                    return Finding::undecided("no memory for a search");
                };
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
        let cell = |(mean, half): (f64, f64)| format!("{mean:.2} ± {half:.2}");
        rows.push(vec![depth.to_string(), cell(by_nodes), cell(by_time)]);
    }
    let Some(&[(by_nodes, _), (by_time, half)]) = factors.last() else {
        return Finding::undecided("no depth was searched");
    };
    let measured = format!(
        "{by_time:.2} ± {half:.2} times the depth in the time of minimax, {by_nodes:.2} times with its nodes"
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
    let ordered = [Switch::MvvLva, Switch::History, Switch::Killers, Switch::CounterMoves]
        .into_iter()
        .fold(bare.clone(), |setup, switch| setup.with(switch, true));
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
