//! Self-play games, with each move verified by an independent implementation of the rules.

use std::collections::HashMap;

use stretto::position::{FenDialect, Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Mebibytes, Nodes};

use crate::common::{Player, Random, random_positions};
use crate::rules::Board;

/// Maximum length of a game. Units: plies.
const LONGEST: usize = 400;

/// Plays from `fen` until the game ends; returns its length in plies and the reason.
fn play(players: &mut [Player; 2], fen: &str, random: &mut Random) -> (usize, &'static str) {
    let start = Position::from_fen(fen).expect("a position");
    let (mut game, mut board) = (Game::new(start), Board::new(fen));
    let mut seen: HashMap<String, u32> = HashMap::new();
    for player in players.iter_mut() {
        player.engine.new_game();
    }
    for ply in 0..LONGEST {
        let count = seen.entry(board.key()).or_default();
        *count += 1;
        if *count == 3 {
            return (ply, "repetition");
        }
        if board.is_over() {
            let player = &mut players[ply % 2];
            player.engine.set_game(game.clone());
            let outcome = player.search(Limits { nodes: Some(Nodes(200)), ..Limits::default() });
            assert_eq!(outcome.best.is_some(), game.position().has_legal_move());
            return (ply, if board.is_mate() { "mate" } else { "draw" });
        }
        let player = &mut players[ply % 2];
        player.engine.set_game(game.clone());
        let nodes = 100 + random.below(500) as u64;
        let outcome = player.search(Limits { nodes: Some(Nodes(nodes)), ..Limits::default() });
        let context = || game.position().to_fen(FenDialect::Standard);
        let best = outcome.best.unwrap_or_else(|| panic!("no move in {}", context()));
        for line in player.reports().iter().map(|report| &report.pv) {
            let (mut board, mut position) = (board.clone(), *game.position());
            for &mv in line {
                board.play(&position, mv).unwrap_or_else(|problem| panic!("{problem}, from {}", context()));
                position = position.after(mv);
            }
        }
        board.play(game.position(), best).unwrap_or_else(|problem| panic!("{problem}"));
        game.play(best);
        if let Some(reply) = outcome.ponder {
            assert!(game.position().is_legal(reply), "{reply:?} cannot answer {best:?}");
        }
    }
    (LONGEST, "length")
}

fn play_some(count: usize, seed: u64) {
    let mut players = [Player::with_threads(1), Player::with_threads(3)];
    // A small hash table, so that entries are overwritten constantly.
    players[1].engine.set_hash(Mebibytes(1)).expect("a mebibyte");
    let mut random = Random::new(seed);
    let mut ends: HashMap<&str, usize> = HashMap::new();
    let mut plies = 0;
    for fen in random_positions(count, seed) {
        players.reverse();
        let (length, end) = play(&mut players, &fen, &mut random);
        plies += length;
        *ends.entry(end).or_default() += 1;
    }
    println!("{count} games, {plies} plies: {ends:?}");
    assert!(ends.contains_key("mate"), "{ends:?}");
}

#[test]
fn self_play_games_are_legal() {
    play_some(8, 3);
}

/// Plays as many games as the environment variable `GAMES` says.
#[test]
#[ignore = "long; plays GAMES games"]
fn many_self_play_games_are_legal() {
    let count = std::env::var("GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    play_some(count, std::process::id().into());
}
