//! Enhanced transposition cutoffs (ETC).
//!
//! Bet: one of the moves leads to a position whose TT entry already refutes the node.
//! Preconditions: a null window, and enough depth to pay for probing all moves.
//! Soundness: as unsound as any TT cutoff: the history of the entry may differ.
//! Knobs: `EnhancedCutoffDepth`.
//! Source: Schaeffer and Plaat, "New advances in alpha-beta searching" (1996); the project's source
//! text on tree search.
//! Evidence: `results/ablation.md`.

use crate::position::Position;
use crate::search::context::Search;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::search::tt_access::key_after;
use crate::types::{Bound, Depth, Ply, Score};

impl<T: Toggles> Search<'_, T> {
    /// Returns a score of at least `beta` if the TT entry of a child proves one.
    pub(crate) fn enhanced_cutoff(
        &self,
        position: &Position,
        beta: Score,
        depth: Depth,
        ply: Ply,
    ) -> Option<Score> {
        if depth.0 < self.toggles.value(Tunable::EnhancedCutoffDepth) {
            return None;
        }
        position.legal_moves().iter().find_map(|&mv| {
            let key = key_after(self.toggles, position, mv);
            let record = self.probe_key(key, ply.next(), position.clock_after(mv))?;
            let score = -record.score;
            let proves = record.bound != Bound::Lower && record.depth >= depth - 1 && score >= beta;
            proves.then_some(score)
        })
    }
}
