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

/// Returns the ordering score that threats add to the quiet moves of a node, as a function that has
/// looked up the attacks and the weight of each piece type. Units: history.
#[inline]
pub(crate) fn score(toggles: impl Toggles, position: &Position) -> impl Fn(Move) -> i32 {
    let attacks = LesserAttacks::of(position);
    let by_kind = PieceType::ALL.map(|kind| (attacks.on(kind), weight(toggles, kind)));
    move |mv| {
        let (attacked, weight) = by_kind[position.moved(mv).index()];
        (i32::from(attacked.has(mv.from())) - i32::from(attacked.has(mv.to()))) * weight
    }
}

#[inline]
fn weight(toggles: impl Toggles, kind: PieceType) -> i32 {
    match kind {
        PieceType::Knight | PieceType::Bishop => toggles.value(Tunable::ThreatenedMinor),
        PieceType::Rook => toggles.value(Tunable::ThreatenedRook),
        PieceType::Queen => toggles.value(Tunable::ThreatenedQueen),
        PieceType::Pawn | PieceType::King => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn leaving_an_attack_by_a_lesser_piece_scores_more_than_entering_one() {
        // The pawn on e5 attacks the rook on d4 and the square f4; d5 and d3 are not attacked.
        let position: Position = "4k3/8/8/4p3/3R4/8/8/4K3 w - - 0 1".parse().expect("a position");
        let threat = score(Fixed, &position);
        let score = |text: &str| {
            let mv =
                position.legal_moves().into_iter().find(|mv| mv.to_string() == text).expect("a legal move");
            threat(mv)
        };
        let rook = Fixed.value(Tunable::ThreatenedRook);
        assert_eq!((score("d4d5"), score("d4d3"), score("d4f4"), score("e1e2")), (rook, rook, 0, 0));
    }
}
