//! Null move pruning.
//!
//! Bet: if the opponent cannot hurt us with two moves in a row, our best move beats beta.
//! Preconditions: not in check, a null window expected to fail high, an evaluation that speaks for it, a piece besides
//! pawns (zugzwang), no null move just before.
//! Soundness: unsound in zugzwang, against which a deep cutoff is verified by a search without passing; a mate found
//! by passing is reported as beta only.
//! Knobs: `NullMoveDepth`, `NullMoveBase`, `NullMoveDivisor`, `NullMoveEval`, `NullMoveVerifyDepth`.
//! Source: Beal (1986), Goetsch and Campbell (1990), Donninger, "Null move and deep search" (1993).
//! Evidence: `results/search.md`, and of the first slice `results/sprt/null-move.md`.

use crate::position::Position;
use crate::search::heuristics::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Ply, Score};

/// Most plies that a high evaluation adds to the reduction.
const MAX_EVAL_PLIES: i32 = 4;
/// Share of the verification's depth for which no further null move is tried. Units: quarters.
const QUIET_QUARTERS: i32 = 3;

/// How much less deeply to search the position after passing, or `None` if passing proves nothing. Units: plies.
#[inline]
pub(crate) fn reduction(
    toggles: impl Toggles,
    position: &Position,
    node: &NodeContext,
    beta: Score,
) -> Option<i32> {
    let eval = node.eval?;
    let may_try = node.depth.0 >= toggles.value(Tunable::NullMoveDepth)
        && eval >= beta
        && !beta.is_decisive()
        && position.has_non_pawn_material(position.side_to_move());
    if !may_try {
        return None;
    }
    let above = ((eval - beta).0 / toggles.value(Tunable::NullMoveEval)).min(MAX_EVAL_PLIES);
    Some(
        toggles.value(Tunable::NullMoveBase) + node.depth.0 / toggles.value(Tunable::NullMoveDivisor) + above,
    )
}

/// What a search after passing proved: a cutoff at or above beta, but never a decisive score.
#[inline]
pub(crate) fn verdict(score: Score, beta: Score) -> Option<Score> {
    (score >= beta).then(|| if score.is_decisive() { beta } else { score })
}

/// Should a cutoff at this depth be confirmed?
#[inline]
pub(crate) fn needs_verification(toggles: impl Toggles, depth: Depth) -> bool {
    on!(toggles, NullMoveVerification) && depth.0 >= toggles.value(Tunable::NullMoveVerifyDepth)
}

/// While a cutoff at `ply` is verified to `depth`, nobody passes before this ply.
#[inline]
pub(crate) fn quiet_until(ply: Ply, depth: Depth) -> Ply {
    Ply(ply.0 + (depth.0.max(0) * QUIET_QUARTERS / 4) as u16)
}
