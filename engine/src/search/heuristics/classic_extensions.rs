//! Recapture and passed-pawn extensions.
//!
//! Bet: taking back is forced and cheap to follow; a pawn about to promote decides the game beyond the horizon.
//! Preconditions: the line is not yet twice as long as the iteration is deep.
//! Soundness: unsound only in that a fixed depth no longer means the same for all lines.
//! Knobs: none.
//! Source: the project's source text on tree search ("extensions"); Chess Programming Wiki.
//! Evidence: `results/search.md`. Both are off by default.

use crate::position::Position;
use crate::search::switches::{Toggles, on};
use crate::types::{Bitboard, Color, Depth, Move, PieceType, Ply, Square};

/// How many plies to add for a move. Range: 0 or 1.
#[inline]
pub(crate) fn plies(
    toggles: impl Toggles,
    position: &Position,
    mv: Move,
    last_capture: Option<Square>,
    ply: Ply,
    iteration: Depth,
) -> i32 {
    if i32::from(ply.0) >= 2 * iteration.0 {
        return 0;
    }
    let is_recapture =
        on!(toggles, RecaptureExtension) && last_capture == Some(mv.to()) && position.is_capture(mv);
    let is_pushed = on!(toggles, PassedPawnExtension) && is_far_passed_pawn(position, mv);
    i32::from(is_recapture || is_pushed)
}

/// Does the move bring a passed pawn to the sixth or seventh rank?
fn is_far_passed_pawn(position: &Position, mv: Move) -> bool {
    let side = position.side_to_move();
    let rank = side.relative_rank(mv.to().rank()).index();
    if position.moved(mv) != PieceType::Pawn || !(5..=6).contains(&rank) {
        return false;
    }
    let file = Bitboard::file(mv.to().file());
    let files = file | file.east() | file.west();
    let beyond = match side {
        Color::White => u64::MAX << (8 * (mv.to().rank().index() + 1)),
        Color::Black => !(u64::MAX << (8 * mv.to().rank().index())),
    };
    (position.pieces_of(!side, PieceType::Pawn) & files & Bitboard(beyond)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_passed_pawns() {
        let far = |fen: &str, mv: &str| {
            let position = Position::from_fen(fen).expect("a position");
            is_far_passed_pawn(&position, position.parse_uci(mv).expect("a legal move"))
        };
        assert!(far("4k3/8/8/3P4/8/8/8/4K3 w - - 0 1", "d5d6"));
        assert!(!far("4k3/2p5/8/3P4/8/8/8/4K3 w - - 0 1", "d5d6"));
        assert!(far("4k3/8/8/8/8/3p4/2P5/4K3 b - - 0 1", "d3d2"));
        assert!(!far("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1", "d4d5"));
    }
}
