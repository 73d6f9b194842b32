//! The table: its memory, its generations, and the replacement policy.

#![allow(unsafe_code, reason = "the prefetch")]

use std::fmt;
use std::ops::Range;

use super::clearing::{self, ClearProgress};
use super::cluster::{CacheLine, Cluster};
use super::record::{GENERATIONS, Packed, Record};
use super::storage::{AllocationError, Words};
use crate::machine::huge_pages::{HUGE_PAGE, SmapsError, bytes_on_huge_pages};
use crate::sync::atomic::{AtomicU8, Ordering};
use crate::sync::coherence::{self, Watched};
use crate::types::{Bound, Depth, Key, Mebibytes, Permille};

/// Plies of depth that compensate for one search of age in the replacement value.
const PLIES_PER_AGE: i32 = 4;
/// A record of the same position and search is kept if it is deeper than the new one by at least
/// this. Units: plies. A new record from the principal variation gets [`PV_BONUS`] besides.
///
/// Source: Stockfish, `TTEntry::save`, as is [`PV_BONUS`].
const DEPTH_MARGIN: i32 = 4;
/// Depth bonus of records from the principal variation. Units: plies.
const PV_BONUS: i32 = 2;
/// Number of slots sampled by [`TranspositionTable::hashfull`].
const HASHFULL_SAMPLE: usize = 1000;
/// Portion that a thread clears at a time: a huge page. Units: cache lines.
const CLEAR_CHUNK: usize = HUGE_PAGE / size_of::<CacheLine>();

/// The smallest page of memory. Units: bytes.
const PAGE: usize = 4096;

/// The transposition table shared by all threads.
pub struct TranspositionTable {
    words: Words,
    size: Mebibytes,
    generation: AtomicU8,
}

impl TranspositionTable {
    /// Creates an empty table of `size`. The memory is mapped but not touched;
    /// [`TranspositionTable::clear`] touches it.
    /// Range: a size of 0 counts as 1.
    ///
    /// Errors: [`AllocationError`] if the memory is not available.
    pub fn new(size: Mebibytes) -> Result<Self, AllocationError> {
        Self::replacing(Mebibytes(0), size)
    }

    /// Creates an empty table of `size`, as [`Self::new`] does, for a caller that will then drop a
    /// table whose touched pages have the size `old`.
    ///
    /// Both are mapped for a moment, but the pages of the new one are untouched, so the memory in use
    /// does not grow. Under a strict limit on address space, both may not fit; the call then fails.
    ///
    /// Errors: [`AllocationError`] if the memory is not available.
    pub fn replacing(old: Mebibytes, size: Mebibytes) -> Result<Self, AllocationError> {
        let size = size.max(Mebibytes(1));
        Ok(Self { words: Words::new(size, old)?, size, generation: AtomicU8::new(0) })
    }

    /// Creates a table of a few clusters for tests; `None` if the system refuses. Its size reads as
    /// 0 MiB.
    pub fn with_clusters(clusters: usize) -> Option<Self> {
        let words = Words::with_lines(clusters.max(1))?;
        Some(Self { words, size: Mebibytes(0), generation: AtomicU8::new(0) })
    }

    /// Returns the size of the table.
    pub const fn size(&self) -> Mebibytes {
        self.size
    }

    /// Removes all records and resets the generation.
    pub fn clear(&self) {
        self.finish_clearing(&self.clearing(&[]));
    }

    /// Divides the table for a clear by several threads: `threads` is their number on each memory
    /// node.
    pub fn clearing(&self, threads: &[usize]) -> ClearProgress {
        ClearProgress::new(self.portions(), threads, 1)
    }

    /// Divides the table as [`Self::clearing`] does, to touch each page of a table just created: its
    /// memory is zero already, and a page lies on the node of the thread that first writes it.
    pub fn touching(&self, threads: &[usize]) -> ClearProgress {
        ClearProgress::new(self.portions(), threads, PAGE / size_of::<CacheLine>())
    }

    /// Returns the part of the table that each memory node clears. Units: portions.
    pub fn parts(&self, threads: &[usize]) -> Vec<Range<usize>> {
        clearing::parts(self.portions(), threads)
    }

    /// Clears portions of a node's part until none is left. Other threads may do the same
    /// concurrently.
    pub fn clear_part(&self, clearing: &ClearProgress, node: usize) {
        while let Some(portion) = clearing.claim(node) {
            self.clear_portion(portion, clearing.step);
        }
    }

    /// Clears what no thread has claimed, and resets the generation. The table is clear when this
    /// and all calls of [`Self::clear_part`] have returned.
    pub fn finish_clearing(&self, clearing: &ClearProgress) {
        while let Some(portion) = clearing.claim_any() {
            self.clear_portion(portion, clearing.step);
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    fn portions(&self) -> usize {
        self.lines().len().div_ceil(CLEAR_CHUNK)
    }

    fn clear_portion(&self, portion: usize, step: usize) {
        let lines = self.lines();
        let start = portion * CLEAR_CHUNK;
        for line in lines[start..lines.len().min(start + CLEAR_CHUNK)].iter().step_by(step) {
            for word in line {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Returns the name and the addresses of the table.
    pub fn watched(&self) -> Watched {
        ("hash table", vec![coherence::extent(self.words.as_slice())])
    }

    /// Returns the part of the table that lies on huge pages at this moment.
    ///
    /// Errors: the system does not report it.
    pub fn on_huge_pages(&self) -> Result<Mebibytes, SmapsError> {
        let words = self.words.as_slice();
        let start = words.as_ptr().addr();
        let bytes = bytes_on_huge_pages(start..start + size_of_val(words))?;
        Ok(Mebibytes((bytes >> 20) as u64))
    }

    /// Returns the table for one search, which reads the place of the memory and the generation once.
    #[inline]
    pub fn view(&self) -> TableView<'_> {
        TableView { lines: self.lines(), generation: self.generation() }
    }

    /// Returns the record of the position with this key; see [`TableView::probe`].
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Record> {
        self.view().probe(key)
    }

    /// Stores a record; see [`TableView::store`].
    #[inline]
    pub fn store(&self, key: Key, record: Record) {
        self.view().store(key, record);
    }

    /// Returns the share of slots with records of the current search, estimated from about a
    /// thousand slots.
    pub fn hashfull(&self) -> Permille {
        let now = self.generation();
        let sample = self.lines().iter().take(HASHFULL_SAMPLE / Cluster::SLOTS);
        let slots = sample.len() * Cluster::SLOTS;
        let data = sample.flat_map(|line| (0..Cluster::SLOTS).map(move |slot| Cluster(line).data(slot)));
        let fresh = data.filter(|packed| !packed.is_empty() && packed.generation() == now).count();
        Permille((fresh * 1000 / slots) as u16)
    }

    /// Starts a new generation, which ages all stored records by one search.
    pub fn new_search(&self) {
        // Written only by the thread that starts searches; the handshake that wakes workers makes
        // it visible.
        self.generation.store((self.generation() + 1) % GENERATIONS, Ordering::Relaxed);
    }

    #[inline]
    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    #[inline]
    fn lines(&self) -> &[CacheLine] {
        self.words.as_slice().as_chunks().0
    }
}

/// The table during one search. It is part of each worker's state, so that a node reaches its cluster
/// without following the pointers from the job to the memory.
#[derive(Clone, Copy)]
pub struct TableView<'a> {
    lines: &'a [CacheLine],
    /// The generation of the search.
    generation: u8,
}

impl<'a> TableView<'a> {
    /// Returns the record of the position with this key.
    #[inline]
    pub fn probe(self, key: Key) -> Option<Record> {
        let cluster = self.cluster(key);
        (0..Cluster::SLOTS).find_map(|slot| match cluster.read(slot, key) {
            (packed, true) => packed.record(),
            (_, false) => None,
        })
    }

    /// Stores a record unless the stored one of the same position is more valuable.
    ///
    /// A missing move or static evaluation is taken over from the old record. An old record that is
    /// kept gets the new move and static evaluation; one of an older search is always replaced.
    #[inline]
    pub fn store(self, key: Key, record: Record) {
        let (cluster, now) = (self.cluster(key), self.generation);
        let mut victim = 0;
        let mut least = i32::MAX;
        for slot in 0..Cluster::SLOTS {
            let (old, is_match) = cluster.read(slot, key);
            if is_match && !old.is_empty() {
                let merged = merge(old, record, now);
                if merged != old {
                    cluster.write(slot, key, merged);
                }
                return;
            }
            let value = replacement_value(old, now);
            if value < least {
                (victim, least) = (slot, value);
            }
        }
        cluster.write(victim, key, Packed::new(record, now));
    }

    /// Prefetches the cluster of this key into the processor's cache.
    #[inline]
    pub fn prefetch(self, key: Key) {
        prefetch_line(self.line(key));
    }

    #[inline]
    fn line(self, key: Key) -> &'a CacheLine {
        &self.lines[((u128::from(key.0) * self.lines.len() as u128) >> 64) as usize]
    }

    #[inline]
    fn cluster(self, key: Key) -> Cluster<'a> {
        Cluster(self.line(key))
    }
}

impl fmt::Debug for TranspositionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TranspositionTable").field("size", &self.size).finish_non_exhaustive()
    }
}

/// Merges a new record with the stored one of the same position.
fn merge(old: Packed, new: Record, now: u8) -> Packed {
    let Some(known) = old.record() else { return Packed::new(new, now) };
    let effort = new.depth + DEPTH_MARGIN + if new.is_pv { PV_BONUS } else { 0 };
    let replaces = new.bound == Bound::Exact || effort > known.depth || old.age(now) > 0;
    let base = if replaces { new } else { known };
    let mv = new.mv.or(known.mv);
    Packed::new(Record { mv, static_eval: new.static_eval.or(known.static_eval), ..base }, now)
}

/// Returns the replacement value of an entry: depth minus age penalty. Empty slots sort first.
#[inline]
fn replacement_value(old: Packed, now: u8) -> i32 {
    const EMPTY: Depth = Depth(i32::MIN);
    let depth = if old.is_empty() { return EMPTY.0 } else { old.depth() };
    depth.0 - PLIES_PER_AGE * i32::from(old.age(now))
}

/// Prefetches a cache line. Has no effect on memory contents.
#[inline]
fn prefetch_line(line: &CacheLine) {
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction changes no memory and faults on no address; SSE is part of
        // x86-64; the pointer comes from a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(loom), not(miri)))]
    // SAFETY: the instruction changes no memory and faults on no address. The standard library has no
    // stable function for it.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{line}]",
            line = in(reg) line.as_ptr(),
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(any(loom, miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = line;
}

#[cfg(all(test, not(loom)))]
mod tests;
