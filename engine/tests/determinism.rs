//! Searches repeat themselves, move for move and node for node.

mod common;

use std::num::NonZeroU64;

use common::{Player, random_positions, search};
use stretto::engine::Configuration;
use stretto::position::{Game, Position};
use stretto::search::events::SearchResult;
use stretto::search::limits::Limits;
use stretto::search::time::{Clock, NodeClock};
use stretto::threads::result_board::Relay;
use stretto::types::{Depth, Mebibytes, Millis, Nodes};

#[test]
fn same_search_twice_gives_same_outcomes() {
    let fens = random_positions(20, 7);
    let first = search(&fens, 8, Configuration::default());
    let second = search(&fens, 8, Configuration::default());
    assert_eq!(first.outcomes, second.outcomes);
}

#[test]
fn new_game_repeats_the_first_search() {
    let mut player = Player::new();
    let to_depth = || Limits { depth: Some(Depth(9)), ..Limits::default() };
    let first = player.search(to_depth());
    let warm = player.search(to_depth());
    assert_ne!(first.nodes, warm.nodes, "the hash table must be kept within a game");
    player.engine.new_game();
    assert_eq!(player.search(to_depth()), first);
}

#[test]
fn node_limits_are_exact_and_repeatable() {
    let mut player = Player::new();
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    player.engine.set_game(Game::new(Position::from_fen(kiwipete).expect("a position")));
    let mut budget = 1;
    for _ in 0..20 {
        let limits = || Limits { nodes: Some(Nodes(budget)), ..Limits::default() };
        player.engine.new_game();
        let first = player.search(limits());
        player.engine.new_game();
        assert_eq!(player.search(limits()), first, "{budget} nodes");
        assert_eq!(first.nodes, Nodes(budget));
        assert!(first.best.is_some());
        budget += budget / 2 + 1;
    }
}

/// Runs twenty searches of one position with rising node limits and a warm hash table.
fn rising(player: &mut Player, fen: &str) -> Vec<SearchResult> {
    player.engine.set_game(Game::new(Position::from_fen(fen).expect("a position")));
    let limits = |step: u64| Limits { nodes: Some(Nodes(50 + 40 * step * step)), ..Limits::default() };
    (0..20).map(|step| player.search(limits(step))).collect()
}

#[test]
fn searches_repeat_after_new_game_whatever_came_before() {
    let mut player = Player::new();
    for fen in random_positions(3, 5) {
        player.engine.new_game();
        let first = rising(&mut player, &fen);
        assert!(first.windows(2).all(|pair| pair[0].nodes <= pair[1].nodes || pair[1].best.is_none()));
        player.engine.new_game();
        assert_eq!(rising(&mut player, &fen), first, "{fen}");
        // Another number of threads, another hash size and another game in between.
        player.engine.set_threads(3).expect("three threads");
        player.engine.set_hash(Mebibytes(2)).expect("two mebibytes");
        rising(&mut player, &random_positions(1, 77)[0]);
        player.engine.set_hash(Mebibytes(16)).expect("as before");
        player.engine.set_threads(1).expect("one thread");
        player.engine.new_game();
        assert_eq!(rising(&mut player, &fen), first, "{fen}");
        assert_eq!(rising(&mut Player::new(), &fen), first, "{fen}");
    }
}

/// Returns the outcomes of ten moves with a clock that counts nodes, 200 per millisecond.
fn game_on_nodes(mut player: Player) -> Vec<SearchResult> {
    player.configure(|search| search.node_clock = NodeClock::new(200));
    let mut game = Game::new(Position::startpos());
    let mut left = 400;
    let mut outcomes = Vec::new();
    for _ in 0..10 {
        player.engine.set_game(game.clone());
        let clock =
            Clock { remaining: Millis(left), increment: Millis(5), moves_to_go: None, move_number: 1 };
        let outcome = player.search(Limits { clock: Some(clock), ..Limits::default() });
        left += 5 - (outcome.nodes.0 / 200) as i64;
        assert!(left > 0, "the flag fell: {outcome:?}");
        game.play(outcome.best.expect("a move"));
        outcomes.push(outcome);
    }
    outcomes
}

#[test]
fn game_with_a_node_clock_is_repeatable() {
    let alone = game_on_nodes(Player::new());
    assert_eq!(game_on_nodes(Player::new()), alone);
    let nodes: u64 = alone.iter().map(|outcome| outcome.nodes.0).sum();
    assert!((8_000..80_000).contains(&nodes), "expected 8,000 to 80,000 nodes: {nodes}");
    let team = game_on_nodes(in_lockstep(4, 100));
    assert_eq!(game_on_nodes(in_lockstep(4, 100)), team);
    assert_ne!(team, alone);
}

#[test]
fn movetime_with_a_node_clock_is_counted_in_nodes() {
    let mut player = Player::new();
    player.configure(|search| search.node_clock = NodeClock::new(200));
    for millis in [1, 50, 300] {
        let outcome = player.search(Limits { movetime: Some(Millis(millis)), ..Limits::default() });
        let asked = 200 * millis as u64;
        assert!((asked..asked + 100).contains(&outcome.nodes.0), "{millis} ms: {outcome:?}");
    }
    // A ponder search passes the limit and ends at the hit.
    player.begin(Limits { movetime: Some(Millis(10)), ponder: true, ..Limits::default() });
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(player.engine.is_searching());
    player.engine.ponderhit();
    assert!(player.outcome().nodes >= Nodes(2000));
}

/// Returns a player with threads that take turns.
fn in_lockstep(threads: usize, turn: u64) -> Player {
    let mut player = Player::new();
    player.engine.set_threads(threads).expect("a few threads");
    player.configure(|search| search.teamwork.lockstep = NonZeroU64::new(turn));
    player
}

#[test]
fn threads_in_lockstep_are_repeatable() {
    let fens = random_positions(4, 11);
    for (threads, turn) in [(2, 1000), (5, 100), (16, 37)] {
        let run = || -> Vec<SearchResult> {
            let mut player = in_lockstep(threads, turn);
            let limits = [
                Limits { depth: Some(Depth(8)), ..Limits::default() },
                Limits { nodes: Some(Nodes(30_000)), ..Limits::default() },
            ];
            let searches = fens.iter().flat_map(|fen| limits.iter().map(move |limits| (fen, limits.clone())));
            searches
                .map(|(fen, limits)| {
                    player.engine.set_game(Game::new(Position::from_fen(fen).expect("a position")));
                    player.search(limits)
                })
                .collect()
        };
        let outcomes = run();
        assert_eq!(outcomes, run(), "{threads} threads, turns of {turn}");
        for outcome in outcomes.iter().skip(1).step_by(2) {
            assert_eq!(outcome.nodes, Nodes(30_000), "the node limit is exact in lockstep");
        }
    }
}

/// Returns the outcomes of searches to depth 8 with four threads in lockstep, from fixed positions.
fn outcomes_of_four(relay: Relay, shares_pawn: bool) -> Vec<SearchResult> {
    let mut player = in_lockstep(4, 100);
    player.configure(|search| {
        search.teamwork.relay = relay;
        search.teamwork.shares_pawn = shares_pawn;
    });
    let fens = random_positions(8, 12);
    let search = |fen: &String| {
        player.engine.new_game();
        player.engine.set_game(Game::new(Position::from_fen(fen).expect("a position")));
        player.search(Limits { depth: Some(Depth(8)), ..Limits::default() })
    };
    fens.iter().map(search).collect()
}

#[test]
fn threads_that_stay_ahead_save_nodes() {
    let [ahead, own] = [Relay::Ahead, Relay::Off].map(|relay| {
        let outcomes = outcomes_of_four(relay, false);
        assert_eq!(outcomes_of_four(relay, false), outcomes);
        for outcome in &outcomes {
            assert!(outcome.best.is_some() && outcome.depth == Depth(8), "{outcome:?}");
        }
        outcomes.iter().map(|outcome| outcome.nodes.0).sum::<u64>()
    });
    assert!(ahead < own, "threads that stay ahead repeat less work: {ahead} and {own} nodes");
}

#[test]
fn shared_pawn_history_changes_the_search_and_is_repeatable() {
    let (shared, own) = (outcomes_of_four(Relay::Off, true), outcomes_of_four(Relay::Off, false));
    assert_eq!(outcomes_of_four(Relay::Off, true), shared);
    assert_ne!(shared, own);
}

#[test]
fn one_thread_in_lockstep_searches_like_one_thread() {
    let to_depth = || Limits { depth: Some(Depth(9)), ..Limits::default() };
    assert_eq!(in_lockstep(1, 100).search(to_depth()), Player::new().search(to_depth()));
}

#[test]
fn helpers_in_lockstep_change_the_search_at_limited_cost() {
    let to_depth = || Limits { depth: Some(Depth(9)), ..Limits::default() };
    let (one, four) = (in_lockstep(1, 100).search(to_depth()), in_lockstep(4, 100).search(to_depth()));
    assert_ne!(one.nodes, four.nodes);
    assert!(four.nodes.0 < 8 * one.nodes.0, "{four:?} against {one:?}");
}
