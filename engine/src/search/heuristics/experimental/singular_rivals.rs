//! Use of the score that a singular search gives the best of the other moves.
//!
//! Bets: the farther all other moves lie below the TT move, the less depth they deserve
//! (`SingularGap`); a move that beats the TT move in the singular search should be searched first, and
//! the TT move should not be extended (`BeatenTtMove`).
//! Preconditions: a singular search that has not cut the node off.
//! Soundness: unsound.
//! Knobs: `LmrSingularGap`, `LmrSingularGapMax`.
//! Source: both known from Reckless, the first from Stockfish too.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::position::Position;
use crate::search::context::Search;
use crate::search::heuristics::singular::{Plan, SingularResult};
use crate::search::node_types::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Ply, Score};

/// Returns the increase of the reduction of moves other than the TT move. Units: 1/1024 ply.
#[inline]
pub(crate) fn reduction(toggles: impl Toggles, node: &NodeContext) -> i32 {
    if !on!(toggles, SingularGap) {
        return 0;
    }
    (node.singular_gap * toggles.value(Tunable::LmrSingularGap))
        .min(toggles.value(Tunable::LmrSingularGapMax))
}

impl<T: Toggles> Search<'_, T> {
    /// Remembers what a singular search with this best score among the other moves has shown, for the
    /// move loop. Returns the extension of the TT move, which may be another one afterwards.
    #[inline]
    pub(crate) fn note_rivals(
        &self,
        position: &Position,
        node: &mut NodeContext,
        plan: Plan,
        score: Score,
        result: SingularResult,
        ply: Ply,
    ) -> SingularResult {
        if on!(self.toggles, SingularGap) {
            node.singular_gap = (plan.tt_score - score).0.max(0);
        }
        if on!(self.toggles, BeatenTtMove)
            && matches!(result, SingularResult::Extend(_))
            && score > plan.tt_score
            && let Some(mv) = self.worker.stack[ply].rival
        {
            node.tt_move = Some(mv);
            node.tt_move_is_noisy = position.is_noisy(mv);
            self.prefetch(position, mv);
            return SingularResult::Extend(0);
        }
        result
    }
}
