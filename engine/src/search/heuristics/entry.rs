//! One number of a table that learns.

use crate::sync::atomic::{AtomicI16, Ordering};

/// A number that updates pull towards one end of its range or the other. Range: `±LIMIT`.
///
/// Threads may share it: it is read and written whole, and an update that is lost to another thread's is no loss,
/// since both were learnt from the same game. Relaxed loads and stores are plain moves on every machine we know.
#[derive(Default)]
pub(super) struct Entry<const LIMIT: i32>(AtomicI16);

impl<const LIMIT: i32> Entry<LIMIT> {
    #[inline]
    pub(super) fn get(&self) -> i32 {
        self.0.load(Ordering::Relaxed).into()
    }

    /// Moves it towards `±LIMIT`, the less the nearer it is already. Range: steps of `±LIMIT`.
    #[inline]
    pub(super) fn pull(&self, step: i32) {
        let value = self.get();
        self.0.store((value + step - value * step.abs() / LIMIT) as i16, Ordering::Relaxed);
    }

    /// Forgets, while others may read. Whoever has a table to himself fills it anew instead: plain stores are joined to
    /// wide ones, these are not.
    #[inline]
    pub(super) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// A row of numbers, all zero.
pub(super) fn row<const LIMIT: i32, const N: usize>() -> [Entry<LIMIT>; N] {
    std::array::from_fn(|_| Entry::default())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn stays_in_range_and_forgets() {
        let entry = Entry::<1000>::default();
        for step in [1000, 1000, 700, -1000, -1000, -3] {
            entry.pull(step);
            assert!(entry.get().abs() <= 1000, "{}", entry.get());
        }
        assert!(entry.get() < -900);
        entry.clear();
        assert_eq!(entry.get(), 0);
        entry.pull(40);
        assert_eq!(entry.get(), 40, "the first step is taken whole");
    }
}
