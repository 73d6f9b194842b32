//! One history entry, updated by the gravity formula: the nearer an entry is to its limit, the smaller
//! a step towards it.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::sync::coherence;
use crate::sync::unmodelled::{AtomicI16, Ordering};
use crate::types::Square;

/// A history entry. Its range is `±limit`, for the limit given to [`Self::update`].
///
/// Threads may share it: it is read and written whole, and a lost update does no harm. Relaxed
/// loads and stores are plain moves on every machine we know.
#[derive(Default, FromBytes, IntoBytes, KnownLayout)]
#[repr(transparent)]
pub(super) struct Entry(AtomicI16);

impl Entry {
    #[inline]
    pub(super) fn get(&self) -> i32 {
        coherence::read(self);
        self.0.load(Ordering::Relaxed).into()
    }

    /// Moves the entry towards `±limit`, by less the nearer it is. Range: `step` up to `±limit`.
    #[inline]
    pub(super) fn update(&self, step: i32, limit: i32) {
        let value = self.get();
        coherence::written(self);
        self.0.store((value + step - value * step.abs() / limit) as i16, Ordering::Relaxed);
    }
}

/// A table by squares. Shape: `[from][to]`.
pub(super) type FromTo = [[Entry; Square::COUNT]; Square::COUNT];

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn entry_stays_in_range() {
        let entry = Entry::default();
        for step in [1000, 1000, 700, -1000, -1000, -3] {
            entry.update(step, 1000);
            assert!(entry.get().abs() <= 1000, "{}", entry.get());
        }
        assert!(entry.get() < -900);
        let entry = Entry::default();
        entry.update(40, 1000);
        assert_eq!(entry.get(), 40, "the first step counts in full");
    }
}
