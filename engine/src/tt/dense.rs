//! Clusters of six slots that vouch for a part of the key.
//!
//! Six words of data, and two words of three checks each, of 21 bits. A check is the low part of the key XOR a digest of
//! the data, after the idea of Hyatt and Mann (see [`super::Slot`]): data of one writer beside the check of another
//! reads as somebody else's, but for a chance of 2^-21 a slot. The three checks of a word are written together; a
//! writer that comes between loses another's check, and with it that slot's record, never its truth.
//!
//! Half as many records again as pairs hold, for three in a million probes that find a stranger.

use super::cluster::{Cluster, Line};
use super::record::Packed;
use super::storage::LINE;
use crate::sync::atomic::Ordering;
use crate::types::Key;

/// Bits of a check.
const BITS: usize = 21;
/// Checks in a word.
const CHECKS: usize = 64 / BITS;
/// One check.
const MASK: u64 = (1 << BITS) - 1;
/// Spreads all bits of a word to its upper ones (the golden ratio's fraction, as in Fibonacci hashing).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A cluster of words and their checks.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a>(&'a Line);

impl Dense<'_> {
    /// What vouches for `data` under `key`. The index of the cluster comes from the upper bits of the key.
    #[inline]
    fn check(key: Key, data: Packed) -> u64 {
        (key.0 ^ data.0.wrapping_mul(SPREAD) >> (64 - BITS)) & MASK
    }

    /// The word a slot's check is in, and by how many bits it is shifted there.
    #[inline]
    const fn place(slot: usize) -> (usize, usize) {
        (Self::SLOTS + slot / CHECKS, slot % CHECKS * BITS)
    }
}

impl<'a> Cluster<'a> for Dense<'a> {
    const SLOTS: usize = LINE - 2;

    #[inline]
    fn of(line: &'a Line) -> Self {
        Self(line)
    }

    // Relaxed throughout, for the reasons given at `Slot`.
    #[inline]
    fn read(self, slot: usize, key: Key) -> (Packed, bool) {
        let (word, shift) = Self::place(slot);
        let data = self.data(slot);
        let check = self.0[word].load(Ordering::Relaxed) >> shift & MASK;
        (data, check == Self::check(key, data))
    }

    #[inline]
    fn data(self, slot: usize) -> Packed {
        Packed(self.0[slot].load(Ordering::Relaxed))
    }

    #[inline]
    fn write(self, slot: usize, key: Key, data: Packed) {
        let (word, shift) = Self::place(slot);
        self.0[slot].store(data.0, Ordering::Relaxed);
        let others = self.0[word].load(Ordering::Relaxed) & !(MASK << shift);
        self.0[word].store(others | Self::check(key, data) << shift, Ordering::Relaxed);
    }
}
