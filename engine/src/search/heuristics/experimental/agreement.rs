//! A table of the reductions of a group's threads, by position.
//!
//! Bet: threads that reduce a move differently search different trees. One thread finds that
//! a reduced move must be searched again, or that the children of a node had many cutoffs. The others use it.
//! Preconditions: several threads in a group.
//! Soundness: depths of reduced moves only. A collision gives a wrong depth.
//! Knobs: the lab options `SharedResearches` and `SharedCutoffs`.
//! Source: ours.
//! Evidence: `results/threads.md`, "Screenings".

use crate::sync::unmodelled::{AtomicU64, Ordering};
use crate::types::{Depth, Key};

/// The number of entries, a power of two.
const ENTRIES: usize = 1 << 16;
/// The plies by which the depth of a move may exceed that at which it was searched again.
const DEEPER: i32 = 2;
/// The bits of an entry that are part of the key.
const SIGNATURE: u64 = !0 << 24;

/// An entry per position, in one word: the upper 40 bits of the key; 8 bits each for the number of cutoffs,
/// their depth, and the depth at which the move to the position was searched again. Depths are at least 0.
pub(crate) struct Agreement {
    entries: Box<[AtomicU64]>,
}

impl Agreement {
    /// Returns an empty table of half a mebibyte.
    pub(crate) fn new() -> Self {
        Self { entries: (0..ENTRIES).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Whether the move to a position was searched again after a reduced search, at about this depth.
    pub(crate) fn was_searched_again(&self, key: Key, depth: Depth) -> bool {
        let [again, ..] = self.entry(key);
        again > 0 && i32::from(again) >= depth.0 - DEEPER
    }

    /// Records that the move to a position was searched again at this depth.
    pub(crate) fn note_searched_again(&self, key: Key, depth: Depth) {
        let [again, at, cutoffs] = self.entry(key);
        self.set(key, [again.max(byte(depth)), at, cutoffs]);
    }

    /// Returns the number of cutoffs that the children of a position had at this depth.
    pub(crate) fn cutoffs(&self, key: Key, depth: Depth) -> u8 {
        let [_, at, cutoffs] = self.entry(key);
        if at == byte(depth) { cutoffs } else { 0 }
    }

    /// Records the number of cutoffs that the children of a position had at this depth.
    pub(crate) fn note_cutoffs(&self, key: Key, depth: Depth, cutoffs: u8) {
        let [again, ..] = self.entry(key);
        self.set(key, [again, byte(depth), cutoffs]);
    }

    /// Returns the depth of a repeated search, the depth of cutoffs, and their number; zeros for a position
    /// that the table does not know.
    fn entry(&self, key: Key) -> [u8; 3] {
        let word = self.at(key).load(Ordering::Relaxed);
        if (word ^ key.0) & SIGNATURE != 0 {
            return [0; 3];
        }
        [word as u8, (word >> 8) as u8, (word >> 16) as u8]
    }

    fn set(&self, key: Key, [again, at, cutoffs]: [u8; 3]) {
        let word = u64::from(again) | u64::from(at) << 8 | u64::from(cutoffs) << 16;
        self.at(key).store(key.0 & SIGNATURE | word, Ordering::Relaxed);
    }

    fn at(&self, key: Key) -> &AtomicU64 {
        &self.entries[key.0 as usize % ENTRIES]
    }
}

fn byte(depth: Depth) -> u8 {
    depth.0.clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_their_position_and_depth() {
        let table = Agreement::new();
        let key = Key(0x0123_4567_89AB_CDEF);
        table.note_cutoffs(key, Depth(7), 5);
        table.note_searched_again(key, Depth(6));
        table.note_searched_again(key, Depth(4));
        assert_eq!([6, 7, 8].map(|depth| table.cutoffs(key, Depth(depth))), [0, 5, 0]);
        assert_eq!([5, 8, 9].map(|depth| table.was_searched_again(key, Depth(depth))), [true, true, false]);
        let other = Key(key.0 ^ 1 << 63);
        assert_eq!((table.cutoffs(other, Depth(7)), table.was_searched_again(other, Depth(1))), (0, false));
        table.note_cutoffs(other, Depth(3), 2);
        assert!(!table.was_searched_again(key, Depth(6)), "replaced");
    }
}
