//! A cluster is one cache line of the table; layouts access its slots through one trait.

use super::record::Packed;
use super::storage::WORDS_PER_LINE;
use crate::sync::atomic::AtomicU64;
use crate::types::Key;

/// The words of a cluster.
pub(super) type CacheLine = [AtomicU64; WORDS_PER_LINE];

/// A cluster accessed through one layout. Any number of threads may read and write slots
/// concurrently.
pub(super) trait Cluster<'a>: Copy {
    /// Number of slots.
    const SLOTS: usize;

    /// Returns the cluster stored in these words.
    fn of(line: &'a CacheLine) -> Self;

    /// Returns the data of the slot, and whether it is verified to belong to `key`. An unused slot
    /// holds the empty word.
    fn read(self, slot: usize, key: Key) -> (Packed, bool);

    /// Returns the data of the slot without verification.
    fn data(self, slot: usize) -> Packed;

    /// Overwrites the slot.
    fn write(self, slot: usize, key: Key, data: Packed);
}
