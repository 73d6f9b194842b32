//! The full search finds short mates with the correct length, and a reduced strength gives mate.

use crate::common::{lab, search, with_clock};
use crate::data;
use stretto::engine::{Configuration, Solo};
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::search::switches::{Settings, Switch};
use stretto::strength::Strength;
use stretto::tablebase::Tablebases;
use stretto::types::{Depth, FIFTY_MOVES, Mebibytes, Nodes, Ply, Score};

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

/// Returns the result of a game of a reduced strength against the best defence: the plies to the mate, or
/// `None` for a draw.
fn plies_to_mate(fen: &str, elo: u32, seed: u64) -> Option<usize> {
    let strength = Some(Strength { elo, seed });
    let mut attacker = solo(Configuration { strength, ..Configuration::default() });
    let mut tables = Tablebases::default();
    tables.usage.has_embedded = true;
    let mut defender = solo(Configuration { tables, ..Configuration::default() });
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for ply in 0.. {
        let position = game.position();
        if !position.has_legal_move() {
            return position.is_check().then_some(ply);
        }
        if position.halfmove_clock() >= FIFTY_MOVES || position.is_dead_material() || is_threefold(&game) {
            return None;
        }
        let player = if ply % 2 == 0 { &mut attacker } else { &mut defender };
        let found = player.search(&game, Limits { nodes: Some(Nodes(200_000)), ..Limits::default() });
        game.play(found.best.expect("a move"));
    }
    None
}

fn solo(configuration: Configuration) -> Solo {
    Solo::new(Mebibytes(1), configuration).expect("a table of one MiB")
}

/// Whether the position has occurred three times since the last irreversible move.
fn is_threefold(game: &Game) -> bool {
    let key = game.position().key();
    game.keys().iter().filter(|&&earlier| earlier == key).count() >= 2
}

#[test]
fn reduced_strength_mates_with_a_rook_and_with_a_queen() {
    for (elo, fen) in [
        (1300, "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1"),
        (1500, "8/8/3k4/8/8/8/5K2/4R3 w - - 0 1"),
        (1300, "8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1"),
        (1400, "8/8/8/4k3/8/8/6K1/3Q4 w - - 0 1"),
    ] {
        for seed in 1..3 {
            let plies = plies_to_mate(fen, elo, seed);
            assert!(plies.is_some(), "{fen} at {elo}, seed {seed}");
        }
    }
}

#[test]
fn reduced_strength_finds_mate_in_one_from_1500_on() {
    for fen in [
        "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
        "6k1/8/6K1/8/8/8/8/1R6 w - - 0 1",
        "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1",
    ] {
        for elo in [1500, 1800, 2100] {
            for seed in 1..8 {
                let strength = Some(Strength { elo, seed });
                let mut player = solo(Configuration { strength, ..Configuration::default() });
                let game = Game::new(Position::from_fen(fen).expect("a position"));
                let found = player.search(&game, Limits { depth: Some(Depth(30)), ..Limits::default() });
                assert_eq!(found.score.mate_moves(), Some(1), "{fen} at {elo}, seed {seed}");
            }
        }
    }
}
