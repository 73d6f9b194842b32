//! Hanging pieces in quiescence search.
//!
//! Bet: a side with two hanging pieces saves only one with its move, so standing pat is too
//! optimistic by the other.
//! Preconditions: not in check.
//! Soundness: unsound.
//! Knobs: none.
//! Source: "Chess Tree Search": stable positions are those without direct
//! threats, "e.g. hanging pieces, checkmate, promotion".
//! Evidence: `results/ablation.md`.

use crate::attacks;
use crate::position::{Position, see_value};
use crate::types::{Bitboard, PieceType, Score};

/// Returns the second largest loss among the hanging pieces of the side to move; zero with fewer
/// than two.
pub(crate) fn second_loss(position: &Position) -> Score {
    let (us, them) = (position.side_to_move(), !position.side_to_move());
    let threats = position.threats();
    let defended = position.after_null().threats();
    let pawns = position.pieces_of(them, PieceType::Pawn).into_iter();
    let by_pawns = pawns.fold(Bitboard::EMPTY, |all, from| all | attacks::pawn(them, from));
    let [mut most, mut second] = [Score(0); 2];
    for kind in [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
        for square in position.pieces_of(us, kind) & threats {
            let loss = if !defended.has(square) {
                see_value(kind)
            } else if by_pawns.has(square) {
                see_value(kind) - see_value(PieceType::Pawn).0
            } else {
                Score(0)
            };
            second = second.max(loss.min(most));
            most = most.max(loss);
        }
    }
    second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_loss_counts_undefended_pieces_and_those_attacked_by_pawns() {
        let second = |fen: &str| second_loss(&fen.parse().expect("a position"));
        // The fork of two defended knights by a pawn costs one of them.
        let fork = second("4k3/8/8/3p4/2N1N3/1P1P4/8/4K3 w - - 0 1");
        assert_eq!(fork, see_value(PieceType::Knight) - see_value(PieceType::Pawn).0);
        // One undefended rook alone, then a rook and a pawn.
        assert_eq!(second("r3k3/8/8/8/R7/8/8/4K3 w - - 0 1"), Score(0));
        assert_eq!(second("r3k2r/8/8/8/R7/8/4K2P/8 w - - 0 1"), see_value(PieceType::Pawn));
        assert_eq!(second("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), Score(0));
    }
}
