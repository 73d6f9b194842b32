//! Short mates are found, at their true length, by the whole search.

mod common;

use common::{lab, search, with_clock};
use stretto::engine::Configuration;
use stretto::search::switches::{Settings, Switch};
use stretto::types::{Ply, Score};

fn assert_mates(positions: &[(String, i32)]) {
    for moves in 1..=3 {
        let fens: Vec<String> =
            positions.iter().filter(|(_, mate)| *mate == moves).map(|(fen, _)| fen.clone()).collect();
        // A full search needs two plies a move; a selective one leaves out quiet sacrifices until the iteration is
        // deep enough that they are no longer near a leaf.
        let found = search(&fens, 2 * moves + 20, Configuration::default());
        for (fen, outcome) in fens.iter().zip(&found.outcomes) {
            assert_eq!(outcome.score.mate_moves(), Some(moves), "{fen}");
        }
    }
}

#[test]
fn textbook_mates() {
    let positions = [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", 1),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2),
        ("3k4/8/3K4/8/8/8/7R/8 w - - 0 1", 1),
    ];
    assert_mates(&positions.map(|(fen, mate)| (fen.to_owned(), mate)));
}

#[test]
fn published_mates() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/epd/mates.epd");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: {path} is not there");
        return;
    };
    let positions: Vec<(String, i32)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            let mate = line.split("dm ").nth(1)?.split(';').next()?.trim().parse().ok()?;
            Some((fen, mate))
        })
        .filter(|(_, mate)| (1..=2).contains(mate))
        .collect();
    assert!(!positions.is_empty(), "{path} holds no short mates");
    assert_mates(&positions);
}

#[test]
fn a_mate_after_the_fifty_move_limit_is_a_draw() {
    // Rook and king mate in three half-moves, none of which resets the clock: the limit lets 97 and 3 pass.
    // One table for all: what was found with one clock must not be believed with another.
    let of_clock = |clock| with_clock("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", clock);
    let found = |clocks: &[u16], settings| {
        let fens: Vec<String> = clocks.iter().copied().map(of_clock).collect();
        search(&fens, 16, lab(settings)).outcomes.into_iter().map(|outcome| outcome.score).collect::<Vec<_>>()
    };
    let mate = Score::mate_in(Ply(3));
    let all = found(&[0, 97, 98, 97, 99, 0], Settings::default());
    assert_eq!(all, [mate, mate, Score::DRAW, mate, Score::DRAW, mate]);
    // A mate that comes too late is none even where the key does not know the clock.
    let blind = found(&[0, 98, 99], Settings::default().with(Switch::HashClock, false));
    assert_eq!(blind, [mate, Score::DRAW, Score::DRAW]);
}
