//! Ordering by threats: quiet moves that leave an attack by a piece of less value come earlier, those
//! that move into one later.
//!
//! Bet: the opponent takes a piece that stands or lands where a cheaper one attacks it.
//! Preconditions: a quiet move of a knight, bishop, rook or queen.
//! Soundness: ordering only.
//! Knobs: `Threatened*`.
//! Source: Stockfish (2022); histories alone learn it late.
//! Evidence: `results/search.md`, "At playing depth".

use crate::position::{LesserAttacks, Position};
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Move, PieceType};

/// Returns the ordering score that threats add to a quiet move. Units: history.
#[inline]
pub(crate) fn score(toggles: impl Toggles, position: &Position, attacks: &LesserAttacks, mv: Move) -> i32 {
    let kind = position.moved(mv);
    let tunable = match kind {
        PieceType::Knight | PieceType::Bishop => Tunable::ThreatenedMinor,
        PieceType::Rook => Tunable::ThreatenedRook,
        PieceType::Queen => Tunable::ThreatenedQueen,
        PieceType::Pawn | PieceType::King => return 0,
    };
    let attacked = attacks.on(kind);
    let gain = i32::from(attacked.has(mv.from())) - i32::from(attacked.has(mv.to()));
    gain * toggles.value(tunable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn leaving_an_attack_by_a_lesser_piece_scores_more_than_entering_one() {
        // The pawn on e5 attacks the rook on d4 and the square f4; d5 and d3 are not attacked.
        let position: Position = "4k3/8/8/4p3/3R4/8/8/4K3 w - - 0 1".parse().expect("a position");
        let attacks = LesserAttacks::of(&position);
        let score = |text: &str| {
            let mv =
                position.legal_moves().into_iter().find(|mv| mv.to_string() == text).expect("a legal move");
            score(Fixed, &position, &attacks, mv)
        };
        let rook = Fixed.value(Tunable::ThreatenedRook);
        assert_eq!((score("d4d5"), score("d4d3"), score("d4f4"), score("e1e2")), (rook, rook, 0, 0));
    }
}
