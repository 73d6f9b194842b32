//! A denser cluster layout, kept for comparison only: six slots, each verified by 21 bits of the
//! key.
//!
//! It is never used in play; the `--lab` option `TtLayout` selects it (`results/table.md` has
//! the comparison). A cluster is six data words and two words of three 21-bit checks each. A check
//! is the low part of the key XOR a hash of the data, after the idea of Hyatt and Mann (see
//! [`super::Slot`]). Data of one writer next to the check of another reads as belonging to another
//! position, except with probability 2^-21 per slot. The three checks of a word are written
//! together: a concurrent writer can lose another slot's check, and thereby its record, but not
//! corrupt it.

use super::cluster::{CacheLine, Cluster};
use super::record::Packed;
use super::storage::WORDS_PER_LINE;
use crate::sync::atomic::Ordering;
use crate::types::Key;

/// Bits per check.
const BITS: usize = 21;
/// Checks per word.
const CHECKS: usize = 64 / BITS;
/// Mask of one check.
const MASK: u64 = (1 << BITS) - 1;
/// Multiplier that mixes all bits of a word into its upper ones (golden ratio, as in Fibonacci
/// hashing).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A cluster of data words and their checks.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a>(&'a CacheLine);

impl Dense<'_> {
    /// Returns the check of `data` under `key`. The cluster index uses the upper bits of the key.
    #[inline]
    fn check(key: Key, data: Packed) -> u64 {
        (key.0 ^ data.0.wrapping_mul(SPREAD) >> (64 - BITS)) & MASK
    }

    /// Returns the word that contains a slot's check, and the check's bit offset in it.
    #[inline]
    const fn place(slot: usize) -> (usize, usize) {
        (Self::SLOTS + slot / CHECKS, slot % CHECKS * BITS)
    }
}

impl<'a> Cluster<'a> for Dense<'a> {
    const SLOTS: usize = WORDS_PER_LINE - 2;

    #[inline]
    fn of(line: &'a CacheLine) -> Self {
        Self(line)
    }

    // All accesses are relaxed, for the reasons given at `Slot`.
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
