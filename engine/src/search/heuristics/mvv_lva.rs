//! Most valuable victim, least valuable attacker.
//!
//! Bet: taking much with little is most likely to refute.
//! Preconditions: a capture or promotion.
//! Soundness: ordering only.
//! Knobs: none.
//! Source: folklore; the project's source text on Otter; Chess Programming Wiki, "MVV-LVA".
//! Evidence: `results/search.md`.

use crate::position::{Position, see_value};
use crate::types::{Move, PieceType};

/// Rank of a noisy move: victim first, attacker breaks ties. Becoming a queen counts as winning one; becoming less
/// comes last. Units: eighths of a centipawn, roughly.
#[inline]
pub(crate) fn score(position: &Position, mv: Move) -> i32 {
    let victim = position.captured(mv).map_or(0, |kind| see_value(kind).0);
    let promoted = mv.promotion().map_or(0, |kind| {
        if kind == PieceType::Queen { see_value(kind).0 } else { -see_value(PieceType::Queen).0 }
    });
    let attacker = position.moved(mv).index() as i32;
    (victim + promoted) * 8 - attacker
}
