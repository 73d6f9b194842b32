//! Self-play games for experiments that need realistic positions; the same on every machine.

use std::collections::HashMap;

use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Key, Mebibytes, Nodes};

use stretto_harness::base::random::SplitMix64;

/// Random moves at the start of each game, for variety. Units: plies.
const RANDOM_PLIES: usize = 8;
/// Search effort of each later move. Units: nodes.
const NODES: u64 = 500;

/// Length after which a whole game is broken off. Units: plies.
pub(super) const LONGEST: usize = 300;

/// Plays games to the end, or to [`LONGEST`]. No side resigns, so endings are more frequent than in
/// games of people.
pub(super) fn whole_games(games: u64) -> Vec<Vec<Position>> {
    self_play(games, LONGEST).into_iter().map(until_repetition).collect()
}

/// Returns a game up to the third occurrence of a position, which makes it a draw.
fn until_repetition(mut game: Vec<Position>) -> Vec<Position> {
    let mut seen: HashMap<Key, u32> = HashMap::new();
    let is_third = |position: &Position| {
        let times = seen.entry(position.key()).or_insert(0);
        *times += 1;
        *times == 3
    };
    if let Some(ply) = game.iter().position(is_third) {
        game.truncate(ply + 1);
    }
    game
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_end_with_the_third_occurrence() {
        let position = |fen: &str| Position::from_fen(fen).unwrap();
        let (one, other) =
            (position("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), position("8/8/4k3/8/8/3K4/8/8 b - - 0 1"));
        let game = until_repetition(vec![one, other, one, other, one, other, one]);
        assert_eq!(game.len(), 5);
        assert_eq!(until_repetition(game[..4].to_vec()).len(), 4);
    }
}
