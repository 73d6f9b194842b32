//! Memory of the histories: one huge page for each set of one thread.
//!
//! A node reads some twenty entries scattered over almost 2 MiB. On one huge page they need one
//! entry of the TLB; on ordinary pages nearly every read would miss it. Larger and split tables, which
//! are off in play, lie on more pages.

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes, FromZeros};

use super::continuation::{Row, SPLIT_ROWS};
use super::histories::{FixedTables, Histories};
use super::pawn::{PawnEntries, ROWS};
use crate::machine::huge_pages::HUGE_PAGE;
use crate::memory::{OutOfMemory, map_zeroed};
use crate::search::heuristics::experimental::table_sizes::TableSizes;

/// The tables of a set.
struct Tables<'a> {
    fixed: &'a mut FixedTables,
    pawn: &'a mut [PawnEntries],
    /// The split continuation history; empty without.
    split: &'a mut [Row],
}

self_cell! {
    struct Page {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Tables,
    }
}

/// A set of histories on pages of its own.
pub(crate) struct HistoryMemory {
    page: Page,
    sizes: TableSizes,
}

impl HistoryMemory {
    /// Allocates zeroed histories for this many threads, without touching the pages. The pawn
    /// history grows with the threads, in powers of two.
    ///
    /// Errors: [`OutOfMemory`] if the allocation fails.
    pub(crate) fn new(threads: usize, sizes: TableSizes) -> Result<Self, OutOfMemory> {
        let pawn = ROWS * sizes.pawn * threads.next_power_of_two() * size_of::<PawnEntries>();
        let split = if sizes.is_split { SPLIT_ROWS * size_of::<Row>() } else { 0 };
        let size = size_of::<FixedTables>() + pawn + split;
        let (map, start) = map_zeroed(size.next_multiple_of(HUGE_PAGE))?;
        let page = Page::try_new(MutBorrow::new(map), |map| {
            let bytes = &mut map.borrow_mut()[start..start + size];
            let (fixed, rest) = FixedTables::mut_from_prefix(bytes).map_err(|_| OutOfMemory)?;
            let (pawn, split) = rest.split_at_mut(pawn);
            let pawn = <[PawnEntries]>::mut_from_bytes(pawn).map_err(|_| OutOfMemory)?;
            let split = <[Row]>::mut_from_bytes(split).map_err(|_| OutOfMemory)?;
            Ok(Tables { fixed, pawn, split })
        })?;
        Ok(Self { page, sizes })
    }

    /// Returns the sizes of the tables.
    pub(crate) fn sizes(&self) -> TableSizes {
        self.sizes
    }

    #[inline]
    pub(crate) fn histories(&self) -> Histories<'_> {
        let Tables { fixed, pawn, split } = self.page.borrow_dependent();
        Histories::of(fixed, pawn, split)
    }

    /// Resets all entries, while no worker uses them.
    pub(crate) fn clear(&mut self) {
        self.page.with_dependent_mut(|_, Tables { fixed, pawn, split }| {
            fixed.zero();
            pawn.zero();
            split.zero();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn pawn_history_grows_with_the_threads() {
        for (threads, rows) in [(1, 1), (2, 2), (5, 8), (32, 32)] {
            let memory = HistoryMemory::new(threads, TableSizes::default()).expect("some memory");
            assert_eq!(memory.page.borrow_dependent().pawn.len(), rows * ROWS, "{threads} threads");
        }
        let own = size_of::<FixedTables>() + ROWS * size_of::<PawnEntries>();
        assert!(own <= HUGE_PAGE && own > HUGE_PAGE * 9 / 10, "{own} bytes");
    }

    #[test]
    fn larger_and_split_tables_have_more_rows() {
        let sizes = TableSizes { pawn: 4, is_split: true, ..TableSizes::default() };
        let memory = HistoryMemory::new(2, sizes).expect("some memory");
        let Tables { pawn, split, .. } = memory.page.borrow_dependent();
        assert_eq!((pawn.len(), split.len()), (8 * ROWS, SPLIT_ROWS));
    }
}
