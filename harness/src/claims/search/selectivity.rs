//! Experiments on move ordering, extensions and the place of selectivity in the tree.

use std::collections::{BTreeMap, BTreeSet};

use stretto::position::Position;
use stretto::search::limits::Limits;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;
use stretto::types::{Move, Nodes};

use super::super::chess::{Setup, mean_and_half_of_family, nodes, ratio, shown};
use super::super::claim::{Effort, Finding, mean};
use super::super::verdicts::{self, Ratio};
use super::positions::{game_positions, positions};
use super::quiescence::{DECIDED, clamped};

pub(super) fn killers_and_history(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(4, 6);
    let histories = [Switch::History, Switch::ContinuationHistory, Switch::PawnHistory];
    let base = histories.into_iter().fold(Setup::full_width(), |setup, switch| setup.with(switch, false));
    let count = |setup: &Setup| nodes(&setup.to_depth(&fens, depth));
    let plain = count(&base);
    let killers = base.clone().with(Switch::Killers, true);
    let history = base.clone().with(Switch::History, true);
    let both = killers.clone().with(Switch::History, true);
    let all = histories.into_iter().fold(killers.clone(), |setup, switch| setup.with(switch, true));
    let kinds =
        [("killers", killers), ("history", history), ("both", both), ("killers and all histories", all)];
    let found: Vec<Ratio> = kinds.iter().map(|(_, setup)| ratio(&count(setup), &plain)).collect();
    let rows = kinds.iter().zip(&found).map(|((name, _), &factor)| vec![(*name).to_owned(), shown(factor)]);
    let rows: Vec<Vec<String>> = rows.collect();
    let verdict = verdicts::two_savings(found[0], found[1]);
    let measured = format!(
        "relative to ordering by captures and hash moves: {:.2} of the nodes with killers, {:.2} with history, {:.2} with both",
        found[0].mean, found[1].mean, found[2].mean
    );
    Finding::new(verdict, measured).with(
        format!("Nodes to depth {depth} relative to neither heuristic, ratio (95 %)"),
        vec!["ordering of quiet moves", "ratio"],
        rows,
    )
}

pub(super) fn extensions(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(5, 6);
    let base = Setup::full_width();
    let checks = base.clone().with(Switch::CheckExtension, true);
    let recaptures = base.clone().with(Switch::RecaptureExtension, true);
    let pawns = base.clone().with(Switch::PassedPawnExtension, true);
    let all = checks.clone().with(Switch::RecaptureExtension, true).with(Switch::PassedPawnExtension, true);
    let kinds = [("checks", checks), ("recaptures", recaptures), ("passed pawns", pawns), ("all three", all)];
    let plain = nodes(&base.to_depth(&fens, depth));
    let found: Vec<(Ratio, f64)> = kinds
        .iter()
        .map(|(_, setup)| {
            let counted = nodes(&setup.to_depth(&fens, depth));
            let most = counted.iter().zip(&plain).map(|(one, other)| one / other).fold(0.0, f64::max);
            (ratio(&counted, &plain), most)
        })
        .collect();
    let rows = kinds
        .iter()
        .zip(&found)
        .map(|((name, _), &(ratio, most))| vec![(*name).to_owned(), shown(ratio), format!("{most:.1}")]);
    let rows: Vec<Vec<String>> = rows.collect();
    let (Ratio { mean: average, .. }, most) = found[3];
    let verdict = verdicts::extensions(average, most);
    let measured = format!(
        "all three together take {average:.1} times the nodes to depth {depth} on average and {most:.0} times in the worst position; \
         lines are limited to twice the nominal depth"
    );
    Finding::new(verdict, measured).with(
        format!("Nodes to depth {depth} relative to no extensions"),
        vec!["extension", "ratio (95 %)", "worst position"],
        rows,
    )
}

/// The heuristics that prune nodes or moves by the remaining depth.
const SHALLOW: [Switch; 7] = [
    Switch::Razoring,
    Switch::ReverseFutility,
    Switch::LateMovePruning,
    Switch::Futility,
    Switch::CaptureFutility,
    Switch::HistoryPruning,
    Switch::SeePruning,
];
/// The greatest depths of these heuristics. The late-move limit and razoring have none, but their
/// margins grow with the depth.
const DEPTHS: [Tunable; 5] = [
    Tunable::ReverseFutilityDepth,
    Tunable::FutilityDepth,
    Tunable::CaptureFutilityDepth,
    Tunable::HistoryPruningDepth,
    Tunable::SeePruningDepth,
];
/// The remaining depth that counts as near the leaves. Units: plies.
const NEAR: i32 = 3;
/// Moves that a search considers that is selective at the root.
const ROOT_MOVES: usize = 5;

/// Returns a search of full width that prunes near the leaves only.
fn selective_near_leaves() -> Setup {
    let wide = Setup::full_width().hash(4);
    let pruning = SHALLOW.into_iter().fold(wide, |setup, switch| setup.with(switch, true));
    DEPTHS.into_iter().fold(pruning, |setup, tunable| setup.tuned(tunable, NEAR))
}

/// Returns the root moves that are best by searches of one more ply.
fn promising(position: &Position) -> Vec<Move> {
    let moves: Vec<Move> = position.legal_moves().into_iter().collect();
    let values = judged(&moves.iter().map(|&mv| position.after(mv)).collect::<Vec<_>>(), 1);
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));
    order.into_iter().take(ROOT_MOVES).map(|index| moves[index]).collect()
}

/// Returns the values of moves for the side that has made them, by searches of the positions after
/// them.
fn judged(after: &[Position], depth: u32) -> Vec<f64> {
    let open: BTreeSet<String> =
        after.iter().filter(|position| position.has_legal_move()).map(ToString::to_string).collect();
    let fens: Vec<&str> = open.iter().map(String::as_str).collect();
    let found = Setup::play().hash(4).to_depth(&fens, depth);
    let values: BTreeMap<&str, f64> =
        fens.iter().zip(&found).map(|(&fen, outcome)| (fen, -clamped(outcome))).collect();
    let value = |position: &Position| match values.get(position.to_string().as_str()) {
        Some(&value) => value,
        None if position.is_check() => f64::from(DECIDED),
        None => 0.0,
    };
    after.iter().map(value).collect()
}

pub(super) fn near_the_leaves(effort: Effort) -> Finding {
    let (games, budget, depth) = effort.pick((10, 1000, 5), (400, 10_000, 10));
    let sampled: Vec<Position> = game_positions(games).into_iter().map(|(_, position)| position).collect();
    let texts: Vec<String> = sampled.iter().map(ToString::to_string).collect();
    let fens: Vec<&str> = texts.iter().map(String::as_str).collect();
    let wide = Setup::full_width().hash(4);
    let leaves = selective_near_leaves();
    let few: Vec<Vec<Move>> = sampled.iter().map(promising).collect();
    let limits =
        |searchmoves: Vec<Move>| Limits { nodes: Some(Nodes(budget)), searchmoves, ..Limits::default() };
    let searches = [
        ("near the leaves", leaves.within(&fens, |_| limits(Vec::new()))),
        ("at the root", wide.within(&fens, |index| limits(few[index].clone()))),
        ("nowhere", wide.within(&fens, |_| limits(Vec::new()))),
    ];
    let after: Vec<Position> = searches
        .iter()
        .flat_map(|(_, found)| sampled.iter().zip(found))
        .filter_map(|(position, outcome)| Some(position.after(outcome.best?)))
        .collect();
    let values = judged(&after, depth);
    if sampled.is_empty() || values.len() < searches.len() * sampled.len() {
        return Finding::undecided("no memory for a search");
    }
    let (first, others) = values.split_at(sampled.len());
    let (mut rows, mut gains) = (Vec::new(), Vec::new());
    let mut losses = vec!["-".to_owned()];
    for other in others.chunks_exact(sampled.len()) {
        let gained: Vec<f64> = first.iter().zip(other).map(|(first, other)| first - other).collect();
        let (gain, half) = mean_and_half_of_family(&gained, searches.len() - 1);
        gains.push([gain - half, gain + half]);
        losses.push(format!("{gain:.1} ± {half:.1}"));
    }
    for ((name, found), loss) in searches.iter().zip(losses) {
        let reached = mean(found.iter().map(|outcome| f64::from(outcome.depth.0)));
        rows.push(vec![(*name).to_owned(), format!("{reached:.1}"), loss]);
    }
    let measured = format!(
        "with {budget} nodes in {} positions of games, a search that is selective in the last {NEAR} plies chooses moves that are better by {} centipawns \
         than those of one that considers {ROOT_MOVES} root moves, and by {} than those of a full-width search",
        fens.len(),
        rows[1][2],
        rows[2][2]
    );
    Finding::new(verdicts::every_gain(&gains), measured).with(
        format!("Depth reached with {budget} nodes, and what the moves chosen lose to those of the first search, in centipawns (95 %)"),
        vec!["selective", "depth", "loss"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_judged_for_the_side_that_made_them() {
        let position = |fen: &str| Position::from_fen(fen).unwrap();
        let after = [
            // Mated, stalemated, and a queen ahead.
            position("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"),
            position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
            position("6k1/5ppp/8/8/8/8/1Q6/6K1 b - - 0 1"),
        ];
        let values = judged(&after, 3);
        assert_eq!(values[..2], [f64::from(DECIDED), 0.0]);
        assert!(values[2] > 200.0, "{values:?}");
    }

    #[test]
    fn promising_moves_include_a_winning_capture() {
        let position = Position::from_fen("3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap();
        let found = promising(&position);
        assert_eq!(found.len(), ROOT_MOVES);
        assert_eq!(found[0], position.parse_uci("d1d8").unwrap(), "{found:?}");
    }

    #[test]
    fn pruning_near_the_leaves_saves_nodes() {
        let fens = positions(4);
        let wide = Setup::full_width().hash(4);
        let [pruned, wide] = [selective_near_leaves(), wide].map(|setup| nodes(&setup.to_depth(&fens, 5)));
        assert!(ratio(&pruned, &wide).mean < 0.9, "{pruned:?} {wide:?}");
    }
}
