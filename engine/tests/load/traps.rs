//! Draws by repetition and by the fifty-move rule: sought when losing, avoided when winning.

use stretto::position::{Game, Position};
use stretto::search::events::SearchResult;
use stretto::search::limits::Limits;
use stretto::types::{Depth, Score};

use crate::common::{Player, with_clock};

/// Searches a position with one and with three threads and passes the results to `check`.
fn search(fen: &str, moves: &str, check: impl Fn(&Game, &SearchResult)) {
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for text in moves.split_whitespace() {
        game.play(game.position().parse_uci(text).expect("a legal move"));
    }
    for threads in [1, 3] {
        let mut player = Player::with_threads(threads);
        player.engine.set_game(game.clone());
        let outcome = player.search(Limits { depth: Some(Depth(9)), ..Limits::default() });
        check(&game, &outcome);
    }
}

fn best(game: &Game, outcome: &SearchResult) -> String {
    game.position().uci(outcome.best.expect("a move"), false)
}

#[test]
fn winning_side_moves_a_pawn_before_the_fifty_move_limit() {
    let fen = "8/8/8/8/5k2/8/P7/KQ6 w - - 0 100";
    for clock in [98, 99] {
        search(&with_clock(fen, clock), "", |game, outcome| {
            let best = best(game, outcome);
            assert!(["a2a3", "a2a4"].contains(&best.as_str()), "clock {clock}: {best}");
            assert!(outcome.score > Score(300), "{:?}", outcome.score);
        });
    }
}

#[test]
fn losing_side_reaches_the_fifty_move_limit() {
    search("7k/p7/8/8/8/8/3Q4/K7 b - - 99 120", "", |game, outcome| {
        assert_eq!(outcome.score, Score::DRAW);
        assert!(best(game, outcome).starts_with("h8"), "{}", best(game, outcome));
    });
}

#[test]
fn losing_side_gives_perpetual_check() {
    search("6k1/6p1/5p2/7Q/2n5/1n6/rr4PP/7K w - - 0 1", "", |game, outcome| {
        assert_eq!((best(game, outcome).as_str(), outcome.score), ("h5e8", Score::DRAW));
    });
}

/// The winning side has shuffled twice; a third repetition would be a draw.
#[test]
fn winning_side_avoids_threefold_repetition() {
    let shuffle = "b1b2 f4e4 b2b1 e4f4 b1b2 f4e4 b2b1 e4f4";
    search("8/8/8/8/5k2/8/8/KQ6 w - - 0 1", "b1c1 f4g4 c1b1 g4f4", |game, outcome| {
        assert_ne!(best(game, outcome), "b1c1");
        assert!(outcome.score > Score(300), "{:?}", outcome.score);
    });
    search("8/8/8/8/5k2/8/P7/KQ6 w - - 0 1", shuffle, |game, outcome| {
        let mut after = game.clone();
        after.play(outcome.best.expect("a move"));
        let before = game.keys().iter().filter(|&&key| key == after.position().key()).count();
        assert!(before < 2 && outcome.score > Score(300), "{} {:?}", best(game, outcome), outcome.score);
    });
}

/// The losing side completes the repetition if it is its move.
#[test]
fn losing_side_completes_threefold_repetition() {
    // Black shuffles between g8 and h8; White, far ahead, has allowed two repetitions.
    let shuffle = "a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1";
    search("7k/8/8/8/8/8/1P3Q2/K7 w - - 0 1", shuffle, |game, outcome| {
        assert_eq!((best(game, outcome).as_str(), outcome.score), ("g8h8", Score::DRAW));
    });
}
