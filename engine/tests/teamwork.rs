//! Effects of the teamwork options: each changes the search of a team and leaves one thread alone.
//!
//! The threads take turns (lockstep), so that every difference is the option's.

mod common;

use std::num::NonZeroU64;

use common::{Player, random_positions};
use stretto::engine::Mode;
use stretto::position::{Game, Position};
use stretto::search::Teamwork;
use stretto::search::events::{LoggedBallot, SearchResult};
use stretto::search::limits::Limits;
use stretto::search::switches::Settings;
use stretto::search::time::{Clock, NodeClock};
use stretto::threads::result_board::Relay;
use stretto::threads::stagger::Stagger;
use stretto::threads::vote::{Ballot, winner};
use stretto::types::{Bound, Depth, Millis, Move, Nodes};

/// Nodes per millisecond of the clock that counts nodes.
const NODES_PER_MILLI: u32 = 200;

/// The result of a search and the first move of the last line of the main thread.
#[derive(Debug, PartialEq, Eq)]
struct Played {
    result: SearchResult,
    main: Option<Move>,
}

/// Searches each position after a new game, with `threads` in turns of 100 nodes.
fn play(threads: usize, limits: &Limits, change: impl Fn(&mut Teamwork)) -> Vec<Played> {
    let mut player = Player::with_threads(threads);
    player.configure(|search| {
        search.node_clock = NodeClock::new(NODES_PER_MILLI);
        search.mode = Mode::Lab(Settings::default());
        search.teamwork.lockstep = NonZeroU64::new(100);
        change(&mut search.teamwork);
    });
    let search = |fen: &String| {
        player.engine.new_game();
        player.engine.set_game(Game::new(Position::from_fen(fen).expect("a position")));
        let result = player.search(limits.clone());
        let reports = player.reports();
        let last = reports.iter().rev().find(|report| report.bound == Bound::Exact);
        Played { result, main: last.and_then(|report| report.pv.first().copied()) }
    };
    // More time changes a search only if it starts a further iteration, so clocks need more positions.
    let positions = if limits.clock.is_some() { 40 } else { 16 };
    random_positions(positions, 12).iter().map(search).collect()
}

fn to_nodes() -> Limits {
    Limits { nodes: Some(Nodes(10_000)), ..Limits::default() }
}

fn on_clock() -> Limits {
    let clock = Clock { remaining: Millis(600), increment: Millis(6), moves_to_go: None, move_number: 1 };
    Limits { clock: Some(clock), ..Limits::default() }
}

/// Checks that a change of the options has no effect on one thread and one on a team, the same
/// each time. Returns the searches of the team without and with the change.
fn effect(limits: &Limits, change: fn(&mut Teamwork)) -> (Vec<Played>, Vec<Played>) {
    assert_eq!(play(1, limits, change), play(1, limits, |_| {}), "one thread has nobody to work with");
    let (before, after) = (play(4, limits, |_| {}), play(4, limits, change));
    assert_eq!(play(4, limits, change), after, "not repeatable");
    assert_ne!(before, after, "no effect on four threads");
    (before, after)
}

#[test]
fn every_stagger_makes_another_search() {
    let mut all = Vec::new();
    for scheme in Stagger::ALL {
        let set = move |teamwork: &mut Teamwork| teamwork.stagger = scheme;
        assert_eq!(play(1, &to_nodes(), set), play(1, &to_nodes(), |_| {}), "{scheme}, one thread");
        // The first three helpers of two schemes follow the same patterns.
        let team = play(6, &to_nodes(), set);
        assert!(!all.contains(&team), "{scheme} searches like another scheme");
        all.push(team);
    }
}

#[test]
fn shared_pawn_history_changes_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.shares_pawn = true);
}

#[test]
fn separate_continuation_histories_change_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.shares_continuation = false);
}

#[test]
fn separate_butterfly_histories_change_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.shares_butterfly = false);
}

#[test]
fn relay_changes_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.relay = Relay::Off);
    effect(&to_nodes(), |teamwork| teamwork.relay = Relay::Ahead);
}

/// The shared tables outlive a search and are cleared with the game.
#[test]
fn shared_tables_are_kept_in_a_game_and_forgotten_after_it() {
    let mut player = Player::with_threads(4);
    player.configure(|search| {
        let teamwork = &mut search.teamwork;
        teamwork.lockstep = NonZeroU64::new(100);
        (teamwork.shares_pawn, teamwork.shares_continuation, teamwork.shares_butterfly) = (true, true, true);
    });
    let mut search = |is_new_game: bool| {
        if is_new_game {
            player.engine.new_game();
        }
        player.search(to_nodes())
    };
    let first = search(true);
    assert_ne!(search(false), first, "the hash table and the histories are kept");
    assert_eq!(search(true), first);
}

#[test]
fn logged_ballots_are_those_of_the_vote_and_change_nothing() {
    let mut player = Player::with_threads(4);
    player.configure(|search| search.teamwork.lockstep = NonZeroU64::new(100));
    let mut search = |fen: &String, logs_ballots: bool| {
        player.configure(|search| search.teamwork.logs_ballots = logs_ballots);
        player.engine.new_game();
        player.engine.set_game(Game::new(Position::from_fen(fen).expect("a position")));
        (player.search(to_nodes()), player.ballots())
    };
    for fen in random_positions(16, 12) {
        let (result, ballots) = search(&fen, true);
        assert_eq!(search(&fen, false), (result.clone(), Vec::new()), "{fen}");
        let threads: Vec<usize> = ballots.iter().map(|ballot| ballot.thread).collect();
        assert_eq!(threads, [0, 1, 2, 3], "{fen}");
        for ballot in &ballots {
            let LoggedBallot { depth, since, nodes, best_nodes, .. } = *ballot;
            assert!(since > Depth::ZERO && best_nodes <= nodes && nodes <= Nodes(10_000), "{ballot:?}");
            assert!(ballot.thread == 0 || since <= depth, "helpers report completed iterations: {ballot:?}");
        }
        let votes: Vec<Ballot> = ballots.iter().map(LoggedBallot::ballot).collect();
        let elected = &ballots[winner(&votes)];
        assert_eq!((Some(elected.mv), elected.depth), (result.best, result.depth), "{fen}");
    }
}

#[test]
fn separate_corrections_change_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.shares_corrections = false);
}

/// Disagreement can only lengthen the time, and the search up to the stop is the same. Helpers that share the
/// hash table alone disagree more often.
#[test]
fn agreed_stop_thinks_longer_where_helpers_disagree() {
    fn separate(teamwork: &mut Teamwork) {
        teamwork.relay = Relay::Off;
        teamwork.shares_continuation = false;
        teamwork.shares_butterfly = false;
        teamwork.shares_corrections = false;
    }
    fn main_alone(teamwork: &mut Teamwork) {
        separate(teamwork);
        teamwork.agreed_stop = false;
    }
    let limits = on_clock();
    assert_eq!(play(1, &limits, separate), play(1, &limits, main_alone), "one thread has nobody to ask");
    let (agreed, alone) = (play(4, &limits, separate), play(4, &limits, main_alone));
    assert_ne!(agreed, alone);
    let nodes = |played: &[Played]| -> Vec<u64> { played.iter().map(|one| one.result.nodes.0).collect() };
    let (agreed, alone) = (nodes(&agreed), nodes(&alone));
    assert!(agreed.iter().zip(&alone).all(|(with, without)| with >= without), "{agreed:?} {alone:?}");
}

/// The vote decides only which move is played; it does not change the searches.
#[test]
fn without_a_vote_the_move_of_the_main_thread_is_played() {
    let (voted, alone) = effect(&to_nodes(), |teamwork| teamwork.vote = false);
    for (voted, alone) in voted.iter().zip(&alone) {
        assert_eq!(voted.result.nodes, alone.result.nodes);
        assert_eq!(alone.result.best, alone.main, "{alone:?}");
    }
    let moved = voted.iter().zip(&alone).filter(|(voted, alone)| voted.result.best != alone.result.best);
    assert!(moved.count() > 0, "the vote never elects another move than the main thread's");
}

/// Many threads must not use up a small node limit before the main thread has searched a move.
#[test]
fn small_node_limits_leave_the_main_thread_its_first_iteration() {
    let mate_in_one = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1";
    for (threads, turn) in [(2, 1), (64, 1), (8, 0), (64, 0)] {
        let mut player = Player::with_threads(threads);
        player.configure(|search| search.teamwork.lockstep = NonZeroU64::new(turn));
        player.engine.set_game(Game::new(Position::from_fen(mate_in_one).expect("a position")));
        for nodes in [100, 300, 1000, 5100] {
            player.engine.new_game();
            let limits = Limits { nodes: Some(Nodes(nodes)), ..Limits::default() };
            let SearchResult { best, nodes: visited, nodes_by_worker, .. } = player.search(limits);
            let best = best.map(|mv| mv.to_string());
            assert_eq!(best.as_deref(), Some("h5f7"), "{threads} threads, {nodes} nodes");
            assert!(visited.0 <= nodes, "{visited:?}");
            // No helper is woken for a limit that the first iteration may use up.
            let team = if turn == 0 && nodes < 5000 { 1 } else { threads };
            assert_eq!(nodes_by_worker.len(), team, "{threads} threads, {nodes} nodes");
        }
    }
}
