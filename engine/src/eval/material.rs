//! Material evaluation with the piece values of GNU Chess.
//!
//! Source: the values quoted in G. Owen, "Search Algorithms and Game Playing" (1997): pawn 100,
//! knight 350, bishop 330, rook 520, queen 980.

use crate::position::Position;
use crate::types::{PieceType, Score};

/// Piece values by type; the king counts nothing. Units: centipawns.
pub const VALUES: [i32; 6] = [100, 350, 330, 520, 980, 0];

/// Returns the material balance for the side to move. Units: centipawns.
pub fn evaluate(position: &Position) -> Score {
    let own = position.side_to_move();
    let balance = PieceType::ALL
        .into_iter()
        .map(|kind| {
            let count = |color| position.pieces_of(color, kind).count() as i32;
            VALUES[kind.index()] * (count(own) - count(!own))
        })
        .sum();
    Score(balance).clamp_to_eval()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_balance_is_seen_from_the_side_to_move() {
        let value = |fen| evaluate(&Position::from_fen(fen).expect("a position"));
        assert_eq!(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Score(0));
        assert_eq!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Score(980));
        assert_eq!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"), Score(-980));
        assert_eq!(value("4k3/8/8/8/8/8/8/R3KBN1 w - - 0 1"), Score(520 + 330 + 350));
    }
}
