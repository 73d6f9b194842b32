//! Access to the transposition table (TT) from a node.
//!
//! The TT is probed only if one of its two switches is on. Its move is checked for legality here,
//! and its score is converted between node-relative and root-relative mates and tablebase wins.
//!
//! An entry describes a position, but near the fifty-move limit the same position is worth less.
//! From 20 plies without progress on, the key therefore includes the halfmove clock, in steps. Repetitions on the path remain
//! invisible to the TT.

use super::context::Search;
use super::picker::Picker;
use super::switches::{Toggles, on};
use crate::position::Position;
use crate::tt::Record;
use crate::types::{Bound, Depth, Key, Move, Ply, Score, Window};
use crate::zobrist;

impl<T: Toggles> Search<'_, T> {
    #[inline]
    fn uses_table(&self) -> bool {
        on!(self.toggles, TtCutoff) || on!(self.toggles, TtMove)
    }

    /// Returns the TT entry of the position at `ply`. Its score is root-relative, unlike those in
    /// the table.
    #[inline]
    pub(crate) fn probe(&self, position: &Position, ply: Ply) -> Option<Record> {
        self.probe_key(key(self.toggles, position), ply, position.halfmove_clock())
    }

    /// Returns the TT entry stored under `key`; see [`key_after`].
    #[inline]
    pub(crate) fn probe_key(&self, key: Key, ply: Ply, halfmove_clock: u16) -> Option<Record> {
        if !self.uses_table() {
            return None;
        }
        let mut record = self.tt.probe(key)?;
        // Of a mate or tablebase win out of reach from here only the move is useful: the bound says
        // nothing.
        (record.score, record.bound) = match record.score.from_tt(ply, halfmove_clock) {
            Some(score) => (score, record.bound),
            None => (-Score::INFINITE, Bound::Lower),
        };
        Some(record)
    }

    /// Returns the TT move if it is legal.
    #[inline]
    pub(crate) fn tt_move(&self, position: &Position, record: Option<Record>) -> Option<Move> {
        let mv = record?.mv.filter(|_| on!(self.toggles, TtMove));
        mv.filter(|&mv| position.is_legal(mv))
    }

    /// Returns the score of a TT entry that is deep enough and causes a cutoff.
    #[inline]
    pub(crate) fn tt_cutoff(&self, record: &Record, window: Window, depth: Depth) -> Option<Score> {
        let decides = on!(self.toggles, TtCutoff)
            && record.depth >= depth
            && record.bound.decides(record.score, window);
        decides.then_some(record.score)
    }

    #[inline]
    pub(crate) fn store(&self, position: &Position, record: Record) {
        if self.uses_table() {
            self.tt.store(key(self.toggles, position), record);
        }
    }

    /// Stores the raw static evaluation of a position that has no TT entry yet. Nodes pruned before
    /// their moves are searched come up again, and the evaluation is their main cost. The score
    /// says nothing ("at least mated"), and any other entry replaces it.
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

    /// Prefetches the TT cluster of the child.
    #[inline]
    pub(crate) fn prefetch(&self, position: &Position, mv: Move) {
        if self.uses_table() {
            self.tt.prefetch(key_after(self.toggles, position, mv));
        }
    }

    /// Prefetches the TT cluster of the child unless that has been done before.
    #[inline]
    pub(crate) fn prefetch_unless(&self, is_prefetched: bool, position: &Position, mv: Move) {
        if !is_prefetched {
            self.prefetch(position, mv);
        }
    }

    /// Prefetches the TT cluster of the move that will probably follow the one about to be searched.
    /// Its subtree hides the latency, which the time between choosing a move and the probe of its
    /// child is too short for. Returns that move, which then needs no other prefetch.
    #[inline]
    pub(crate) fn prefetch_next(&self, position: &Position, picker: &mut Picker) -> Option<Move> {
        let next = picker.peek();
        if let Some(mv) = next {
            self.prefetch(position, mv);
        }
        next
    }

    /// Prefetches the TT cluster of a position.
    #[inline]
    pub(crate) fn prefetch_here(&self, position: &Position) {
        if self.uses_table() {
            self.tt.prefetch(key(self.toggles, position));
        }
    }

    /// Returns the TT score where it bounds the static evaluation more tightly, otherwise the
    /// evaluation.
    #[inline]
    pub(crate) fn tt_adjusted_eval(&self, eval: Score, record: Option<Record>) -> Score {
        let Some(record) = record.filter(|_| on!(self.toggles, TtEval)) else { return eval };
        let is_tighter = !record.score.is_decisive() && record.bound.contradicts(record.score, eval);
        if is_tighter { record.score } else { eval }
    }
}

/// Returns the TT key of a position.
#[inline]
pub(crate) fn key(toggles: impl Toggles, position: &Position) -> Key {
    with_clock(toggles, position.key(), position.halfmove_clock())
}

/// Returns the TT key of the position after a legal move. Like [`Position::key_after`] it is a
/// guess for some moves.
#[inline]
pub(crate) fn key_after(toggles: impl Toggles, position: &Position, mv: Move) -> Key {
    let key = position.key_after(mv);
    // Far from the limit the clock does not change the key, whatever the move does to it.
    if usize::from(position.halfmove_clock()) + 1 < zobrist::CLOCK_START {
        return key;
    }
    with_clock(toggles, key, position.clock_after(mv))
}

#[inline]
fn with_clock(toggles: impl Toggles, key: Key, halfmove_clock: u16) -> Key {
    if on!(toggles, TtClock) { key ^ zobrist::clock(halfmove_clock) } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;
    use crate::types::MoveKind;

    #[test]
    fn prefetched_key_of_an_ordinary_move_is_that_of_the_next_position() {
        for clock in 0..100 {
            let fen = format!("r3k3/5p2/2n5/8/3P4/2N5/5P2/R3K3 w - - {clock} 60");
            let position: Position = fen.parse().expect("a position");
            for mv in position.legal_moves().into_iter().filter(|mv| mv.kind() == MoveKind::Normal) {
                assert_eq!(key_after(Fixed, &position, mv), key(Fixed, &position.after(mv)), "{fen} {mv}");
            }
        }
    }
}
