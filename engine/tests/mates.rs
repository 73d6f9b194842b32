//! The full search finds short mates with the correct length.

mod common;
mod data;

use common::{lab, search, with_clock};
use stretto::engine::Configuration;
use stretto::search::switches::{Settings, Switch};
use stretto::types::{Ply, Score};

fn assert_mates(positions: &[(String, i32)]) {
    for moves in 1..=3 {
        let fens: Vec<String> =
            positions.iter().filter(|(_, mate)| *mate == moves).map(|(fen, _)| fen.clone()).collect();
        // A full-width search needs two plies per move. A selective search needs more iterations,
        // because it prunes quiet sacrifices near the leaves.
        let found = search(&fens, 2 * moves + 20, Configuration::default());
        for (fen, outcome) in fens.iter().zip(&found.outcomes) {
            assert_eq!(outcome.score.mate_moves(), Some(moves), "{fen}");
        }
    }
}

#[test]
fn textbook_mates_are_found_with_their_length() {
    let positions = [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", 1),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2),
        ("3k4/8/3K4/8/8/8/7R/8 w - - 0 1", 1),
    ];
    assert_mates(&positions.map(|(fen, mate)| (fen.to_owned(), mate)));
}

#[test]
fn published_mates_in_up_to_three_are_found() {
    let text = data::carried("epd/mates.epd");
    let positions: Vec<(String, i32)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            let mate = line.split("dm ").nth(1)?.split(';').next()?.trim().parse().ok()?;
            Some((fen, mate))
        })
        .collect();
    let counts = [1, 2, 3].map(|moves| positions.iter().filter(|(_, mate)| *mate == moves).count());
    assert_eq!((positions.len(), counts), (13, [3, 4, 6]));
    assert_mates(&positions);
}

#[test]
fn mates_beyond_the_fifty_move_limit_score_as_draws() {
    // Rook and king mate in three half-moves, none of which resets the clock, so a clock of 97 is
    // the last winning one. All positions share one hash table: entries found with one clock must
    // not be used with another.
    let of_clock = |clock| with_clock("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", clock);
    let found = |clocks: &[u16], settings| {
        let fens: Vec<String> = clocks.iter().copied().map(of_clock).collect();
        search(&fens, 16, lab(settings)).outcomes.into_iter().map(|outcome| outcome.score).collect::<Vec<_>>()
    };
    let mate = Score::mate_in(Ply(3));
    let all = found(&[0, 97, 98, 97, 99, 0], Settings::default());
    assert_eq!(all, [mate, mate, Score::DRAW, mate, Score::DRAW, mate]);
    // Also holds if the hash key does not include the clock.
    let blind = found(&[0, 98, 99], Settings::default().with(Switch::TtClock, false));
    assert_eq!(blind, [mate, Score::DRAW, Score::DRAW]);
}
