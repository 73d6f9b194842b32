//! Ordering by checks: a safe direct check comes earlier (`DirectCheckOrder`).
//!
//! Bet: the opponent has few answers to a check, so it refutes more often than its history shows.
//! Preconditions: a quiet move that attacks the king itself, to a square that the opponent does not
//! attack or where the exchange loses nothing.
//! Soundness: ordering only.
//! Knobs: `DirectCheckBonus`.
//! Source: known from Reckless and Stockfish.
//! Evidence: `results/search.md`, "What strong engines have".

use crate::position::{Position, direct_check_squares};
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Bitboard, Move, MoveKind, Score};

/// Returns the ordering score that checks add to the quiet moves of a node, as a function. `threats` are
/// the squares that the opponent attacks. Units: history.
#[inline]
pub(crate) fn score(toggles: impl Toggles, position: &Position, threats: Bitboard) -> impl Fn(Move) -> i32 {
    let squares = direct_check_squares(position);
    move |mv| {
        let is_safe_check = mv.kind() == MoveKind::Normal
            && squares[position.moved(mv).index()].has(mv.to())
            && (!threats.has(mv.to()) || position.see_at_least(mv, Score(0)));
        if is_safe_check { toggles.value(Tunable::DirectCheckBonus) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn safe_direct_checks_score_more_than_other_moves() {
        let scores = |fen: &str, moves: &[&str]| -> Vec<i32> {
            let position: Position = fen.parse().expect("a position");
            let score = score(Fixed, &position, position.threats());
            moves.iter().map(|mv| score(position.parse_uci(mv).expect("a legal move"))).collect()
        };
        let bonus = Fixed.value(Tunable::DirectCheckBonus);
        // The rook gives check on e1, and on d8, where the king takes it.
        let rook = "4k3/8/8/8/8/8/6K1/3R4 w - - 0 1";
        assert_eq!(scores(rook, &["d1e1", "d1d8", "d1d5", "g2f2"]), [bonus, 0, 0, 0]);
        // The bishop's move uncovers a check: not a direct one.
        assert_eq!(scores("4k3/8/8/8/4B3/8/6K1/4R3 w - - 0 1", &["e4b1"]), [0]);
    }
}
