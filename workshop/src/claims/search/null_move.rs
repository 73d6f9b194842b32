//! Experiments on null-move pruning: savings, and missed combinations.

use stretto::position::Position;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;
use stretto::types::Move;

use super::super::chess::{Setup, Timed, ratio, shown, side_by_side};
use super::super::claim::{Effort, Finding};
use super::super::verdicts;
use super::positions::positions;

pub(super) fn savings(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 30));
    let wide = Setup::full_width().hash(16);
    let play = Setup::play().hash(16);
    let kinds = [
        (
            "full width",
            Timed::to_depth(&wide.clone().with(Switch::NullMove, true), effort.pick(5, 7)),
            Timed::to_depth(&wide, effort.pick(5, 7)),
        ),
        (
            "play",
            Timed::to_depth(&play, effort.pick(7, 11)),
            Timed::to_depth(&play.with(Switch::NullMove, false), effort.pick(7, 11)),
        ),
    ];
    let mut rows = Vec::new();
    let mut times = Vec::new();
    for (name, with, without) in kinds {
        let depth = with.depth;
        let costs = side_by_side(&[with, without], &fens, effort.pick(1, 3));
        let [with, without] = costs.as_slice() else { return Finding::no_memory() };
        let time = ratio(&with.seconds, &without.seconds);
        times.push(time);
        rows.push(vec![
            name.to_owned(),
            depth.to_string(),
            shown(ratio(&with.nodes, &without.nodes)),
            shown(time),
        ]);
    }
    let measured = format!(
        "null moves leave {:.2} of the time at full width and {:.2} in the playing search",
        times[0].mean, times[1].mean
    );
    Finding::new(verdicts::two_savings(times[0], times[1]), measured).with(
        "Nodes and CPU time to a depth with null moves relative to without, ratio (95 %)",
        vec!["search", "depth", "nodes", "time"],
        rows,
    )
}

/// Tactical positions with their best moves.
const COMBINATIONS: &str = include_str!("../../../../testdata/epd/wac.epd");

/// Returns the positions of an EPD file with their best moves; lines without are skipped.
fn combinations(text: &str) -> Vec<(String, Vec<Move>)> {
    let parse = |line: &str| {
        let (_, operations) = line.split_once(" bm ")?;
        let board: Vec<&str> = line.split_whitespace().take(4).collect();
        let fen = format!("{} 0 1", board.join(" "));
        let position = Position::from_fen(&fen).ok()?;
        let moves = operations.split(';').next()?.split_whitespace();
        let best: Vec<Move> = moves.filter_map(|text| position.parse_san(text).ok()).collect();
        (!best.is_empty()).then_some((fen, best))
    };
    text.lines().filter_map(parse).collect()
}

pub(super) fn missed_combinations(effort: Effort) -> Finding {
    let mut all = combinations(COMBINATIONS);
    all.truncate(effort.pick(30, 300));
    let fens: Vec<&str> = all.iter().map(|(fen, _)| fen.as_str()).collect();
    // Null moves must be tried at the low depths of this experiment.
    let plain = Setup::full_width().hash(16).tuned(Tunable::NullMoveDepth, 2);
    let null_moves = plain.clone().with(Switch::NullMove, true);
    let kinds = [("of play", null_moves.clone()), ("2 to 3", reduced_as_in_1997(null_moves))];
    let depths = 3..=effort.pick(4, 6);
    let (mut rows, mut changes, mut listed) = (Vec::new(), Vec::new(), vec![Vec::new(); kinds.len()]);
    for depth in depths.clone() {
        let solved = |setup: &Setup| -> Vec<bool> {
            let outcomes = setup.to_depth(&fens, depth);
            let is_solved =
                |((_, best), outcome): (&(String, Vec<Move>), &stretto::search::events::SearchResult)| {
                    outcome.best.is_some_and(|mv| best.contains(&mv))
                };
            all.iter().zip(&outcomes).map(is_solved).collect()
        };
        let without = solved(&plain);
        for ((reduction, setup), listed) in kinds.iter().zip(&mut listed) {
            let with = solved(setup);
            let (lost, gained) = differences(&without, &with);
            changes.push((lost, gained));
            listed.push(format!("{lost} and {gained}"));
            let count = |solved: &[bool]| solved.iter().filter(|&&solved| solved).count().to_string();
            rows.push(vec![
                depth.to_string(),
                (*reduction).to_owned(),
                count(&without),
                count(&with),
                lost.to_string(),
                gained.to_string(),
            ]);
        }
    }
    let verdict = verdicts::null_moves(&changes, all.len() as u64);
    let measured = format!(
        "of {} combinations, null moves at full width lose and gain {} at depths 3 to {}, with a reduction of 2 to 3 plies {} (sign test \
         of each, corrected for their number)",
        all.len(),
        listed[0].join(", "),
        depths.end(),
        listed[1].join(", ")
    );
    Finding::new(verdict, measured).with(
        "Combinations whose best move is found at a depth of full width",
        vec!["depth", "reduction", "without null moves", "with", "lost", "gained"],
        rows,
    )
}

/// Returns the setup with a reduction of the time of the text: 2 plies, and 3 from depth 4 on,
/// independent of the evaluation.
fn reduced_as_in_1997(setup: Setup) -> Setup {
    setup
        .tuned(Tunable::NullMoveBase, 2)
        .tuned(Tunable::NullMoveDivisor, 4)
        .tuned(Tunable::NullMoveEvalMax, 0)
}

/// Returns how many items only the first list has, and only the second.
fn differences(first: &[bool], second: &[bool]) -> (u64, u64) {
    let only = |one: &[bool], other: &[bool]| {
        one.iter().zip(other).filter(|&(&one, &other)| one && !other).count() as u64
    };
    (only(first, second), only(second, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_has_a_legal_best_move() {
        let all = combinations(COMBINATIONS);
        let lines = COMBINATIONS.lines().filter(|line| line.contains(" bm ")).count();
        assert_eq!((all.len(), lines), (300, 300));
        for (fen, best) in &all {
            let position = Position::from_fen(fen).unwrap();
            assert!(best.iter().all(|&mv| position.is_legal(mv)), "{fen}");
        }
    }

    #[test]
    fn differences_count_each_direction() {
        assert_eq!(differences(&[true, true, false, false], &[true, false, true, false]), (1, 1));
        assert_eq!(differences(&[true, true], &[false, false]), (2, 0));
    }
}
