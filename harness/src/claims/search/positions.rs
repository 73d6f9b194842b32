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

/// Returns positions of self-play games in which the side to move is not in check and has a choice,
/// each with the position before it.
pub(super) fn game_positions(games: u64) -> Vec<(Position, Position)> {
    let is_suitable = |position: &Position| !position.is_check() && position.count_legal_moves() > 1;
    let longest = SAMPLED[SAMPLED.len() - 1] + 1;
    let of_game = |game: &Vec<Position>| {
        let at = SAMPLED.into_iter().filter(|&ply| ply < game.len() && is_suitable(&game[ply]));
        at.map(|ply| (game[ply - 1], game[ply])).collect::<Vec<_>>()
    };
    self_play(games, longest).iter().flat_map(of_game).collect()
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
        let found = game_positions(6);
        assert!(found.len() >= 15, "{}", found.len());
        for (before, position) in &found {
            assert!(!position.is_check(), "{position}");
            assert!(before.legal_moves().into_iter().any(|mv| before.after(mv).key() == position.key()));
        }
    }
}
