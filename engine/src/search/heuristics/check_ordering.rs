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
use crate::types::{Bitboard, Move, MoveKind, PieceType, Score};

/// The squares from which each piece type attacks the opponent's king.
pub(crate) struct DirectChecks([Bitboard; PieceType::ALL.len()]);

impl DirectChecks {
    #[inline]
    pub(crate) fn of(position: &Position) -> Self {
        Self(direct_check_squares(position))
    }

    /// Whether a quiet move gives check itself.
    #[inline]
    pub(crate) fn has(&self, position: &Position, mv: Move) -> bool {
        mv.kind() == MoveKind::Normal && self.0[position.moved(mv).index()].has(mv.to())
    }
}

/// Whether a quiet move loses no material. `threats` are the squares that the opponent attacks.
pub(crate) fn is_safe(position: &Position, threats: Bitboard, mv: Move) -> bool {
    !threats.has(mv.to()) || position.see_at_least(mv, Score(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_direct_checks_are_told_from_other_moves() {
        let safe_checks = |fen: &str, moves: &[&str]| -> Vec<bool> {
            let position: Position = fen.parse().expect("a position");
            let (checks, threats) = (DirectChecks::of(&position), position.threats());
            let is_safe_check = |mv| checks.has(&position, mv) && is_safe(&position, threats, mv);
            moves.iter().map(|mv| is_safe_check(position.parse_uci(mv).expect("a legal move"))).collect()
        };
        // The rook gives check on e1, and on d8, where the king takes it.
        let rook = "4k3/8/8/8/8/8/6K1/3R4 w - - 0 1";
        assert_eq!(safe_checks(rook, &["d1e1", "d1d8", "d1d5", "g2f2"]), [true, false, false, false]);
        // The bishop's move uncovers a check: not a direct one.
        assert_eq!(safe_checks("4k3/8/8/8/4B3/8/6K1/4R3 w - - 0 1", &["e4b1"]), [false]);
    }
}
