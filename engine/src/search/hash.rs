//! How a node uses the shared hash table.
//!
//! The table is asked only if one of its two switches is on; its move is one of many hints and is checked here,
//! its score is turned from node-relative to root-relative mates and table wins here.
//!
//! A record is a claim about a position, but near the fifty-move limit the same position is worth less. So the
//! clock, in steps, has a part in the key there; that the path may hold repetitions stays unknown to the table.

use super::switches::{Toggles, on};
use super::worker::Search;
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Bound, Depth, Key, Move, Ply, Score, Window};
use crate::zobrist;

impl<T: Toggles> Search<'_, T> {
    #[inline]
    fn uses_table(&self) -> bool {
        on!(self.toggles, HashCut) || on!(self.toggles, HashMove)
    }

    /// What is known of the position at `ply`. Its score is root-relative, unlike those in the table.
    #[inline]
    pub(crate) fn probe(&self, position: &Position, ply: Ply) -> Option<Record> {
        self.probe_key(key(self.toggles, position), ply, position.halfmove_clock())
    }

    /// The same of the position the table keeps under this key; see [`key_after`].
    #[inline]
    pub(crate) fn probe_key(&self, key: Key, ply: Ply, halfmove_clock: u16) -> Option<Record> {
        if !self.uses_table() {
            return None;
        }
        let mut record = self.job.table.probe(key)?;
        let score = record.score.from_table(ply, halfmove_clock);
        if record.score.is_decisive() == score.is_decisive() {
            record.score = score;
        } else {
            // A mate or table win that is out of reach from here. What is left is a move and a bound that says nothing.
            record.bound = Bound::Lower;
            record.score = -Score::INFINITE;
        }
        Some(record)
    }

    /// The move to try first: that of the record, if it is legal here.
    #[inline]
    pub(crate) fn hash_move(&self, position: &Position, record: Option<Record>) -> Option<Move> {
        let mv = record?.mv.filter(|_| on!(self.toggles, HashMove));
        mv.filter(|&mv| position.is_legal(mv))
    }

    /// The score of a probed record, if it is deep enough and decides the node.
    #[inline]
    pub(crate) fn hash_cutoff(&self, record: &Record, window: Window, depth: Depth) -> Option<Score> {
        let decides =
            on!(self.toggles, HashCut) && record.depth >= depth && record.bound.decides(record.score, window);
        decides.then_some(record.score)
    }

    /// Remembers what was found.
    #[inline]
    pub(crate) fn store(&self, position: &Position, record: Record) {
        if self.uses_table() {
            self.job.table.store(key(self.toggles, position), record);
        }
    }

    /// Remembers the evaluation of a position that has no record yet: nodes that are cut before they are searched
    /// come up again, and evaluating is the dearest thing they do. The score says nothing ("at least mated"), and
    /// any other record takes its place.
    #[inline]
    pub(crate) fn store_eval(&self, position: &Position, static_eval: Score, is_pv: bool) {
        let record = Record {
            mv: None,
            score: -Score::MATE,
            static_eval: Some(static_eval),
            depth: Record::MIN_DEPTH,
            bound: Bound::Lower,
            is_pv,
        };
        self.store(position, record);
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
