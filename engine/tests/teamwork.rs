//! Effects of the teamwork options: each changes the search of a team and leaves one thread alone.
//!
//! The threads take turns (lockstep), so that every difference is the option's. Relay and shared
//! histories are in `determinism`.

mod common;

use std::num::NonZeroU64;

use common::{Player, random_positions};
use stretto::engine::Mode;
use stretto::position::{Game, Position};
use stretto::search::Teamwork;
use stretto::search::events::SearchResult;
use stretto::search::limits::Limits;
use stretto::search::switches::{CORRECTIONS, Settings};
use stretto::threads::stagger::Stagger;
use stretto::time::{Clock, NodeClock};
use stretto::types::{Bound, Millis, Move, Nodes};

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
        // The correction histories are off in play.
        let settings = CORRECTIONS.into_iter().fold(Settings::default(), |all, one| all.with(one, true));
        search.mode = Mode::Lab(settings);
        search.teamwork.turn = NonZeroU64::new(100);
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
    random_positions(16, 12).iter().map(search).collect()
}

fn to_nodes() -> Limits {
    Limits { nodes: Some(Nodes(10_000)), ..Limits::default() }
}

fn on_clock() -> Limits {
    let clock = Clock { remaining: Millis(600), increment: Millis(6), moves_to_go: None };
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
fn window_noise_changes_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.varies_windows = true);
}

#[test]
fn reduction_noise_changes_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.varies_reductions = true);
}

#[test]
fn separate_corrections_change_the_search_of_a_team() {
    effect(&to_nodes(), |teamwork| teamwork.shares_corrections = false);
}

/// Disagreement can only lengthen the time, and the search up to the stop is the same.
#[test]
fn agreed_stop_thinks_longer_where_helpers_disagree() {
    let (agreed, alone) = effect(&on_clock(), |teamwork| teamwork.stops_by_agreement = false);
    let nodes = |played: &[Played]| -> Vec<u64> { played.iter().map(|one| one.result.nodes.0).collect() };
    let (agreed, alone) = (nodes(&agreed), nodes(&alone));
    assert!(agreed.iter().zip(&alone).all(|(with, without)| with >= without), "{agreed:?} {alone:?}");
}

/// The vote decides only which move is played; it does not change the searches.
#[test]
fn without_a_vote_the_move_of_the_main_thread_is_played() {
    let (voted, alone) = effect(&to_nodes(), |teamwork| teamwork.is_voting = false);
    for (voted, alone) in voted.iter().zip(&alone) {
        assert_eq!(voted.result.nodes, alone.result.nodes);
        assert_eq!(alone.result.best, alone.main, "{alone:?}");
    }
    let moved = voted.iter().zip(&alone).filter(|(voted, alone)| voted.result.best != alone.result.best);
    assert!(moved.count() > 0, "the vote never elects another move than the main thread's");
}
