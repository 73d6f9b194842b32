//! Memory of the histories: one huge page for each set.
//!
//! A node reads some twenty entries scattered over almost 2 MiB. On one huge page they need one
//! entry of the TLB; on ordinary pages nearly every read would miss it.

use std::ops::Deref;

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes, FromZeros};

use super::histories::Histories;
use crate::machine::huge_pages::HUGE_PAGE;
use crate::memory::{OutOfMemory, map_zeroed};

type Tables<'a> = &'a mut Histories;

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
    /// Allocates zeroed histories, without touching the pages.
    ///
    /// Errors: [`OutOfMemory`] if the allocation fails.
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        let (map, start) = map_zeroed(size_of::<Histories>().next_multiple_of(HUGE_PAGE))?;
        Page::try_new(MutBorrow::new(map), |map| {
            let bytes = &mut map.borrow_mut()[start..start + size_of::<Histories>()];
            Histories::mut_from_bytes(bytes).map_err(|_| OutOfMemory)
        })
        .map(Self)
    }

    /// Resets all entries.
    pub(crate) fn clear(&mut self) {
        self.0.with_dependent_mut(|_, tables| tables.zero());
    }
}

impl Deref for HistoryMemory {
    type Target = Histories;

    #[inline]
    fn deref(&self) -> &Histories {
        self.0.borrow_dependent()
    }
}
