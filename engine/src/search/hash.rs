//! How a node uses the shared hash table.
//!
//! The table is asked only if one of its two switches is on; its move is one of many hints and is checked by the
//! picker, its score is turned from node-relative to root-relative mates here.
//!
//! A record is a claim about a position, but near the fifty-move limit the same position is worth less. So the
//! clock, in steps, has a part in the key there; that the path may hold repetitions stays unknown to the table.

use super::switches::{Toggles, on};
use super::worker::Search;
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Depth, Key, Move, Ply, Score, Window};
use crate::zobrist;

impl<T: Toggles> Search<'_, T> {
    #[inline]
    fn uses_table(&self) -> bool {
        on!(self.toggles, HashCut) || on!(self.toggles, HashMove)
    }

    /// What is known of the position.
    #[inline]
    pub(crate) fn probe(&self, position: &Position) -> Option<Record> {
        self.probe_key(key(self.toggles, position))
    }

    /// What is known of the position the table keeps under this key; see [`key_after`].
    #[inline]
    pub(crate) fn probe_key(&self, key: Key) -> Option<Record> {
        if self.uses_table() { self.job.table.probe(key) } else { None }
    }

    /// The move to try first.
    #[inline]
    pub(crate) fn hash_move(&self, record: Option<Record>) -> Option<Move> {
        if on!(self.toggles, HashMove) { record.and_then(|record| record.mv) } else { None }
    }

    /// The recorded score, if it is deep enough and decides the node. A mate that is out of reach from here
    /// decides nothing.
    #[inline]
    pub(crate) fn hash_cutoff(
        &self,
        position: &Position,
        record: &Record,
        window: Window,
        depth: Depth,
        ply: Ply,
    ) -> Option<Score> {
        let score = record.score.from_table(ply, position.halfmove_clock());
        let decides = on!(self.toggles, HashCut)
            && record.depth >= depth
            && record.bound.decides(score, window)
            && record.score.is_mate() == score.is_mate();
        decides.then_some(score)
    }

    /// Remembers what was found.
    #[inline]
    pub(crate) fn store(&self, position: &Position, record: Record) {
        if self.uses_table() {
            self.job.table.store(key(self.toggles, position), record);
        }
    }

    /// Has the memory of the child ready when the child asks for it.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position, mv: Move) {
        if self.uses_table() {
            self.job.table.prefetch(key_after(self.toggles, position, mv));
        }
    }
}

/// The key the table keeps a position under.
#[inline]
pub(crate) fn key(toggles: impl Toggles, position: &Position) -> Key {
    with_clock(toggles, position.key(), position.halfmove_clock())
}

/// The key of the position after a legal move, before it is played; a guess in the cases where
/// [`Position::key_after`] is one.
#[inline]
pub(crate) fn key_after(toggles: impl Toggles, position: &Position, mv: Move) -> Key {
    with_clock(toggles, position.key_after(mv), position.clock_after(mv))
}

#[inline]
fn with_clock(toggles: impl Toggles, key: Key, halfmove_clock: u16) -> Key {
    if on!(toggles, HashClock) { key ^ zobrist::clock(halfmove_clock) } else { key }
}
