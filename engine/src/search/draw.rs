//! Draws by rule, as the search sees them.

use crate::position::Position;
use crate::types::{FIFTY_MOVES, Key, Ply, Score};

/// The score of a node that the rules have decided: dead material, fifty moves (a mate on the board comes first),
/// or a repetition.
///
/// `keys` are the positions before this one, those of the game first. One earlier occurrence within the search is
/// enough, since what could be repeated once can be repeated twice; of positions of the game two are needed.
#[inline]
pub(crate) fn at_node(position: &Position, keys: &[Key], ply: Ply) -> Option<Score> {
    let clock = position.halfmove_clock();
    if clock >= FIFTY_MOVES {
        let is_mate = position.is_check() && !position.has_legal_move();
        return Some(if is_mate { Score::mated_in(ply) } else { Score::DRAW });
    }
    let is_draw = position.is_dead_material() || is_repetition(keys, position.key(), clock.into(), ply);
    is_draw.then_some(Score::DRAW)
}

/// Does the position repeat one of the search, or two of the game?
#[inline]
fn is_repetition(keys: &[Key], key: Key, reversible: usize, ply: Ply) -> bool {
    let horizon = reversible.min(keys.len());
    let mut seen = 0;
    // The same side is to move every second ply, and nothing repeats in two.
    for distance in (4..=horizon).step_by(2) {
        if keys[keys.len() - distance] == key {
            seen += 1;
            if seen == 2 || distance <= ply.index() {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Game;

    fn score_after(fen: &str, moves: &[&str], ply: u16) -> Option<Score> {
        let mut game = Game::new(Position::from_fen(fen).expect("a position"));
        for text in moves {
            game.play(game.position().parse_uci(text).expect("a legal move"));
        }
        at_node(game.position(), game.keys(), Ply(ply))
    }

    #[test]
    fn twofold_in_the_search_threefold_in_the_game() {
        let start = "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1";
        let once = ["a1a2", "e8d8", "a2a1", "d8e8"];
        let twice = [once, once].concat();
        assert_eq!(score_after(start, &once, 0), None);
        assert_eq!(score_after(start, &once, 3), None, "the repeated position is before the root");
        assert_eq!(score_after(start, &once, 4), Some(Score::DRAW));
        assert_eq!(score_after(start, &twice, 0), Some(Score::DRAW));
    }

    #[test]
    fn mate_comes_before_the_fifty_moves() {
        let mate = "R5k1/5ppp/8/8/8/8/8/4K3 b - - 100 90";
        assert_eq!(score_after(mate, &[], 3), Some(Score::mated_in(Ply(3))));
        assert_eq!(score_after("6k1/5ppp/8/8/8/8/8/R3K3 b - - 100 90", &[], 3), Some(Score::DRAW));
        assert_eq!(score_after("6k1/5ppp/8/8/8/8/8/R3K3 b - - 99 90", &[], 3), None);
    }

    #[test]
    fn bare_kings_are_drawn() {
        assert_eq!(score_after("4k3/8/8/8/8/8/8/4K2N w - - 0 1", &[], 1), Some(Score::DRAW));
    }
}
