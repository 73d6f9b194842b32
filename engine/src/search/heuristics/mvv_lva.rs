//! Most valuable victim, least valuable attacker.
//!
//! Bet: the capture of a valuable piece with a cheap one is most likely to cause a cutoff.
//! Preconditions: a capture or promotion.
//! Soundness: ordering only.
//! Knobs: none.
//! Source: folklore; "Otter"; Chess Programming Wiki, "MVV-LVA".
//! Evidence: `results/ablation.md`.

use crate::position::{Position, see_value};
use crate::types::{Move, PieceType};

/// Leaves room for the index of the attacker, 0 to 5, below the value of the victim.
const ATTACKER_BITS: i32 = 3;

/// Returns the ordering score of a capture or promotion. The attacker only breaks ties. A queen
/// promotion counts as the capture of a queen; underpromotions come last. Units: 1/8 centipawn.
#[inline]
pub(crate) fn score(position: &Position, mv: Move) -> i32 {
    let victim = position.captured(mv).map_or(0, |kind| see_value(kind).0);
    let promoted = mv.promotion().map_or(0, |kind| {
        if kind == PieceType::Queen { see_value(kind).0 } else { -see_value(PieceType::Queen).0 }
    });
    let attacker = position.moved(mv).index() as i32;
    ((victim + promoted) << ATTACKER_BITS) - attacker
}
