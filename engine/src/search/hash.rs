//! How a node uses the shared hash table.
//!
//! The table is asked only if one of its two switches is on; its move is one of many hints and is checked by the
//! picker, its score is turned from node-relative to root-relative mates here.

use super::switches::{Toggles, on};
use super::worker::Search;
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Depth, Move, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    #[inline]
    fn uses_table(&self) -> bool {
        on!(self.toggles, HashCut) || on!(self.toggles, HashMove)
    }

    /// What is known of the position.
    #[inline]
    pub(crate) fn probe(&self, position: &Position) -> Option<Record> {
        if self.uses_table() { self.job.table.probe(position.key()) } else { None }
    }

    /// The move to try first: that of the record, if it is legal here.
    #[inline]
    pub(crate) fn hash_move(&self, position: &Position, record: Option<Record>) -> Option<Move> {
        let mv = record?.mv.filter(|_| on!(self.toggles, HashMove));
        mv.filter(|&mv| position.is_legal(mv))
    }

    /// The recorded score, if it is deep enough and decides the node.
    #[inline]
    pub(crate) fn hash_cutoff(
        &self,
        record: &Record,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Option<Score> {
        let score = record.score.from_table(ply);
        let decides =
            on!(self.toggles, HashCut) && record.depth >= depth && record.bound.decides(score, window);
        decides.then_some(score)
    }

    /// Remembers what was found.
    #[inline]
    pub(crate) fn store(&self, position: &Position, record: Record) {
        if self.uses_table() {
            self.job.table.store(position.key(), record);
        }
    }

    /// Has the memory of the child ready when the child asks for it.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position, mv: Move) {
        if self.uses_table() {
            self.job.table.prefetch(position.key_after(mv));
        }
    }
}
