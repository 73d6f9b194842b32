//! Hindsight: corrects the depth of a node that was reached by a reduced move.
//!
//! Bet: the static evaluation after a reduced move shows whether the reduction was right.
//! Preconditions: not in check; the move that led here was reduced.
//! Soundness: unsound: it shifts depth between nodes.
//! Knobs: `HindsightDeeper`, `HindsightShallower`.
//! Source: common to the strongest engines since 2024.
//! Evidence: `results/search.md`, "At playing depth".

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::{Depth, Score};

/// Returns the plies to add to a node that was reached by a move reduced by `reduction` plies.
/// Range: -1 to 1.
///
/// `evals` are the static evaluations here and at the parent, each from its own side's view. Their
/// sum is the change that the opponent's move made for the side to move here.
#[inline]
pub(crate) fn plies(
    toggles: impl Toggles,
    depth: Depth,
    reduction: i32,
    evals: Option<(Score, Score)>,
) -> i32 {
    let Some((here, parent)) = evals.filter(|_| reduction > 1) else { return 0 };
    let gained = here.0 + parent.0;
    if reduction >= toggles.value(Tunable::HindsightDeeper) && gained <= 0 {
        // The reduced move was good for its side.
        return 1;
    }
    -i32::from(depth.0 > 1 && gained > toggles.value(Tunable::HindsightShallower))
}
