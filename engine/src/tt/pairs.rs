//! The cluster layout used in play: four slots, each verified by the full key.

use super::cluster::{CacheLine, Cluster};
use super::record::Packed;
use super::slot::Slot;
use super::storage::WORDS_PER_LINE;
use crate::types::Key;

/// A cluster of four [`Slot`]s of two words each.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a>(&'a CacheLine);

impl<'a> Pairs<'a> {
    #[inline]
    fn slot(self, slot: usize) -> Slot<'a> {
        let (slots, _) = self.0.as_chunks();
        Slot(&slots[slot])
    }
}

impl<'a> Cluster<'a> for Pairs<'a> {
    const SLOTS: usize = WORDS_PER_LINE / 2;

    #[inline]
    fn of(line: &'a CacheLine) -> Self {
        Self(line)
    }

    #[inline]
    fn read(self, slot: usize, key: Key) -> (Packed, bool) {
        let (data, is_match) = self.slot(slot).read(key);
        (Packed(data), is_match)
    }

    #[inline]
    fn data(self, slot: usize) -> Packed {
        Packed(self.slot(slot).data())
    }

    #[inline]
    fn write(self, slot: usize, key: Key, data: Packed) {
        self.slot(slot).write(key, data.0);
    }
}
