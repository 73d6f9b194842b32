//! The rules of chess that end a game.

use stretto::position::Game;
use stretto::types::{Color, FIFTY_MOVES};

/// Number of earlier occurrences that make a threefold repetition.
const REPETITIONS: usize = 2;

/// Returns White's half-points if the game is over by the rules of chess: mate, stalemate, threefold
/// repetition, the fifty-move rule, or insufficient material.
pub(crate) fn half_points_if_over(game: &Game) -> Option<u8> {
    let position = game.position();
    if !position.has_legal_move() {
        return Some(if position.is_check() { won_by(!position.side_to_move()) } else { 1 });
    }
    let key = position.key();
    let is_repeated = game.keys().iter().filter(|&&earlier| earlier == key).count() >= REPETITIONS;
    let is_drawn = is_repeated || position.halfmove_clock() >= FIFTY_MOVES || position.is_dead_material();
    is_drawn.then_some(1)
}

/// Returns White's half-points in a game that this side wins.
pub(crate) const fn won_by(color: Color) -> u8 {
    match color {
        Color::White => 2,
        Color::Black => 0,
    }
}

#[cfg(test)]
mod tests {
    use stretto::position::Position;

    use super::*;

    #[test]
    fn games_end_by_the_rules_of_chess() {
        let at = |fen| half_points_if_over(&Game::new(Position::from_fen(fen).unwrap()));
        assert_eq!(at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some(1));
        assert_eq!(at("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Some(2));
        assert_eq!(at("7K/6q1/6k1/8/8/8/8/8 w - - 0 1"), Some(0));
        assert_eq!(at("7k/8/6K1/8/8/8/8/8 b - - 0 1"), Some(1));
        assert_eq!(at("7k/8/6K1/8/8/8/8/N7 w - - 0 1"), Some(1));
        assert_eq!(at("7k/8/6K1/8/8/8/8/R7 b - - 0 1"), None);
        assert_eq!(at("7k/8/6K1/8/8/8/8/R7 w - - 99 80"), None);
        assert_eq!(at("7k/8/6K1/8/8/8/8/R7 w - - 100 80"), Some(1));
        let mut game = Game::new(Position::startpos());
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
            assert_eq!(half_points_if_over(&game), None);
            game.play(game.position().parse_uci(text).unwrap());
        }
        game.play(game.position().parse_uci("f6g8").unwrap());
        assert_eq!(half_points_if_over(&game), Some(1));
    }
}
