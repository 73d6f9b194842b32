//! Two words that vouch for each other, written and read by any number of threads without a lock.
//!
//! The first word is the data, the second the key XOR the data. When two writers' halves mix, or a reader comes
//! between the two stores of one writer, the XOR of what is read is not the key asked for (but for a chance of
//! 2^-64), and the slot reads as somebody else's. `tests/loom.rs` tries every interleaving, and shows that the
//! same slot without the XOR fails.
//!
//! Source: Robert Hyatt and Timothy Mann, "A lock-less transposition table implementation for parallel search
//! chess engines", ICGA Journal 25(1), 2002.

use crate::sync::atomic::{AtomicU64, Ordering};
use crate::types::Key;

/// One slot of the table. Shape: data, then key XOR data.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a>(pub &'a [AtomicU64; 2]);

impl Slot<'_> {
    /// The data, and whether the check word vouches that it belongs to `key`.
    ///
    /// An untouched slot is all zero and so vouches for key 0 with data 0; the data must say that it is empty.
    // Relaxed throughout: each word is a value of its own, no other memory is published through it, and a pair
    // that does not belong together is found by the XOR, whatever order the halves were seen in.
    #[inline]
    pub fn read(self, key: Key) -> (u64, bool) {
        let data = self.0[0].load(Ordering::Relaxed);
        let check = self.0[1].load(Ordering::Relaxed);
        (data, data ^ check == key.0)
    }

    /// The data alone, whosever it is.
    #[inline]
    pub fn data(self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    /// Replaces what is there.
    #[inline]
    pub fn write(self, key: Key, data: u64) {
        self.0[0].store(data, Ordering::Relaxed);
        self.0[1].store(key.0 ^ data, Ordering::Relaxed);
    }
}
