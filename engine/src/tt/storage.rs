//! Memory of the table: zeroed pages mapped directly from the system, huge pages where available.
//!
//! An anonymous mapping is zeroed, page-aligned, untouched until used, and fails without aborting;
//! a heap allocation lacks at least one of these. Huge pages avoid most TLB misses, which random
//! access to a large table otherwise causes on nearly every probe.
//!
//! The module contains no unsafe code: `self_cell` stores the mapping together with its borrowed
//! words, and `zerocopy` converts bytes to words. Under loom the words are not plain memory and
//! live in a box.

use thiserror::Error;

use crate::machine::control_group::{available_memory, memory_limit};
use crate::memory::check_headroom;
use crate::sync::atomic::AtomicU64;
use crate::types::Mebibytes;

/// Words per cache line, the unit of the table.
pub(super) const WORDS_PER_LINE: usize = 8;

const BYTES_PER_LINE: u64 = 64;
const BYTES_PER_MEBIBYTE: u64 = 1 << 20;

/// Reason why a table of the requested size cannot be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum AllocationError {
    #[error("cannot allocate a hash table of {} MiB: the memory limit is {} MiB", asked.0, limit.0)]
    BeyondMachine { asked: Mebibytes, limit: Mebibytes },
    #[error("cannot allocate a hash table of {} MiB: other programs leave {} MiB of memory", asked.0, left.0)]
    InUse { asked: Mebibytes, left: Mebibytes },
    #[error("cannot allocate a hash table of {} MiB: the system refused", asked.0)]
    Refused { asked: Mebibytes },
}

/// Zeroed words aligned to a cache line.
pub(super) struct Words(Block);

impl Words {
    /// Allocates `size`, without touching the pages. `freed` is memory in use that the caller will
    /// free before they are touched.
    pub(super) fn new(size: Mebibytes, freed: Mebibytes) -> Result<Self, AllocationError> {
        let refused = AllocationError::Refused { asked: size };
        check_room(size, freed, memory_limit(), available_memory())?;
        let bytes = size.0.checked_mul(BYTES_PER_MEBIBYTE).ok_or(refused)?;
        let lines = usize::try_from(bytes / BYTES_PER_LINE).map_err(|_| refused)?;
        let words = Self::with_lines(lines).ok_or(refused)?;
        // A table that leaves no memory for the search is useless.
        check_headroom().map_err(|_| refused)?;
        Ok(words)
    }

    /// Allocates this many cache lines, at least one; `None` if the system refuses.
    pub(super) fn with_lines(lines: usize) -> Option<Self> {
        let words = lines.max(1).checked_mul(WORDS_PER_LINE)?;
        Block::zeroed(words).map(Self)
    }

    /// Returns the words. Shape: a multiple of [`WORDS_PER_LINE`], aligned to a cache line.
    #[inline]
    pub(super) fn as_slice(&self) -> &[AtomicU64] {
        self.0.as_slice()
    }
}

/// Checks that pages of `asked` can be touched. The system maps more than that, and kills a process
/// that then touches what there is not.
///
/// Errors: [`AllocationError::BeyondMachine`] or [`AllocationError::InUse`].
fn check_room(
    asked: Mebibytes,
    freed: Mebibytes,
    limit: Option<Mebibytes>,
    available: Option<Mebibytes>,
) -> Result<(), AllocationError> {
    if let Some(limit) = limit
        && asked > limit
    {
        return Err(AllocationError::BeyondMachine { asked, limit });
    }
    let left = available.map(|available| Mebibytes(available.0.saturating_add(freed.0)));
    match left {
        Some(left) if asked > left => Err(AllocationError::InUse { asked, left }),
        _ => Ok(()),
    }
}

#[cfg(not(loom))]
mod pages {
    use memmap2::MmapMut;
    use self_cell::{MutBorrow, self_cell};
    use zerocopy::FromBytes;

    use crate::memory::map_zeroed;
    use crate::sync::atomic::AtomicU64;

    type Slice<'a> = &'a [AtomicU64];

    self_cell! {
        /// Mapped pages together with the words borrowed from them.
        pub(super) struct Block {
            owner: MutBorrow<MmapMut>,
            #[covariant]
            dependent: Slice,
        }
    }

    impl Block {
        pub(super) fn zeroed(words: usize) -> Option<Self> {
            let bytes = words.checked_mul(size_of::<AtomicU64>())?;
            let (map, start) = map_zeroed(bytes).ok()?;
            Self::try_new(MutBorrow::new(map), |map| {
                let aligned = &mut map.borrow_mut()[start..start + bytes];
                <[AtomicU64]>::mut_from_bytes(aligned).map(|words| &*words).map_err(|_| ())
            })
            .ok()
        }

        #[inline]
        pub(super) fn as_slice(&self) -> &[AtomicU64] {
            self.borrow_dependent()
        }
    }
}

#[cfg(not(loom))]
use pages::Block;

#[cfg(loom)]
struct Block(Box<[AtomicU64]>);

#[cfg(loom)]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as outside of models")]
impl Block {
    fn zeroed(words: usize) -> Option<Self> {
        Some(Self((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    fn as_slice(&self) -> &[AtomicU64] {
        &self.0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::machine::huge_pages::HUGE_PAGE;
    use crate::sync::atomic::Ordering;

    #[test]
    fn words_are_zero_and_cache_line_aligned() {
        for lines in [1, 3, 1000] {
            let words = Words::with_lines(lines).expect("little memory");
            assert_eq!(words.as_slice().len(), lines * WORDS_PER_LINE);
            assert_eq!(words.as_slice().as_ptr().addr() % 64, 0);
            assert!(words.as_slice().iter().all(|word| word.load(Ordering::Relaxed) == 0));
        }
    }

    #[test]
    fn large_tables_start_at_a_huge_page() {
        for lines in [HUGE_PAGE / 64, HUGE_PAGE / 64 + 1, 5 * HUGE_PAGE / 64] {
            let words = Words::with_lines(lines).expect("a few mebibytes");
            assert_eq!(words.as_slice().len(), lines * WORDS_PER_LINE);
            assert_eq!(words.as_slice().as_ptr().addr() % HUGE_PAGE, 0);
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for asked in [99_999_999, u64::MAX / 2, u64::MAX] {
            let asked = Mebibytes(asked);
            let error = Words::new(asked, Mebibytes(0)).err().expect("more than any machine has");
            assert!(error.to_string().contains(&asked.0.to_string()), "{error}");
        }
        assert!(Words::with_lines(usize::MAX / 8).is_none());
        assert!(Words::with_lines(usize::MAX).is_none());
    }

    #[test]
    fn memory_that_other_programs_use_is_not_promised() {
        let check = |asked, freed, limit: Option<u64>, available: Option<u64>| {
            let [limit, available] = [limit, available].map(|size| size.map(Mebibytes));
            check_room(Mebibytes(asked), Mebibytes(freed), limit, available)
                .map_err(|error| error.to_string())
        };
        assert_eq!(check(900, 0, Some(1000), Some(900)), Ok(()));
        let error = check(901, 0, Some(1000), Some(900)).unwrap_err();
        assert!(error.ends_with("901 MiB: other programs leave 900 MiB of memory"), "{error}");
        assert_eq!(check(950, 50, Some(1000), Some(900)), Ok(()), "the old table makes room");
        assert!(check(951, 50, Some(1000), Some(900)).is_err());
        let error = check(1001, 500, Some(1000), Some(900)).unwrap_err();
        assert!(error.ends_with("the memory limit is 1000 MiB"), "{error}");
        assert_eq!(check(1001, 0, None, None), Ok(()), "the system tells nothing");
    }
}
