//! The transposition table: a hash table that all threads read and write concurrently without
//! locks.
//!
//! It implements the replacement policy. A new record of a stored position replaces the old one
//! unless that is much deeper; in a full cluster the shallowest and oldest record is replaced. A
//! cluster is one cache line with its slots in one of the [`Layout`]s. The cluster index is the
//! high half of key times number of clusters, so any number of clusters works. The search
//! interprets the records and checks moves for legality; the engine owns, resizes and clears the
//! table.
//!
//! Sources: Hyatt and Mann for the slot (see [`Slot`]); Daniel Lemire, "A fast alternative to the
//! modulo reduction", 2016, for the index. Keeping an old move and ageing by search are common
//! practice.

mod clearing;
mod cluster;
mod dense;
mod layout;
mod pairs;
mod record;
mod slot;
mod storage;

use std::fmt;
use std::ops::Range;

pub use clearing::ClearProgress;
pub use layout::Layout;
pub use record::Record;
pub use slot::Slot;
pub use storage::AllocationError;

use cluster::{CacheLine, Cluster};
use dense::Dense;
use pairs::Pairs;
use record::{GENERATIONS, Packed};
use storage::Words;

use crate::machine::huge_pages::{HUGE_PAGE, SmapsError, bytes_on_huge_pages};
use crate::sync::atomic::{AtomicU8, Ordering};
use crate::types::{Bound, Depth, Key, Mebibytes, Permille};

/// Plies of depth that compensate for one search of age in the replacement value.
const PLIES_PER_AGE: i32 = 4;
/// A record of the same position and search is kept if it is deeper than the new one by at least
/// this. Units: plies. A new record from the principal variation gets [`PV_BONUS`] besides.
const DEPTH_MARGIN: i32 = 4;
/// Depth bonus of records from the principal variation. Units: plies.
const PV_BONUS: i32 = 2;
/// Number of slots sampled by [`TranspositionTable::hashfull`].
const HASHFULL_SAMPLE: usize = 1000;
/// Portion that a thread clears at a time: a huge page. Units: words.
const CLEAR_CHUNK: usize = HUGE_PAGE / size_of::<u64>();

/// The transposition table shared by all threads.
pub struct TranspositionTable {
    words: Words,
    size: Mebibytes,
    layout: Layout,
    generation: AtomicU8,
}

impl TranspositionTable {
    /// Creates an empty table of `size`. The memory is mapped but not touched;
    /// [`TranspositionTable::clear`] touches it.
    /// Range: a size of 0 counts as 1.
    ///
    /// Errors: [`AllocationError`] if the memory is not available.
    pub fn new(size: Mebibytes, layout: Layout) -> Result<Self, AllocationError> {
        let size = size.max(Mebibytes(1));
        Ok(Self { words: Words::new(size)?, size, layout, generation: AtomicU8::new(0) })
    }

    /// Creates a table of a few clusters for tests; `None` if the system refuses. Its size reads as
    /// 0 MiB.
    pub fn with_clusters(clusters: usize, layout: Layout) -> Option<Self> {
        let words = Words::with_lines(clusters.max(1))?;
        Some(Self { words, size: Mebibytes(0), layout, generation: AtomicU8::new(0) })
    }

    /// Replaces the table by an empty one of another size or layout. On failure the old table is
    /// kept.
    ///
    /// The old table is freed only after the new one is mapped. The pages of the new one are
    /// untouched at that moment, so the memory in use does not grow. Under a strict limit on
    /// address space, both may not fit; the call then fails.
    ///
    /// Errors: [`AllocationError`] if the memory is not available.
    pub fn resize(&mut self, size: Mebibytes, layout: Layout) -> Result<(), AllocationError> {
        *self = Self::new(size, layout)?;
        Ok(())
    }

    /// Returns the size of the table.
    pub const fn size(&self) -> Mebibytes {
        self.size
    }

    /// Returns the slot layout.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Removes all records and resets the generation.
    pub fn clear(&self) {
        self.finish_clearing(&self.clearing(&[]));
    }

    /// Divides the table for a clear by several threads: `threads` is their number on each memory
    /// node.
    pub fn clearing(&self, threads: &[usize]) -> ClearProgress {
        ClearProgress::new(self.portions(), threads)
    }

    /// Returns the part of the table that each memory node clears. Units: portions.
    pub fn parts(&self, threads: &[usize]) -> Vec<Range<usize>> {
        clearing::parts(self.portions(), threads)
    }

    /// Clears portions of a node's part until none is left. Other threads may do the same
    /// concurrently.
    pub fn clear_part(&self, clearing: &ClearProgress, node: usize) {
        while let Some(portion) = clearing.claim(node) {
            self.clear_portion(portion);
        }
    }

    /// Clears what no thread has claimed, and resets the generation. The table is clear when this
    /// and all calls of [`Self::clear_part`] have returned.
    pub fn finish_clearing(&self, clearing: &ClearProgress) {
        while let Some(portion) = clearing.claim_any() {
            self.clear_portion(portion);
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    fn portions(&self) -> usize {
        self.words.as_slice().len().div_ceil(CLEAR_CHUNK)
    }

    fn clear_portion(&self, portion: usize) {
        for word in self.words.as_slice().iter().skip(portion * CLEAR_CHUNK).take(CLEAR_CHUNK) {
            word.store(0, Ordering::Relaxed);
        }
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

    /// Returns the record of the position with this key.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Record> {
        let line = self.line(key);
        match self.layout {
            Layout::Pairs => probe_cluster(Pairs::of(line), key),
            Layout::Dense => probe_cluster(Dense::of(line), key),
        }
    }

    /// Stores a record unless the stored one of the same position is more valuable.
    ///
    /// A missing move or static evaluation is taken over from the old record. An old record that is
    /// kept gets the new move and static evaluation; one of an older search is always replaced.
    #[inline]
    pub fn store(&self, key: Key, record: Record) {
        let (line, now) = (self.line(key), self.generation());
        match self.layout {
            Layout::Pairs => store_in_cluster(Pairs::of(line), key, record, now),
            Layout::Dense => store_in_cluster(Dense::of(line), key, record, now),
        }
    }

    /// Prefetches the cluster of this key into the processor's cache.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch_line(self.line(key));
    }

    /// Returns the share of slots with records of the current search, estimated from about a
    /// thousand slots.
    pub fn hashfull(&self) -> Permille {
        match self.layout {
            Layout::Pairs => self.sample_hashfull::<Pairs<'_>>(),
            Layout::Dense => self.sample_hashfull::<Dense<'_>>(),
        }
    }

    fn sample_hashfull<'a, C: Cluster<'a>>(&'a self) -> Permille {
        let now = self.generation();
        let sample = self.lines().iter().take(HASHFULL_SAMPLE / C::SLOTS);
        let slots = sample.len() * C::SLOTS;
        let data = sample.flat_map(|line| (0..C::SLOTS).map(move |slot| C::of(line).data(slot)));
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

    #[inline]
    fn line(&self, key: Key) -> &CacheLine {
        let lines = self.lines();
        &lines[((u128::from(key.0) * lines.len() as u128) >> 64) as usize]
    }
}

/// Searches a cluster for the record of a key.
#[inline]
fn probe_cluster<'a, C: Cluster<'a>>(cluster: C, key: Key) -> Option<Record> {
    (0..C::SLOTS).find_map(|slot| match cluster.read(slot, key) {
        (packed, true) => packed.record(),
        (_, false) => None,
    })
}

/// Stores a record in its cluster.
#[inline]
fn store_in_cluster<'a, C: Cluster<'a>>(cluster: C, key: Key, record: Record, now: u8) {
    let mut victim = 0;
    let mut least = i32::MAX;
    for slot in 0..C::SLOTS {
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
mod tests {
    use proptest::prelude::*;

    use super::storage::WORDS_PER_LINE;
    use super::*;
    use crate::machine::huge_pages::HugePages;
    use crate::types::{Move, Score, Square};

    fn a_move(from: usize) -> Move {
        Move::normal(Square::from_index(from), Square::from_index(from + 8))
    }

    fn record(depth: i32, bound: Bound) -> Record {
        Record { mv: None, score: Score(depth), static_eval: None, depth: Depth(depth), bound, is_pv: false }
    }

    /// Returns the `n`-th of a sequence of distinct keys.
    fn key(n: u64) -> Key {
        Key(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    #[test]
    fn stored_records_are_found_and_other_keys_are_not() {
        for layout in Layout::ALL {
            finds_what_is_stored(&TranspositionTable::new(Mebibytes(1), layout).expect("a mebibyte"));
        }
    }

    fn finds_what_is_stored(table: &TranspositionTable) {
        let full = Record {
            mv: Some(a_move(12)),
            score: Score(-31_990),
            static_eval: Some(Score(-77)),
            depth: Depth(-3),
            bound: Bound::Upper,
            is_pv: true,
        };
        assert_eq!(table.probe(Key(0)), None, "an unused slot matches key 0, but is empty");
        for n in 0..1000 {
            table.store(key(n), Record { score: Score(n as i32), ..full });
        }
        table.store(Key(0), full);
        assert_eq!(table.probe(Key(0)), Some(full));
        for n in 0..1000 {
            assert_eq!(table.probe(key(n)), Some(Record { score: Score(n as i32), ..full }));
            assert_eq!(table.probe(key(n + 1000)), None);
        }
    }

    #[test]
    fn every_key_maps_to_a_cluster() {
        for (clusters, layout) in
            [1, 2, 3, 1000].into_iter().flat_map(|n| Layout::ALL.map(|layout| (n, layout)))
        {
            let table = TranspositionTable::with_clusters(clusters, layout).expect("little memory");
            for key in [Key(0), Key(1), Key(u64::MAX), Key(u64::MAX / 2), Key(1 << 63)] {
                table.prefetch(key);
                table.store(key, record(5, Bound::Lower));
                assert_eq!(
                    table.probe(key),
                    Some(record(5, Bound::Lower)),
                    "{clusters} clusters, {layout}, {key}"
                );
            }
        }
    }

    #[test]
    fn new_record_inherits_missing_move_and_evaluation() {
        let table = TranspositionTable::with_clusters(1, Layout::Pairs).expect("little memory");
        let (mv, static_eval) = (Some(a_move(8)), Some(Score(33)));
        table.store(key(1), Record { mv, static_eval, ..record(4, Bound::Lower) });
        table.store(key(1), record(6, Bound::Upper));
        assert_eq!(table.probe(key(1)), Some(Record { mv, static_eval, ..record(6, Bound::Upper) }));
        let (mv, static_eval) = (Some(a_move(9)), Some(Score(-1)));
        table.store(key(1), Record { mv, static_eval, ..record(7, Bound::Lower) });
        assert_eq!(table.probe(key(1)), Some(Record { mv, static_eval, ..record(7, Bound::Lower) }));
    }

    #[test]
    fn much_deeper_record_is_kept_unless_old_or_the_new_one_is_exact() {
        let table = TranspositionTable::with_clusters(1, Layout::Pairs).expect("little memory");
        let depth = |table: &TranspositionTable| table.probe(key(1)).expect("stored").depth;
        table.store(key(1), record(20, Bound::Lower));
        table.store(key(1), Record { mv: Some(a_move(10)), ..record(20 - DEPTH_MARGIN, Bound::Lower) });
        assert_eq!(depth(&table), Depth(20));
        assert_eq!(
            table.probe(key(1)).and_then(|found| found.mv),
            Some(a_move(10)),
            "the new move is stored all the same"
        );
        table.store(key(1), record(21 - DEPTH_MARGIN, Bound::Lower));
        assert_eq!(depth(&table), Depth(21 - DEPTH_MARGIN));
        table.store(key(1), record(1, Bound::Exact));
        assert_eq!(depth(&table), Depth(1));
        table.store(key(1), record(30, Bound::Lower));
        table.new_search();
        table.store(key(1), record(2, Bound::Lower));
        assert_eq!(depth(&table), Depth(2));
    }

    #[test]
    fn cluster_capacity_matches_its_layout() {
        for layout in Layout::ALL {
            let table = TranspositionTable::with_clusters(1, layout).expect("little memory");
            let found = || (0..100).filter(|&n| table.probe(key(n)).is_some()).count();
            for n in 0..100 {
                assert_eq!(found(), layout.slots().min(n as usize), "{layout}");
                table.store(key(n), record(5, Bound::Lower));
            }
            assert_eq!(table.hashfull(), Permille(1000));
        }
    }

    #[test]
    fn full_cluster_replaces_the_shallowest_or_oldest_record() {
        let table = TranspositionTable::with_clusters(1, Layout::Pairs).expect("little memory");
        for (n, depth) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.store(key(n), record(depth, Bound::Lower));
        }
        table.store(key(5), record(1, Bound::Lower));
        assert_eq!(table.probe(key(2)), None, "the shallowest was replaced");
        for n in [1, 3, 4, 5] {
            assert!(table.probe(key(n)).is_some(), "key {n} is kept");
        }
        for _ in 0..3 {
            table.new_search();
        }
        for n in [1, 4, 5] {
            table.store(key(n), record(0, Bound::Exact));
        }
        table.store(key(6), record(1, Bound::Lower));
        assert_eq!(
            table.probe(key(3)),
            None,
            "depth 8 from three searches ago has a lower value than depth 0 now"
        );
    }

    #[test]
    fn hashfull_counts_only_the_current_search() {
        let table = TranspositionTable::with_clusters(250, Layout::Pairs).expect("little memory");
        assert_eq!(table.hashfull(), Permille(0));
        // Two keys per cluster, spread evenly over the clusters.
        for n in 0..500_u64 {
            table.store(Key((u64::MAX / 500) * n + n), record(1, Bound::Exact));
        }
        assert_eq!(table.hashfull(), Permille(500));
        table.new_search();
        assert_eq!(table.hashfull(), Permille(0));
        table.store(Key(7), record(1, Bound::Exact));
        assert_eq!(table.hashfull(), Permille(1));
    }

    fn on_threads(threads: usize, work: impl Fn(usize) + Sync) {
        std::thread::scope(|scope| {
            let work = &work;
            (0..threads).for_each(|thread| drop(scope.spawn(move || work(thread))));
        });
    }

    #[test]
    fn clearing_works_on_any_number_of_threads() {
        for threads in [0, 1, 2, 3, 64] {
            let table = TranspositionTable::new(Mebibytes(3), Layout::Pairs).expect("three mebibytes");
            table.new_search();
            for n in 0..100_000 {
                table.store(key(n), record(1, Bound::Exact));
            }
            // Threads of two nodes, each of which clears its part.
            let clearing = table.clearing(&[threads / 2, threads - threads / 2]);
            on_threads(threads, |thread| table.clear_part(&clearing, thread % 2));
            table.finish_clearing(&clearing);
            assert_eq!(table.hashfull(), Permille(0));
            let words = table.words.as_slice();
            assert_eq!(words.len(), 3 << 17);
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0), "{threads} threads");
            assert_eq!(table.generation(), 0);
        }
    }

    #[test]
    #[cfg_attr(any(miri, not(target_os = "linux")), ignore = "needs the mappings of Linux")]
    fn cleared_table_lies_on_huge_pages_where_the_system_has_them() {
        let table = TranspositionTable::new(Mebibytes(16), Layout::Pairs).expect("16 mebibytes");
        let on_huge_pages = || table.on_huge_pages().expect("the mappings of this process").0;
        assert_eq!(on_huge_pages(), 0, "untouched pages do not exist");
        table.clear();
        match HugePages::of_this_system() {
            // Not all of it: free memory may be fragmented.
            HugePages::On => assert!((2..=16).contains(&on_huge_pages()), "{} MiB", on_huge_pages()),
            HugePages::Off => assert_eq!(on_huge_pages(), 0),
            // A container may hide the setting, not the pages.
            HugePages::Unknown => assert!(on_huge_pages() <= 16, "{} MiB", on_huge_pages()),
        }
    }

    #[test]
    fn failed_resize_keeps_the_table() {
        let mut table = TranspositionTable::new(Mebibytes(2), Layout::Pairs).expect("two mebibytes");
        table.new_search();
        table.store(key(1), record(9, Bound::Exact));
        assert!(table.resize(Mebibytes(99_999_999), Layout::Pairs).is_err());
        assert_eq!(table.size(), Mebibytes(2));
        assert_eq!(table.probe(key(1)), Some(record(9, Bound::Exact)));
        table.resize(Mebibytes(0), Layout::Pairs).expect("the smallest size");
        assert_eq!(table.size(), Mebibytes(1));
        assert_eq!(table.probe(key(1)), None);
    }

    #[test]
    fn concurrent_threads_read_only_records_of_the_requested_key() {
        for layout in Layout::ALL {
            finds_only_its_own(&TranspositionTable::with_clusters(2, layout).expect("little memory"));
        }
    }

    fn finds_only_its_own(table: &TranspositionTable) {
        // Depth and score follow from the key, so mismatched words would be detected.
        let of = |n: u64| record((n % 200) as i32, Bound::Exact);
        on_threads(4, |thread| {
            for round in 0..20_000_u64 {
                let n = (round * 7 + thread as u64 * 13) % 64;
                let key = Key(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                table.store(key, of(n));
                if let Some(found) = table.probe(key) {
                    assert_eq!(found, of(n));
                }
            }
        });
    }

    proptest! {
        #[test]
        fn arbitrary_words_never_panic(words: [u64; WORDS_PER_LINE], key: u64, depth in -20..260, layout in 0..2_usize) {
            let table = TranspositionTable::with_clusters(1, Layout::ALL[layout]).expect("little memory");
            for (word, value) in table.words.as_slice().iter().zip(words) {
                word.store(value, Ordering::Relaxed);
            }
            // Makes the first slot of a pair match the key, so that its data is decoded.
            table.words.as_slice()[1].store(words[0] ^ key, Ordering::Relaxed);
            let _ = table.probe(Key(key));
            table.store(Key(key), record(depth, Bound::Lower));
            let _ = (table.probe(Key(key)), table.hashfull());
        }
    }

    #[test]
    fn record_of_the_principal_variation_replaces_one_that_is_deeper_by_its_bonus() {
        let replaces = |depth: i32, is_pv: bool| {
            let table = TranspositionTable::with_clusters(1, Layout::Pairs).expect("little memory");
            table.store(key(1), record(20, Bound::Lower));
            table.store(key(1), Record { is_pv, ..record(depth, Bound::Upper) });
            table.probe(key(1)).expect("stored").depth == Depth(depth)
        };
        let plain = 21 - DEPTH_MARGIN;
        assert!(replaces(plain, false) && !replaces(plain - 1, false));
        assert!(replaces(plain - PV_BONUS, true) && !replaces(plain - PV_BONUS - 1, true));
    }
}
