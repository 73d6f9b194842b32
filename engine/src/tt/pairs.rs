//! Clusters of four slots that vouch for the whole key.

use super::Slot;
use super::cluster::{Cluster, Line};
use super::record::Packed;
use super::storage::LINE;
use crate::types::Key;

/// A cluster of pairs of words, each a [`Slot`].
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a>(&'a Line);

impl<'a> Pairs<'a> {
    #[inline]
    fn slot(self, slot: usize) -> Slot<'a> {
        let (slots, _) = self.0.as_chunks();
        Slot(&slots[slot])
    }
}

impl<'a> Cluster<'a> for Pairs<'a> {
    const SLOTS: usize = LINE / 2;

    #[inline]
    fn of(line: &'a Line) -> Self {
        Self(line)
    }

    #[inline]
    fn read(self, slot: usize, key: Key) -> (Packed, bool) {
        let (data, is_vouched) = self.slot(slot).read(key);
        (Packed(data), is_vouched)
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
