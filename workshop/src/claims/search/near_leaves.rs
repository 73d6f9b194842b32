//! Experiment on the place of pruning in the tree: near the leaves, at the root or nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use stretto::position::Position;
use stretto::search::events::SearchResult;
use stretto::search::limits::Limits;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;
use stretto::types::{Depth, Move, Nodes};

use super::super::chess::{Setup, ratio, shown};
use super::super::claim::{Effort, Finding, mean, mean_and_half_of_family, plus_minus};
use super::super::verdicts;
use super::positions::game_positions;
use super::quiescence::{DECIDED, clamped};

/// The greatest remaining depth of a node that counts as near the leaves. Units: plies.
const NEAR: i32 = 3;
/// The heuristics that prune near the leaves. Late-move pruning and razoring stay off: they have no
/// greatest depth, so that they would prune elsewhere too.
const SHALLOW: [Switch; 5] = [
    Switch::ReverseFutility,
    Switch::Futility,
    Switch::CaptureFutility,
    Switch::HistoryPruning,
    Switch::SeePruning,
];
/// The greatest depths of these heuristics. Three of them limit the depth after the move, which is
/// one ply less than that of the node because late moves are not reduced.
const DEPTHS: [(Tunable, i32); 5] = [
    (Tunable::ReverseFutilityDepth, NEAR),
    (Tunable::SeePruningDepth, NEAR),
    (Tunable::FutilityDepth, NEAR - 1),
    (Tunable::CaptureFutilityDepth, NEAR - 1),
    (Tunable::HistoryPruningDepth, NEAR - 1),
];

/// The place where a search prunes.
#[derive(Clone, Copy, Debug)]
enum Place {
    Leaves,
    /// At the root, where only this many moves are searched.
    Root(usize),
    Nowhere,
}

/// The searches compared. Pruning near the leaves must gain over any amount of pruning at the root,
/// because no amount of one equals an amount of the other.
const PLACES: [Place; 5] = [Place::Leaves, Place::Root(3), Place::Root(5), Place::Root(10), Place::Nowhere];

impl Place {
    fn name(self) -> String {
        match self {
            Self::Leaves => format!("pruning in the last {NEAR} plies"),
            Self::Root(moves) => format!("{moves} root moves"),
            Self::Nowhere => "full width".to_owned(),
        }
    }

    fn setup(self) -> Setup {
        let wide = Setup::full_width().hash(4);
        match self {
            Self::Leaves => DEPTHS
                .into_iter()
                .fold(wide.with_all(&SHALLOW, true), |setup, (tunable, depth)| setup.tuned(tunable, depth)),
            Self::Root(_) | Self::Nowhere => wide,
        }
    }

    /// Returns the nodes that a search needs before it starts.
    fn preparation(self, ranking: &Ranking) -> u64 {
        match self {
            Self::Root(_) => ranking.nodes,
            Self::Leaves | Self::Nowhere => 0,
        }
    }

    /// Returns the limits of a search, with its root moves, and without the nodes of the preparation.
    fn limits(self, ranking: &Ranking, limits: &Limits) -> Limits {
        let searchmoves: Vec<Move> = match self {
            Self::Root(moves) => ranking.moves.iter().copied().take(moves).collect(),
            Self::Leaves | Self::Nowhere => Vec::new(),
        };
        let left = |nodes: Nodes| Nodes(nodes.0.saturating_sub(self.preparation(ranking)).max(1));
        Limits { nodes: limits.nodes.map(left), searchmoves, ..limits.clone() }
    }

    /// Searches each position within the limits.
    fn search(self, fens: &[impl AsRef<str>], rankings: &[Ranking], limits: &Limits) -> Vec<SearchResult> {
        self.setup().within(fens, |index| self.limits(&rankings[index], limits))
    }

    /// Returns the nodes of searches to a depth, preparation included, by position.
    fn nodes_to_depth(self, fens: &[impl AsRef<str>], rankings: &[Ranking], depth: i32) -> Vec<f64> {
        let limits = Limits { depth: Some(Depth(depth)), ..Limits::default() };
        let found = self.search(fens, rankings, &limits);
        let all = |(outcome, ranking): (&SearchResult, &Ranking)| outcome.nodes.0 + self.preparation(ranking);
        found.iter().zip(rankings).map(|pair| all(pair) as f64).collect()
    }
}

/// The root moves of a position, the best by shallow searches first.
#[derive(Clone, Debug)]
struct Ranking {
    moves: Vec<Move>,
    /// Nodes of these searches.
    nodes: u64,
}

/// Ranks the legal moves by searches of one more ply; `None` without memory.
fn ranking(position: &Position) -> Option<Ranking> {
    let moves: Vec<Move> = position.legal_moves().into_iter().collect();
    let after: Vec<Position> = moves.iter().map(|&mv| position.after(mv)).collect();
    let Judged { values, nodes } = judged(&after, 1)?;
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by(|&one, &other| values[other].total_cmp(&values[one]));
    Some(Ranking { moves: order.into_iter().map(|index| moves[index]).collect(), nodes })
}

/// Values of moves for the side that has made them.
#[derive(Clone, Debug)]
struct Judged {
    /// In the order of the moves. Units: centipawns.
    values: Vec<f64>,
    /// Nodes of the searches.
    nodes: u64,
}

/// Judges moves by searches of the positions after them; `None` without memory.
fn judged(after: &[Position], depth: u32) -> Option<Judged> {
    let open: BTreeSet<String> =
        after.iter().filter(|position| position.has_legal_move()).map(ToString::to_string).collect();
    let fens: Vec<&str> = open.iter().map(String::as_str).collect();
    let found = Setup::play().hash(4).to_depth(&fens, depth);
    // A position without a value would count as a stalemate below.
    if found.len() < fens.len() {
        return None;
    }
    let scores: BTreeMap<&str, f64> =
        fens.iter().zip(&found).map(|(&fen, outcome)| (fen, -clamped(outcome))).collect();
    let value = |position: &Position| match scores.get(position.to_string().as_str()) {
        Some(&score) => score,
        None if position.is_check() => f64::from(DECIDED),
        None => 0.0,
    };
    let nodes = found.iter().map(|outcome| outcome.nodes.0).sum();
    Some(Judged { values: after.iter().map(value).collect(), nodes })
}

/// Returns the positions after the moves that searches have chosen, by search and then by position.
fn after_best_moves(sampled: &[Position], searches: &[Vec<SearchResult>]) -> Vec<Position> {
    let moves = searches.iter().flat_map(|found| sampled.iter().zip(found));
    moves.filter_map(|(position, outcome)| Some(position.after(outcome.best?))).collect()
}

pub(super) fn place_of_pruning(effort: Effort) -> Finding {
    let (games, budget, fixed, depth) = effort.pick((10, 3000, 4, 5), (400, 20_000, 5, 10));
    let sampled: Vec<Position> = game_positions(games).into_iter().map(|(_, position)| position).collect();
    let rankings: Option<Vec<Ranking>> = sampled.iter().map(ranking).collect();
    let Some(rankings) = rankings.filter(|rankings| !rankings.is_empty()) else {
        return Finding::no_memory();
    };
    let fens: Vec<String> = sampled.iter().map(ToString::to_string).collect();
    let costs = PLACES.map(|place| place.nodes_to_depth(&fens, &rankings, fixed));
    let limits = Limits { nodes: Some(Nodes(budget)), ..Limits::default() };
    let searches = PLACES.map(|place| place.search(&fens, &rankings, &limits));
    let judged = judged(&after_best_moves(&sampled, &searches), depth);
    let is_complete = |judged: &Judged| judged.values.len() == PLACES.len() * sampled.len();
    let Some(Judged { values, .. }) = judged.filter(is_complete) else { return Finding::no_memory() };
    let (first, others) = values.split_at(sampled.len());
    let gained: Vec<(f64, f64)> = others
        .chunks_exact(sampled.len())
        .map(|other| {
            let gained: Vec<f64> = first.iter().zip(other).map(|(first, other)| first - other).collect();
            mean_and_half_of_family(&gained, PLACES.len() - 1)
        })
        .collect();
    let gains: Vec<[f64; 2]> = gained.iter().map(|(gain, half)| [gain - half, gain + half]).collect();
    let losses =
        iter::once("-".to_owned()).chain(gained.iter().map(|&(gain, half)| plus_minus(gain, half, 1)));
    let [.., full_width] = &costs;
    let mut rows = Vec::new();
    for (((place, cost), found), loss) in PLACES.into_iter().zip(&costs).zip(&searches).zip(losses) {
        let reached = mean(found.iter().map(|outcome| f64::from(outcome.depth.0)));
        rows.push(vec![place.name(), shown(ratio(cost, full_width)), format!("{reached:.1}"), loss]);
    }
    let over: Vec<String> =
        rows[1..].iter().map(|row| format!("{} over a search of {}", row[3], row[0])).collect();
    let measured = format!(
        "with {budget} nodes in {} positions of games, the moves chosen with pruning in the last {NEAR} plies gain, in centipawns, {}",
        fens.len(),
        over.join(", ")
    );
    Finding::new(verdicts::every_gain(&gains), measured).with(
        format!(
            "Nodes to depth {fixed} relative to full width (95 %); depth reached with {budget} nodes, and what the moves chosen lose to those of \
             the first search, in centipawns (95 %)"
        ),
        vec!["search", "nodes", "depth", "loss"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::super::positions::positions;
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn moves_are_judged_for_the_side_that_made_them() {
        let after = [
            // Mated, stalemated, and a queen ahead.
            position("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"),
            position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
            position("6k1/5ppp/8/8/8/8/1Q6/6K1 b - - 0 1"),
        ];
        let Judged { values, nodes } = judged(&after, 3).unwrap();
        assert_eq!(values[..2], [f64::from(DECIDED), 0.0]);
        assert!(values[2] > 200.0, "{values:?}");
        assert!(nodes > 0);
    }

    #[test]
    fn winning_capture_is_ranked_first() {
        let position = position("3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1");
        let found = ranking(&position).unwrap();
        assert_eq!(found.moves.len(), position.count_legal_moves());
        assert_eq!(found.moves[0], position.parse_uci("d1d8").unwrap(), "{found:?}");
    }

    #[test]
    fn nodes_of_the_ranking_are_part_of_the_budget() {
        let ranking = ranking(&Position::startpos()).unwrap();
        let limits = Limits { nodes: Some(Nodes(5000)), ..Limits::default() };
        let root = Place::Root(3).limits(&ranking, &limits);
        assert_eq!(root.searchmoves, ranking.moves[..3]);
        assert!(ranking.nodes >= 20, "a search of each move");
        assert_eq!(root.nodes, Some(Nodes(5000 - ranking.nodes)));
        let leaves = Place::Leaves.limits(&ranking, &limits);
        assert!(leaves.searchmoves.is_empty());
        assert_eq!(leaves.nodes, limits.nodes);
    }

    #[test]
    fn depth_limits_are_within_the_ranges_of_the_tunables() {
        for (tunable, depth) in DEPTHS {
            let info = tunable.info();
            assert!((info.min..=info.max).contains(&depth), "{} would be clamped", info.name);
        }
    }

    #[test]
    fn pruning_saves_nodes_near_the_leaves_and_at_the_root() {
        let fens = positions(4);
        let rankings: Vec<Ranking> = fens.iter().map(|fen| ranking(&position(fen)).unwrap()).collect();
        let nodes = |place: Place| place.nodes_to_depth(&fens, &rankings, 5);
        let wide = nodes(Place::Nowhere);
        for place in [Place::Leaves, Place::Root(3)] {
            let pruned = nodes(place);
            assert!(ratio(&pruned, &wide).mean < 0.9, "{place:?}: {pruned:?} {wide:?}");
        }
    }
}
