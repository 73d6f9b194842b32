//! Play of the engine without tables against a table: the experiments on the bet of Thompson and
//! Browne.

use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::strength::{LADDER, Level, Strength};
use stretto::tablebase::{Metric, Outcome};
use stretto::types::{Color, Mebibytes, Nodes};

use super::super::claim::{Effort, Finding};
use super::super::verdicts;
use super::generated::of_one;
use crate::endgames::Tables;
use stretto_harness::base::random::SplitMix64;

/// The position of the bet, with White to move: one of the longest wins.
const START: &str = "K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1";
/// Length of a game after which the fifty-move rule makes it a draw. Units: plies.
const FIFTY_MOVES: usize = 100;
/// The least rating of a player that counts as strong.
const STRONG: u32 = 1950;

/// Returns the level's move. The engine evaluates and searches, and knows no tables.
fn fallible_move(
    solo: &mut Solo,
    game: &Game,
    level: Level,
    seed: u64,
    ply: usize,
) -> Option<stretto::types::Move> {
    let handicap = Strength { elo: level.elo, seed }.handicap(game.position().key(), ply);
    let moves = game.position().legal_moves();
    // Each move is searched with its share of the level's nodes.
    let nodes = Nodes((level.nodes / moves.len().max(1) as u64).max(1));
    let scores: Vec<_> = moves
        .iter()
        .map(|&mv| {
            let mut next = game.clone();
            next.play(mv);
            if !next.position().has_legal_move() {
                let is_mate = next.position().is_check();
                return stretto::types::Score(if is_mate { 10_000 } else { 0 });
            }
            -solo.search(&next, Limits { nodes: Some(nodes), ..Limits::default() }).score
        })
        .collect();
    // Like the playing engine, a level considers only its best moves.
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(scores[index]));
    order.truncate(level.lines);
    let considered: Vec<_> = order.iter().map(|&index| scores[index]).collect();
    handicap.choose(&considered).map(|index| moves[order[index]])
}

/// Returns the defender's move that the table recommends, at random among equals.
fn table_move(game: &Game, tables: &Tables, random: &mut SplitMix64) -> Option<stretto::types::Move> {
    let moves = game.position().legal_moves();
    let outcomes: Vec<Option<Outcome>> =
        moves.iter().map(|&mv| tables.probe(&game.position().after(mv))).collect();
    // The outcome is the opponent's: none is a capture, which ends the ending in a draw or better.
    let value = |outcome: &Option<Outcome>| match outcome {
        Some(Outcome::Loss(_)) => 100_000,
        Some(Outcome::Draw) | None => 50_000,
        Some(Outcome::Win(plies)) => i32::from(*plies),
    };
    let best = outcomes.iter().map(value).max()?;
    let equal: Vec<usize> = (0..moves.len()).filter(|&index| value(&outcomes[index]) == best).collect();
    Some(moves[equal[random.below(equal.len() as u64) as usize]])
}

/// Plays one game and returns whether White mates or captures the rook safely within fifty moves.
/// `attack` returns White's move at a ply.
fn is_won(
    tables: &Tables,
    start: &str,
    seed: u64,
    mut attack: impl FnMut(&Game, usize) -> Option<stretto::types::Move>,
) -> bool {
    let Ok(start) = Position::from_fen(start) else { return false };
    let mut random = SplitMix64::new(seed);
    let mut game = Game::new(start);
    for ply in 0..FIFTY_MOVES {
        let is_white = game.position().side_to_move() == Color::White;
        let mv = if is_white { attack(&game, ply) } else { table_move(&game, tables, &mut random) };
        let Some(mv) = mv else { break };
        let is_capture = game.position().is_capture(mv);
        game.play(mv);
        if is_capture {
            return is_white && matches!(tables.probe(game.position()), Some(Outcome::Loss(_)));
        }
        if !game.position().has_legal_move() {
            return is_white && game.position().is_check();
        }
    }
    false
}

/// Whether a limited level wins; see [`is_won`].
fn level_wins(solo: &mut Solo, tables: &Tables, start: &str, level: Level, seed: u64) -> bool {
    solo.new_game();
    is_won(tables, start, seed, |game, ply| fallible_move(solo, game, level, seed, ply))
}

/// Returns a searcher without tables; `None` without memory.
fn searcher(hash: Mebibytes) -> Option<Solo> {
    let configuration = Configuration { evaluation: Evaluation::Classical, ..Configuration::default() };
    Solo::new(hash, configuration).ok()
}

/// Nodes per move of the full-strength searches.
const BUDGETS: [u64; 3] = [20_000, 100_000, 500_000];

pub(super) fn by_search(effort: Effort) -> Finding {
    of_one("KQvKR", Metric::Dtc, |_, tables| {
        let Some(mut solo) = searcher(Mebibytes(16)) else { return Finding::no_memory() };
        let games = effort.pick(1, 8);
        let mut found = Vec::new();
        for &nodes in &BUDGETS[..effort.pick(1, BUDGETS.len())] {
            let won = (0..games)
                .filter(|&seed| {
                    solo.new_game();
                    is_won(tables, START, seed, |game, _| {
                        solo.search(game, Limits { nodes: Some(Nodes(nodes)), ..Limits::default() }).best
                    })
                })
                .count() as u64;
            found.push((games, won));
        }
        let listed: Vec<String> = BUDGETS
            .iter()
            .zip(&found)
            .map(|(nodes, (played, won))| format!("{won} of {played} with {nodes} nodes per move"))
            .collect();
        Finding::new(
            verdicts::won_by_search(&found),
            format!(
                "won within fifty moves from the position of the bet, without a table against one: {}",
                listed.join(", ")
            ),
        )
    })
}

pub(super) fn browne(effort: Effort) -> Finding {
    of_one("KQvKR", Metric::Dtc, |_, tables| {
        let Some(mut solo) = searcher(Mebibytes(2)) else { return Finding::no_memory() };
        let levels: Vec<Level> = LADDER.iter().copied().filter(|level| level.elo >= STRONG).collect();
        let levels = &levels[..effort.pick(1, levels.len())];
        let games = effort.pick(2, 20);
        let found: Vec<(u64, u64)> = levels
            .iter()
            .map(|&level| {
                (
                    games,
                    (0..games).filter(|&seed| level_wins(&mut solo, tables, START, level, seed)).count()
                        as u64,
                )
            })
            .collect();
        let distance = Position::from_fen(START).ok().and_then(|start| tables.probe(&start));
        let distance = distance.map_or_else(|| "unknown".to_owned(), |outcome| outcome.to_string());
        let listed: Vec<String> = levels
            .iter()
            .zip(&found)
            .map(|(level, (played, won))| format!("{won} of {played} at {} Elo", level.elo))
            .collect();
        Finding::new(
            verdicts::fallible_player(&found),
            format!(
                "distance to conversion of the position of the bet: {distance}; limited levels won within fifty moves against the \
                 table: {}",
                listed.join(", ")
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::generated::made;
    use super::*;

    #[test]
    fn a_weak_level_fails_where_the_table_resists_longest() {
        let tables = made(&["KQvKR"], Metric::Dtc);
        let start = Game::new(Position::from_fen(START).unwrap());
        assert_eq!(tables.probe(start.position()), Some(Outcome::Win(61)));
        let mut solo = Solo::new(Mebibytes(1), Configuration::default()).unwrap();
        assert!(
            !level_wins(&mut solo, &tables, START, LADDER[0], 1),
            "random moves do not win the rook in fifty moves"
        );
    }

    #[test]
    fn a_strong_level_wins_a_won_position() {
        let tables = made(&["KQvKR"], Metric::Dtc);
        let mut solo = Solo::new(Mebibytes(1), Configuration::default()).unwrap();
        let strongest = LADDER[LADDER.len() - 1];
        // The queen takes the rook; and mate in one.
        for start in ["8/8/8/3k4/8/8/1Q4r1/K7 w - - 0 1", "k7/7r/1K6/8/8/8/4Q3/8 w - - 0 1"] {
            assert!(level_wins(&mut solo, &tables, start, strongest, 1), "{start}");
        }
        // Stalemate and a lost queen are no wins.
        assert!(!level_wins(&mut solo, &tables, "8/8/8/8/8/1k6/8/K2Q3r b - - 0 1", strongest, 1));
    }

    #[test]
    fn search_wins_a_rook_that_it_sees() {
        let tables = made(&["KQvKR"], Metric::Dtc);
        let mut solo = searcher(Mebibytes(1)).unwrap();
        let mut attack = |game: &Game, _: usize| {
            solo.search(game, Limits { nodes: Some(Nodes(5000)), ..Limits::default() }).best
        };
        assert!(is_won(&tables, "8/8/8/3k4/8/8/1Q4r1/K7 w - - 0 1", 1, &mut attack));
        assert!(!is_won(&tables, "8/8/8/8/8/1k6/8/K2Q3r b - - 0 1", 1, &mut attack), "the queen is lost");
    }

    #[test]
    fn the_table_defends_as_long_as_possible() {
        let tables = made(&["KQvKR"], Metric::Dtc);
        let mut game = Game::new(Position::from_fen(START).unwrap());
        let attack = game
            .position()
            .legal_moves()
            .into_iter()
            .find(|&mv| tables.probe(&game.position().after(mv)) == Some(Outcome::Loss(60)));
        game.play(attack.unwrap());
        let reply = table_move(&game, &tables, &mut SplitMix64::new(1)).unwrap();
        assert_eq!(tables.probe(&game.position().after(reply)), Some(Outcome::Win(59)));
    }
}
