//! The narrow recapture extension (`NarrowRecapture`).
//!
//! Bet: on the principal variation, the only good recapture is forced, and the position after it
//! decides.
//! It replaces the general recapture extension where both are on.
//! Preconditions: the TT move of a PV node takes the piece that has just captured, with a good history;
//! no other capture on that square keeps the material; `extension_limit` allows it.
//! Soundness: unsound: a fixed depth no longer means the same for all lines.
//! Knobs: `NarrowRecaptureHistory`, `ExtensionLimit`.
//! Source: known from Reckless.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::position::Position;
use crate::search::heuristics::extension_limit;
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Move, Ply, Score, Square};

/// Returns the extension of a move with this capture history, after a capture on `last_capture`.
/// Units: plies. Range: 0 or 1.
#[inline]
pub(crate) fn plies(
    toggles: impl Toggles,
    position: &Position,
    node: &NodeContext,
    (mv, history): (Move, i32),
    last_capture: Option<Square>,
    (ply, iteration): (Ply, Depth),
) -> i32 {
    let applies = node.is_pv
        && node.tt_move == Some(mv)
        && last_capture == Some(mv.to())
        && history >= toggles.value(Tunable::NarrowRecaptureHistory)
        && extension_limit::allows(toggles, ply, iteration)
        && is_only_good_capture(position, mv);
    i32::from(applies)
}

/// Whether the move is a capture that keeps the material, the only one on its square.
fn is_only_good_capture(position: &Position, mv: Move) -> bool {
    let keeps_material = |&other: &Move| position.see_at_least(other, Score(0));
    let captures = position.captures();
    let mut good =
        captures.iter().filter(|other| other.to() == mv.to() && position.is_capture(**other)).copied();
    good.all(|other| (other == mv) == keeps_material(&other)) && position.is_capture(mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    const QUEEN_OR_PAWN: &str = "3qk3/8/4p3/3N4/8/8/8/4K3 b - - 0 1";
    const PAWN_ONLY: &str = "r3k3/8/4p3/3N4/8/8/8/4K3 b - - 0 1";

    #[test]
    fn only_good_recapture_of_a_pv_node_is_extended() {
        let settings = Settings::default().with(Switch::NarrowRecapture, true);
        let least = (&settings).value(Tunable::NarrowRecaptureHistory);
        let extension = |fen: &str, is_pv: bool, history: i32, square: &str| {
            let position = Position::from_fen(fen).expect("a position");
            let mv = position.parse_uci("e6d5").expect("a legal move");
            let node = NodeContext { is_pv, tt_move: Some(mv), ..NodeContext::default() };
            let last = square.parse().ok();
            plies(&settings, &position, &node, (mv, history), last, (Ply(3), Depth(9)))
        };
        assert_eq!(extension(PAWN_ONLY, true, least, "d5"), 1);
        assert_eq!(extension(PAWN_ONLY, false, least, "d5"), 0, "not a PV node");
        assert_eq!(extension(PAWN_ONLY, true, least - 1, "d5"), 0, "a bad history");
        assert_eq!(extension(PAWN_ONLY, true, least, "c3"), 0, "no recapture");
        assert_eq!(extension(QUEEN_OR_PAWN, true, least, "d5"), 0, "another good one");
    }
}
