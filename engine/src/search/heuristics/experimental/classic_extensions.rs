//! Recapture and passed-pawn extensions.
//!
//! Bet: a recapture is forced and cheap to search; a pawn about to promote decides the game beyond
//! the horizon.
//! Preconditions: `extension_limit` allows it.
//! Soundness: unsound: a fixed depth no longer means the same for all lines.
//! Knobs: `PassedPawnRank`, `ExtensionLimit`.
//! Source: "Chess Tree Search" ("extensions"); Chess Programming Wiki.
//! Evidence: `results/ablation.md`.

use crate::position::Position;
use crate::search::heuristics::extension_limit;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Bitboard, Color, Depth, Move, PieceType, Ply, Square};

/// Returns the extension of a move. Units: plies. Range: 0 or 1.
#[inline]
pub(crate) fn plies(
    toggles: impl Toggles,
    position: &Position,
    mv: Move,
    last_capture: Option<Square>,
    ply: Ply,
    iteration: Depth,
) -> i32 {
    if !extension_limit::allows(toggles, ply, iteration) {
        return 0;
    }
    let is_recapture =
        on!(toggles, RecaptureExtension) && last_capture == Some(mv.to()) && position.is_capture(mv);
    let is_pushed = on!(toggles, PassedPawnExtension) && is_far_passed_pawn(toggles, position, mv);
    i32::from(is_recapture || is_pushed)
}

/// Whether the move brings a passed pawn to a rank from `PassedPawnRank` to the seventh.
fn is_far_passed_pawn(toggles: impl Toggles, position: &Position, mv: Move) -> bool {
    let side = position.side_to_move();
    let rank = side.relative_rank(mv.to().rank()).index() as i32 + 1;
    let is_far = rank >= toggles.value(Tunable::PassedPawnRank) && mv.promotion().is_none();
    if position.moved(mv) != PieceType::Pawn || !is_far {
        return false;
    }
    let file = Bitboard::file(mv.to().file());
    let files = file | file.east() | file.west();
    let beyond = match side {
        Color::White => u64::MAX << ((mv.to().rank().index() + 1) << 3),
        Color::Black => !(u64::MAX << (mv.to().rank().index() << 3)),
    };
    (position.pieces_of(!side, PieceType::Pawn) & files & Bitboard(beyond)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Fixed, Settings, Switch};

    #[test]
    fn passed_pawns_are_extended_on_the_sixth_and_seventh_rank() {
        let far = |fen: &str, mv: &str| {
            let position = Position::from_fen(fen).expect("a position");
            is_far_passed_pawn(Fixed, &position, position.parse_uci(mv).expect("a legal move"))
        };
        assert!(far("4k3/8/8/3P4/8/8/8/4K3 w - - 0 1", "d5d6"));
        assert!(!far("4k3/2p5/8/3P4/8/8/8/4K3 w - - 0 1", "d5d6"));
        assert!(far("4k3/8/8/8/8/3p4/2P5/4K3 b - - 0 1", "d3d2"));
        assert!(!far("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1", "d4d5"));
    }

    #[test]
    fn recaptures_are_extended() {
        let position: Position = "4k3/8/4p3/3N4/8/8/8/4K3 b - - 0 1".parse().expect("a position");
        let mv = position.parse_uci("e6d5").expect("a legal move");
        let recapture = Settings::default().with(Switch::RecaptureExtension, true);
        let extension = |settings: &Settings, last| plies(settings, &position, mv, last, Ply(3), Depth(9));
        assert_eq!(extension(&recapture, Some(mv.to())), 1);
        assert_eq!(extension(&recapture, Some(mv.from())), 0);
    }
}
