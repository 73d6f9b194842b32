//! Test positions of the experiments.

use stretto::bench::POSITIONS;
use stretto::position::Position;

use super::super::self_play::self_play;

/// Returns `count` bench positions, evenly spread.
pub(super) fn positions(count: usize) -> Vec<&'static str> {
    POSITIONS.iter().copied().step_by((POSITIONS.len() / count).max(1)).take(count).collect()
}

/// Endings with few mobile pieces and many transpositions.
pub(super) const ENDINGS: [&str; 5] = [
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/4k3/8/2P5/4K3/8/8 w - - 0 1",
    "8/p4k2/1p3p2/2p5/2P5/1P3P2/P4K2/8 w - - 0 1",
    "8/5k2/8/2p5/2P5/5K2/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1",
];

/// Plies of a game at which positions are sampled.
const SAMPLED: [usize; 5] = [17, 28, 39, 50, 61];
/// The first of these that count as openings and middlegames.
const MIDDLEGAMES: usize = 3;

/// Returns positions of self-play games in which the side to move is not in check and has a choice,
/// each with the position before it. Games have one position each, since those of one game are not
/// independent.
pub(super) fn game_positions(games: u64) -> Vec<(Position, Position)> {
    one_of_each_game(games, &SAMPLED)
}

/// Returns positions as [`game_positions`] does, from the earlier part of the games.
pub(super) fn middlegames(games: u64) -> Vec<(Position, Position)> {
    one_of_each_game(games, &SAMPLED[..MIDDLEGAMES])
}

/// Returns a position of each game, at one of these plies. The number of the game decides which ply
/// is tried first; without a suitable position a game is left out.
fn one_of_each_game(games: u64, plies: &[usize]) -> Vec<(Position, Position)> {
    let is_suitable = |position: &Position| !position.is_check() && position.count_legal_moves() > 1;
    let longest = plies.iter().max().map_or(0, |ply| ply + 1);
    let of_game = |(number, game): (usize, &Vec<Position>)| {
        let mut tried = plies.iter().cycle().skip(number % plies.len()).take(plies.len());
        let &ply = tried.find(|&&ply| ply < game.len() && is_suitable(&game[ply]))?;
        Some((game[ply - 1], game[ply]))
    };
    self_play(games, longest).iter().enumerate().filter_map(of_game).collect()
}

/// Returns the FENs of positions.
pub(super) fn fens(positions: &[(Position, Position)]) -> Vec<String> {
    positions.iter().map(|(_, position)| position.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_positions_follow_each_other_and_are_quiet_enough() {
        let found = game_positions(10);
        assert!((8..=10).contains(&found.len()), "one of each game: {}", found.len());
        let moves: std::collections::BTreeSet<u16> =
            found.iter().map(|(_, position)| position.fullmove_number()).collect();
        assert!(moves.len() >= 4, "of different plies: {moves:?}");
        let early = middlegames(4);
        assert!(early.iter().all(|(_, position)| position.fullmove_number() <= 20), "{early:?}");
        for (before, position) in found.iter().chain(&early) {
            assert!(!position.is_check(), "{position}");
            assert!(before.legal_moves().into_iter().any(|mv| before.after(mv).key() == position.key()));
        }
    }
}
