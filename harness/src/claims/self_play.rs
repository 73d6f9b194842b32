//! Self-play games for experiments that need realistic positions; the same on every machine.

use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Mebibytes, Nodes};

use crate::base::random::SplitMix64;

/// Random moves at the start of each game, for variety. Units: plies.
const RANDOM_PLIES: usize = 8;
/// Search effort of each later move. Units: nodes.
const NODES: u64 = 500;

/// Plays games and returns the positions of each, at most `plies` per game.
pub(super) fn self_play(games: u64, plies: usize) -> Vec<Vec<Position>> {
    let configuration = Configuration { evaluation: Evaluation::Classical, ..Configuration::default() };
    // The engine itself needs a table of this size.
    let Ok(mut solo) = Solo::new(Mebibytes(2), configuration) else { return Vec::new() };
    (0..games).map(|number| one_game(&mut solo, number, plies)).collect()
}

fn one_game(solo: &mut Solo, number: u64, plies: usize) -> Vec<Position> {
    let mut random = SplitMix64::new(number);
    let mut positions = Vec::new();
    solo.new_game();
    let mut game = Game::new(Position::startpos());
    for ply in 0..plies {
        let position = *game.position();
        let moves = position.legal_moves();
        let is_over = position.halfmove_clock() >= 100 || position.is_dead_material();
        positions.push(position);
        if moves.is_empty() || is_over {
            break;
        }
        let mv = if ply < RANDOM_PLIES {
            moves[random.below(moves.len() as u64) as usize]
        } else {
            let limits = Limits { nodes: Some(Nodes(NODES)), ..Limits::default() };
            let Some(best) = solo.search(&game, limits).best else { break };
            best
        };
        game.play(mv);
    }
    positions
}
