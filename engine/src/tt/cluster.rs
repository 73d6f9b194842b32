//! A cluster: one cache line of four lock-free slots, each two words whose XOR verifies that they
//! belong together.
//!
//! The first word of a slot is the data, the second the key XOR the data. If two writers interleave,
//! or a reader runs between the two stores of a writer, the XOR of the two words is not the requested
//! key, except with probability 2^-64. The slot then reads as belonging to another position.
//! `tests/loom.rs` checks every interleaving, and shows that the same slot without the XOR fails.
//!
//! Source: Robert Hyatt and Timothy Mann, "A lock-less transposition table implementation for
//! parallel search chess engines", ICGA Journal 25(1), 2002.

use super::record::Packed;
use super::storage::WORDS_PER_LINE;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::coherence;
use crate::types::Key;

/// The words of a cluster.
pub(super) type CacheLine = [AtomicU64; WORDS_PER_LINE];

/// A cluster of four [`Slot`]s. Any number of threads may read and write slots concurrently.
#[derive(Clone, Copy)]
pub(super) struct Cluster<'a>(pub(super) &'a CacheLine);

impl<'a> Cluster<'a> {
    /// Number of slots, each of two words.
    pub(super) const SLOTS: usize = WORDS_PER_LINE / 2;

    #[inline]
    fn slot(self, slot: usize) -> Slot<'a> {
        let (slots, _) = self.0.as_chunks();
        Slot(&slots[slot])
    }

    /// Returns the data of the slot, and whether it is verified to belong to `key`. An unused slot
    /// holds the empty word.
    #[inline]
    pub(super) fn read(self, slot: usize, key: Key) -> (Packed, bool) {
        let (data, is_match) = self.slot(slot).read(key);
        (Packed(data), is_match)
    }

    /// Returns the data of the slot without verification.
    #[inline]
    pub(super) fn data(self, slot: usize) -> Packed {
        Packed(self.slot(slot).data())
    }

    /// Replaces the content of the slot by `data` under `key`.
    #[inline]
    pub(super) fn write(self, slot: usize, key: Key, data: Packed) {
        self.slot(slot).write(key, data.0);
    }
}

/// One slot of the table. Shape: data, then key XOR data.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a>(pub &'a [AtomicU64; 2]);

impl Slot<'_> {
    /// Returns the data, and whether the check word confirms that it belongs to `key`.
    ///
    /// An unused slot is all zero and therefore matches key 0 with data 0; the data word itself
    /// marks it as empty.
    // All accesses are relaxed: each word is independent, no other memory is published through it,
    // and the XOR detects words that do not belong together, independent of the order in which they
    // became visible.
    #[inline]
    pub fn read(self, key: Key) -> (u64, bool) {
        coherence::read(self.0);
        let data = self.0[0].load(Ordering::Relaxed);
        let check = self.0[1].load(Ordering::Relaxed);
        (data, data ^ check == key.0)
    }

    /// Returns the data without verification.
    #[inline]
    pub fn data(self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    /// Replaces the content of the slot by `data` under `key`.
    #[inline]
    pub fn write(self, key: Key, data: u64) {
        coherence::written(self.0);
        self.0[0].store(data, Ordering::Relaxed);
        self.0[1].store(key.0 ^ data, Ordering::Relaxed);
    }
}
