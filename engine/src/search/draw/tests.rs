//! Tests of draws in the search.

use super::*;
use crate::position::Game;
use crate::types::SplitMix64;

fn score_after(fen: &str, moves: &[&str], ply: u16) -> Option<Score> {
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for text in moves {
        game.play(game.position().parse_uci(text).expect("a legal move"));
    }
    at_node(game.position(), game.keys(), Ply(ply))
}

#[test]
fn twofold_repetition_in_the_search_and_threefold_in_the_game_are_draws() {
    let start = "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1";
    let once = ["a1a2", "e8d8", "a2a1", "d8e8"];
    let twice = [once, once].concat();
    assert_eq!(score_after(start, &once, 0), None);
    assert_eq!(score_after(start, &once, 3), None, "the repeated position is before the root");
    assert_eq!(score_after(start, &once, 4), Some(Score::DRAW));
    assert_eq!(score_after(start, &twice, 0), Some(Score::DRAW));
}

#[test]
fn repetition_across_a_null_move_is_no_draw() {
    // The rook returns to its square while the other side makes two null moves.
    let mut position = Position::from_fen("4k3/8/8/8/8/8/4P3/R3K3 w - - 9 20").expect("a position");
    let mut keys = vec![Key(1); 9];
    for text in ["a1a2", "", "a2a1", ""] {
        keys.push(position.key());
        position = match text {
            "" => position.after_null(),
            text => position.after(position.parse_uci(text).expect("a legal move")),
        };
    }
    assert_eq!(keys[9], position.key());
    assert_eq!((position.halfmove_clock(), position.reversible_plies()), (13, 0));
    assert_eq!(at_node(&position, &keys, Ply(4)), None);
}

/// Computes [`has_upcoming_repetition`] by playing every move.
fn upcoming_by_playing(position: &Position, keys: &[Key], ply: Ply) -> bool {
    let keys = [keys, &[position.key()]].concat();
    position.legal_moves().iter().any(|&mv| is_repetition(&position.after(mv), &keys, ply.next()))
}

#[test]
fn upcoming_repetition_matches_playing_every_move() {
    let starts = [
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "8/1n2k3/2p5/2P1p3/4P3/3K4/1B6/8 w - - 0 1",
        "4k3/4r3/8/2b5/8/8/4R3/4K1N1 w - - 30 40",
        "k7/p1p5/P1P5/8/8/5q2/8/6BK w - - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP2BPPP/R2Q1RK1 w - - 0 9",
    ];
    let mut random = SplitMix64::new(7);
    let mut below = |bound: usize| random.below(bound as u64) as usize;
    let (mut seen, mut foreseen) = (0, 0);
    for game in 0..600 {
        let start = Position::from_fen(starts[game % starts.len()]).expect("a position");
        let mut game = Game::new(start);
        for _ in 0..60 {
            let position = *game.position();
            let length = game.keys().len();
            for ply in [0, length / 2, length.saturating_sub(1), length] {
                let ply = Ply(ply as u16);
                let found = has_upcoming_repetition(&position, game.keys(), ply);
                let expected = upcoming_by_playing(&position, game.keys(), ply);
                assert_eq!(found, expected, "{position:?} {ply:?} {:?}", game.keys());
                seen += 1;
                foreseen += usize::from(found);
            }
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Prefer moves that go back, so that repetitions occur.
            let back = game.keys().iter().rev().find_map(|&key| position.reversible_move_to(key));
            let mv = back.filter(|_| below(3) == 0).unwrap_or(moves[below(moves.len())]);
            game.play(mv);
        }
    }
    assert!(foreseen > seen / 50 && foreseen < seen / 2, "{foreseen} of {seen}");
}

#[test]
fn mate_takes_precedence_over_the_fifty_move_rule() {
    let mate = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 90";
    assert_eq!(score_after(mate, &[], 3), Some(Score::mated_in(Ply(3))));
    assert_eq!(score_after("6k1/5ppp/8/8/8/8/8/R3K3 b - - 100 90", &[], 3), Some(Score::DRAW));
    assert_eq!(score_after("6k1/5ppp/8/8/8/8/8/R3K3 b - - 99 90", &[], 3), None);
}

#[test]
fn insufficient_material_is_a_draw() {
    assert_eq!(score_after("4k3/8/8/8/8/8/8/4K2N w - - 0 1", &[], 1), Some(Score::DRAW));
}
