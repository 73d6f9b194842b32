//! Enhanced transposition cutoffs (ETC).
//!
//! Bet: one of the moves leads to a position that the table already knows to be bad enough for the opponent.
//! Preconditions: a null window and enough depth to pay for looking all moves up.
//! Soundness: as unsound as any cutoff by the table: the record's history may differ.
//! Knobs: `EnhancedCutoffDepth`.
//! Source: Schaeffer and Plaat, "New advances in alpha-beta searching" (1996); the project's source text on tree search.
//! Evidence: `results/search.md`.

use crate::position::Position;
use crate::search::hash::key_after;
use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::search::worker::Search;
use crate::types::{Bound, Depth, Ply, Score};

impl<T: Toggles> Search<'_, T> {
    /// A score that beats `beta`, if the table has a child that proves one.
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
