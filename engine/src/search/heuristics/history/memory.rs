//! Memory of the histories: one huge page for each set of one thread.
//!
//! A node reads some twenty entries scattered over almost 2 MiB. On one huge page they need one
//! entry of the TLB; on ordinary pages nearly every read would miss it.

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes, FromZeros};

use super::histories::{FixedTables, Histories};
use super::pawn::{PawnEntries, ROWS};
use crate::machine::huge_pages::HUGE_PAGE;
use crate::memory::{OutOfMemory, map_zeroed};

/// The tables of a set.
struct Tables<'a> {
    fixed: &'a mut FixedTables,
    pawn: &'a mut [PawnEntries],
}

self_cell! {
    struct Page {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Tables,
    }
}

/// A set of histories on pages of its own.
pub(crate) struct HistoryMemory(Page);

impl HistoryMemory {
    /// Allocates zeroed histories for this many threads, without touching the pages. The pawn
    /// history grows with the threads, in powers of two.
    ///
    /// Errors: [`OutOfMemory`] if the allocation fails.
    pub(crate) fn new(threads: usize) -> Result<Self, OutOfMemory> {
        let size = size_of::<FixedTables>() + ROWS * threads.next_power_of_two() * size_of::<PawnEntries>();
        let (map, start) = map_zeroed(size.next_multiple_of(HUGE_PAGE))?;
        Page::try_new(MutBorrow::new(map), |map| {
            let bytes = &mut map.borrow_mut()[start..start + size];
            let (fixed, rest) = FixedTables::mut_from_prefix(bytes).map_err(|_| OutOfMemory)?;
            let pawn = <[PawnEntries]>::mut_from_bytes(rest).map_err(|_| OutOfMemory)?;
            Ok(Tables { fixed, pawn })
        })
        .map(Self)
    }

    #[inline]
    pub(crate) fn histories(&self) -> Histories<'_> {
        let Tables { fixed, pawn } = self.0.borrow_dependent();
        Histories::of(fixed, pawn)
    }

    /// Resets all entries, while no worker uses them.
    pub(crate) fn clear(&mut self) {
        self.0.with_dependent_mut(|_, Tables { fixed, pawn }| {
            fixed.zero();
            pawn.zero();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn pawn_history_grows_with_the_threads() {
        for (threads, rows) in [(1, 1), (2, 2), (5, 8), (32, 32)] {
            let memory = HistoryMemory::new(threads).expect("some memory");
            assert_eq!(memory.0.borrow_dependent().pawn.len(), rows * ROWS, "{threads} threads");
        }
        let own = size_of::<FixedTables>() + ROWS * size_of::<PawnEntries>();
        assert!(own <= HUGE_PAGE && own > HUGE_PAGE * 9 / 10, "{own} bytes");
    }
}
