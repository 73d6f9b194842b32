//! Null move pruning.
//!
//! Bet: if the position exceeds beta even after passing the turn, the best move exceeds it too.
//! Preconditions: not in check, a cut node with an evaluation of at least beta, a piece besides
//! pawns (zugzwang), no null move just before.
//! Soundness: unsound in zugzwang; deep cutoffs are therefore verified by a search without null
//! moves. A mate found after a null move is returned as beta.
//! Knobs: `NullMove*`.
//! Source: Beal (1986), Goetsch and Campbell (1990), Donninger, "Null move and deep search" (1993).
//! Evidence: `results/search.md`, "Groups".

use crate::position::Position;
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Ply, Score};

/// Returns the reduction of the search after a null move, or `None` if none is tried. Units: plies.
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
    let most = toggles.value(Tunable::NullMoveEvalMax);
    let above = ((eval - beta).0 / toggles.value(Tunable::NullMoveEval)).min(most);
    Some(
        toggles.value(Tunable::NullMoveBase) + node.depth.0 / toggles.value(Tunable::NullMoveDivisor) + above,
    )
}

/// Returns the score of a null move cutoff, which is never decisive.
#[inline]
pub(crate) fn cutoff(score: Score, beta: Score) -> Option<Score> {
    (score >= beta).then(|| if score.is_decisive() { beta } else { score })
}

/// Whether a cutoff at this depth is verified.
#[inline]
pub(crate) fn needs_verification(toggles: impl Toggles, depth: Depth) -> bool {
    on!(toggles, NullMoveVerification) && depth.0 >= toggles.value(Tunable::NullMoveVerifyDepth)
}

/// Returns the ply before which no null move is tried while a cutoff at `ply` is verified to
/// `depth`.
#[inline]
pub(crate) fn verified_until(toggles: impl Toggles, ply: Ply, depth: Depth) -> Ply {
    let share = toggles.value(Tunable::NullMoveVerifyShare);
    Ply(ply.0 + (depth.0.max(0) * share / 100) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutoff_has_the_score_of_the_search_unless_it_is_decisive() {
        let beta = Score(60);
        let cutoff = |score| cutoff(score, beta);
        assert_eq!([59, 60, 90].map(|score| cutoff(Score(score))), [None, Some(beta), Some(Score(90))]);
        assert_eq!(cutoff(Score::mate_in(Ply(9))), Some(beta), "a mate may depend on the null move");
    }
}
