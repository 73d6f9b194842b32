//! Positions that hardly any game reaches: most moves, most queens, endless checks, a single legal
//! move.

use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Depth, MAX_PLY, Nodes};

use crate::common::Player;

const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
const MOST_QUEENS: &str = "rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR w KQkq - 0 1";

const POSITIONS: &[&str] = &[
    MOST_MOVES,
    "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
    MOST_QUEENS,
    "rnbqkbnr/bbbbbbbb/8/8/8/8/BBBBBBBB/RNBQKBNR w KQkq - 0 1",
    "nnnnknnn/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNKNNN b - - 0 1",
    // Both sides can give check for a long time.
    "1k5q/7q/8/8/8/8/Q7/Q6K w - - 0 1",
    "7k/8/8/8/8/1q6/8/K1Q5 b - - 0 1",
    "8/6kR/8/8/8/bq6/1rqqqqqq/K1nqnbrq b - - 0 1",
    "1rrrrrk1/1PPPPPPP/8/8/8/8/8/6K1 b - - 0 1",
    // Blocked or nearly bare positions.
    "2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1",
    "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
    "8/8/8/8/4k3/5p2/5K2/8 w - - 97 200",
];

#[test]
fn unusual_positions_are_searched_within_their_limits() {
    for threads in [1, 4] {
        let mut player = Player::with_threads(threads);
        for (fen, lines) in POSITIONS.iter().flat_map(|fen| [(fen, 1), (fen, 250)]) {
            let position = Position::from_fen(fen).expect("a position");
            player.configure(|search| search.multipv = lines);
            player.engine.set_game(Game::new(position));
            let limits = Limits { nodes: Some(Nodes(12_000)), depth: Some(Depth::MAX), ..Limits::default() };
            let outcome = player.search(limits);
            assert!(position.is_legal(outcome.best.expect("a move")), "{fen}: {outcome:?}");
            assert!(outcome.nodes.0 <= 12_000, "{fen}: {outcome:?}");
            for report in player.reports() {
                assert!(
                    usize::from(report.seldepth) <= MAX_PLY && report.pv.len() <= MAX_PLY,
                    "{fen}: {report:?}"
                );
            }
        }
    }
}

#[test]
fn search_to_maximum_depth_ends() {
    for fen in [&POSITIONS[9], &POSITIONS[10]] {
        for threads in [1, 4] {
            let mut player = Player::with_threads(threads);
            player.engine.set_game(Game::new(Position::from_fen(fen).expect("a position")));
            let outcome = player.search(Limits { depth: Some(Depth::MAX), ..Limits::default() });
            assert_eq!(outcome.depth, Depth::MAX, "{fen} {outcome:?}");
        }
    }
}

/// Each side has nine queens: the captures of the first iteration are practically endless, but
/// `stop` must work.
#[test]
fn stop_ends_an_endless_first_iteration() {
    let mut player = Player::new();
    player.engine.set_game(Game::new(Position::from_fen(MOST_QUEENS).expect("a position")));
    let stopped = |player: &mut Player| {
        player.engine.new_game();
        player.begin(Limits { infinite: true, ..Limits::default() });
        player.engine.stop();
        let outcome = player.outcome();
        assert!(outcome.best.is_some());
        outcome.nodes.0
    };
    // Several tries, because this thread may be descheduled before it calls `stop`.
    let least = (0..10).map(|_| stopped(&mut player)).min().expect("ten tries");
    assert!(least <= 5_000, "{least} nodes after a stop");
}
