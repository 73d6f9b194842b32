//! Experiments on the time of move ordering and move generation.

use stretto::position::Position;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, Timed, quiescence_shares, ratio, shown, side_by_side, timed};
use super::super::claim::{Effort, Finding, mean};
use super::super::verdicts;
use super::positions::{game_positions, positions};

/// The switches that order moves.
const ORDERING: [Switch; 6] = [
    Switch::MvvLva,
    Switch::SeeOrdering,
    Switch::CaptureHistory,
    Switch::History,
    Switch::ContinuationHistory,
    Switch::PawnHistory,
];

pub(super) fn sorting(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 20));
    let depth = effort.pick(4, 5);
    let all = Setup::full_width().hash(16).with(Switch::TtMove, false).with(Switch::TtCutoff, false);
    let none = all.clone().with_all(&ORDERING, false);
    let captures = none.clone().with(Switch::MvvLva, true);
    let searches = [&none, &captures, &all].map(|setup| Timed::to_depth(setup, depth));
    let costs = side_by_side(&searches, &fens, effort.pick(1, 3));
    let [none, captures, all] = costs.as_slice() else { return Finding::no_memory() };
    let mut rows = Vec::new();
    let mut found = Vec::new();
    for (name, cost) in [("most valuable victim first", captures), ("all heuristics", all)] {
        let per_node = |cost: &super::super::chess::Cost| -> Vec<f64> {
            cost.seconds.iter().zip(&cost.nodes).map(|(seconds, nodes)| seconds / nodes).collect()
        };
        let time = ratio(&cost.seconds, &none.seconds);
        let each = ratio(&per_node(cost), &per_node(none));
        found.push(time);
        rows.push(vec![name.to_owned(), shown(ratio(&cost.nodes, &none.nodes)), shown(each), shown(time)]);
    }
    let measured = format!(
        "to depth {depth} without a table, {:.2} of the time with captures sorted, {:.2} with all heuristics; the time per node is {} times \
         that of unsorted moves",
        found[0].mean, found[1].mean, rows[1][2]
    );
    Finding::new(verdicts::two_savings(found[0], found[1]), measured).with(
        format!("Search to depth {depth} without a table relative to unsorted moves, ratio (95 %)"),
        vec!["moves sorted by", "nodes", "time per node", "time"],
        rows,
    )
}

/// Positions in which moves are generated before the clock is read again.
const REPEATS: usize = 400;

pub(super) fn capture_generation(effort: Effort) -> Finding {
    let sampled = game_positions(effort.pick(30, 300));
    let mut times = [Vec::new(), Vec::new()];
    let mut different = 0;
    for (_, position) in &sampled {
        different += usize::from(sorted(&generated(position)) != sorted(&filtered(position)));
        let mut least = [f64::INFINITY; 2];
        for round in 0..effort.pick(3, 9) {
            for turn in 0..2 {
                let kind = (round + turn) % 2;
                let work = if kind == 0 { generated } else { filtered };
                let ((), seconds) = timed(|| {
                    for _ in 0..REPEATS {
                        std::hint::black_box(work(std::hint::black_box(position)));
                    }
                });
                least[kind] = least[kind].min(seconds / REPEATS as f64);
            }
        }
        for (times, least) in times.iter_mut().zip(least) {
            times.push(least);
        }
    }
    let factor = ratio(&times[0], &times[1]);
    // What this means for a whole search: quiescence nodes that generate moves, at most all of them.
    let fens = positions(effort.pick(4, 20));
    let setup = Setup::play().hash(16);
    let depth = effort.pick(6, 9);
    let costs = side_by_side(&[Timed::to_depth(&setup, depth)], &fens, 2);
    let Some(cost) = costs.first() else { return Finding::no_memory() };
    let share = mean(quiescence_shares(&setup, &fens, depth));
    let node = mean(cost.seconds.iter().copied()) / mean(cost.nodes.iter().copied());
    let saved = mean(times[1].iter().copied()) - mean(times[0].iter().copied());
    let measured = format!(
        "generating captures only takes {} times the time of generating all moves and filtering them ({:.0} against {:.0} ns, the same moves \
         in {} of {} positions); that is at most {:.0} % of the playing search, of whose nodes {:.0} % are quiescence nodes",
        shown(factor),
        1e9 * mean(times[0].iter().copied()),
        1e9 * mean(times[1].iter().copied()),
        sampled.len() - different,
        sampled.len(),
        100.0 * share * saved / node,
        100.0 * share
    );
    Finding::new(verdicts::saves(factor, different), measured)
}

/// Returns the captures and promotions as the generator makes them.
fn generated(position: &Position) -> Vec<stretto::types::Move> {
    position.captures().into_iter().collect()
}

/// Returns the captures and promotions among all moves.
fn filtered(position: &Position) -> Vec<stretto::types::Move> {
    position.legal_moves().into_iter().filter(|&mv| position.is_noisy(mv)).collect()
}

fn sorted(moves: &[stretto::types::Move]) -> Vec<stretto::types::Move> {
    let mut moves = moves.to_vec();
    moves.sort();
    moves
}

#[cfg(test)]
mod tests {
    use super::super::super::chess::nodes;
    use super::*;
    use stretto::bench::POSITIONS;

    #[test]
    fn both_ways_of_generation_find_the_same_captures() {
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(sorted(&generated(&position)), sorted(&filtered(&position)), "{fen}");
        }
    }

    #[test]
    fn sorting_saves_nodes() {
        let fens = positions(4);
        let all = Setup::full_width();
        let none = all.clone().with_all(&ORDERING, false);
        let [all, none] = [all, none].map(|setup| nodes(&setup.to_depth(&fens, 4)));
        assert!(ratio(&all, &none).mean < 1.0, "{all:?} {none:?}");
    }
}
