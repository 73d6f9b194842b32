//! Null move pruning.
//!
//! Bet: if the opponent cannot hurt us with two moves in a row, our best move beats beta.
//! Preconditions: not in check, a null window, evaluation at least beta, a piece besides pawns (zugzwang), no null
//! move just before.
//! Soundness: unsound in zugzwang; a mate found by passing is reported as beta only.
//! Knobs: `NullMoveDepth`, `NullMoveBase`, `NullMoveDivisor`, `NullMoveEval`.
//! Source: Beal (1986), Goetsch and Campbell (1990), Donninger, "Null move and deep search" (1993).
//! Evidence: `results/sprt/null-move.md`.

use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Score};

/// Most plies that a high evaluation adds to the reduction.
const MAX_EVAL_PLIES: i32 = 3;

/// The depth at which to search the position after passing, or `None` if passing proves nothing.
#[inline]
pub(crate) fn depth(
    toggles: impl Toggles,
    position: &Position,
    static_eval: Score,
    beta: Score,
    depth: Depth,
) -> Option<Depth> {
    let may_try = depth.0 >= toggles.value(Tunable::NullMoveDepth)
        && static_eval >= beta
        && !beta.is_mate()
        && position.has_non_pawn_material(position.side_to_move());
    if !may_try {
        return None;
    }
    let above = ((static_eval - beta).0 / toggles.value(Tunable::NullMoveEval)).min(MAX_EVAL_PLIES);
    let reduction =
        toggles.value(Tunable::NullMoveBase) + depth.0 / toggles.value(Tunable::NullMoveDivisor) + above;
    Some(depth - 1 - reduction)
}

/// What a search after passing proved: a cutoff at or above beta, but never a mate.
#[inline]
pub(crate) fn verdict(score: Score, beta: Score) -> Option<Score> {
    (score >= beta).then(|| if score.is_mate() { beta } else { score })
}
