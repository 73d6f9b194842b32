//! The hash table every thread reads and writes at once, without a lock.
//!
//! It decides what is kept: a position's newest record, unless the old one is much deeper; among strangers in a
//! full cluster, the shallowest and oldest gives way. A cluster is one cache line, with its slots in one of the
//! [`Layout`]s; which one a key goes to is the high half of key times clusters, so any number of clusters will do.
//! What a record means, and whether its move is legal, is the search's business; the engine façade owns, resizes and
//! clears the table.
//!
//! Sources: Hyatt and Mann for the slot (see [`Slot`]); Daniel Lemire, "A fast alternative to the modulo
//! reduction", 2016, for the index; the wish to keep an old move and to age by search is common to the field.

mod cluster;
mod dense;
mod pairs;
mod record;
mod slot;
mod storage;

use std::fmt;

pub use cluster::{Layout, UnknownLayout};
pub use record::Record;
pub use slot::Slot;
pub use storage::AllocationError;

use cluster::{Cluster, Line};
use dense::Dense;
use pairs::Pairs;
use record::{GENERATIONS, Packed};
use storage::Words;

use crate::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use crate::types::{Bound, Depth, Key, Mebibytes, Permille};

/// How many plies of depth a record must have more to be worth as much as one a search younger.
const PLIES_PER_AGE: i32 = 4;
/// A record of the same position and search gives way unless it is deeper by more than this.
const PATIENCE: i32 = 4;
/// How many plies a principal variation counts as deeper than it is.
const PV_BONUS: i32 = 2;
/// How many slots `hashfull` looks at.
const SAMPLE: usize = 1000;
/// What a thread that helps to clear takes at a time. Units: words.
const PART: usize = 1 << 17;

/// The shared table.
pub struct Table {
    words: Words,
    size: Mebibytes,
    layout: Layout,
    generation: AtomicU8,
}

/// How far several threads that clear a table together have come.
#[derive(Debug, Default)]
pub struct Clearing {
    /// Words that somebody has taken on.
    begun: AtomicUsize,
}

impl Table {
    /// An empty table of `size`, its memory promised but not touched yet; [`Table::clear`] touches it.
    /// Range: a size of 0 counts as 1.
    pub fn new(size: Mebibytes, layout: Layout) -> Result<Self, AllocationError> {
        let size = size.max(Mebibytes(1));
        Ok(Self { words: Words::new(size)?, size, layout, generation: AtomicU8::new(0) })
    }

    /// A table of a few clusters, for models and tests; `None` when the system refuses. Its size reads 0 MiB.
    pub fn with_clusters(clusters: usize, layout: Layout) -> Option<Self> {
        let words = Words::with_lines(clusters.max(1))?;
        Some(Self { words, size: Mebibytes(0), layout, generation: AtomicU8::new(0) })
    }

    /// Becomes an empty table of another size or layout; on failure everything stays as it was.
    ///
    /// The old table goes only when the new one is there. Both are promised at once for a moment, but since the
    /// new one is untouched, no more memory is in use than before. Where even the promise of both is too much
    /// (a strict limit on address space), the old table stays and the error says so.
    pub fn resize(&mut self, size: Mebibytes, layout: Layout) -> Result<(), AllocationError> {
        *self = Self::new(size, layout)?;
        Ok(())
    }

    /// How large it is.
    pub const fn size(&self) -> Mebibytes {
        self.size
    }

    /// How its slots are laid out.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Forgets everything; the next search is as if it were the first.
    pub fn clear(&self) {
        self.help_to_clear(&Clearing::default());
    }

    /// The same for any number of threads that call this with one [`Clearing`]: when all are back, everything is
    /// forgotten. Each takes part after part until none is left, so nobody need come for the others to finish.
    pub fn help_to_clear(&self, clearing: &Clearing) {
        let words = self.words.as_slice();
        while let Some(rest) = words.get(clearing.begun.fetch_add(PART, Ordering::Relaxed)..) {
            for word in rest.iter().take(PART) {
                word.store(0, Ordering::Relaxed);
            }
        }
        self.generation.store(0, Ordering::Relaxed);
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Record> {
        let line = self.line(key);
        match self.layout {
            Layout::Pairs => find(Pairs::of(line), key),
            Layout::Dense => find(Dense::of(line), key),
        }
    }

    /// Remembers a record, unless what is known of the position is worth more.
    ///
    /// A move or a static evaluation the new record lacks is kept from the old one.
    #[inline]
    pub fn store(&self, key: Key, record: Record) {
        let (line, now) = (self.line(key), self.generation());
        match self.layout {
            Layout::Pairs => keep(Pairs::of(line), key, record, now),
            Layout::Dense => keep(Dense::of(line), key, record, now),
        }
    }

    /// Asks the processor to fetch the cluster of this key, some time before it is probed.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch_line(self.line(key));
    }

    /// How full the table is with records of the present search, by a sample of about its first thousand slots.
    pub fn hashfull(&self) -> Permille {
        match self.layout {
            Layout::Pairs => self.fresh::<Pairs<'_>>(),
            Layout::Dense => self.fresh::<Dense<'_>>(),
        }
    }

    fn fresh<'a, C: Cluster<'a>>(&'a self) -> Permille {
        let now = self.generation();
        let sample = self.lines().iter().take(SAMPLE / C::SLOTS);
        let slots = sample.len() * C::SLOTS;
        let data = sample.flat_map(|line| (0..C::SLOTS).map(move |slot| C::of(line).data(slot)));
        let fresh = data.filter(|packed| !packed.is_empty() && packed.generation() == now).count();
        Permille((fresh * 1000 / slots) as u16)
    }

    /// Begins a new generation: what is there ages by one search.
    pub fn new_search(&self) {
        // Only the thread that starts searches writes it; the workers see it through the handshake that wakes them.
        self.generation.store((self.generation() + 1) % GENERATIONS, Ordering::Relaxed);
    }

    #[inline]
    fn generation(&self) -> u8 {
        self.generation.load(Ordering::Relaxed)
    }

    #[inline]
    fn lines(&self) -> &[Line] {
        self.words.as_slice().as_chunks().0
    }

    #[inline]
    fn line(&self, key: Key) -> &Line {
        let lines = self.lines();
        &lines[((u128::from(key.0) * lines.len() as u128) >> 64) as usize]
    }
}

/// What a cluster knows of the position with this key.
#[inline]
fn find<'a, C: Cluster<'a>>(cluster: C, key: Key) -> Option<Record> {
    (0..C::SLOTS).find_map(|slot| match cluster.read(slot, key) {
        (packed, true) => packed.record(),
        (_, false) => None,
    })
}

/// Remembers a record in its cluster.
#[inline]
fn keep<'a, C: Cluster<'a>>(cluster: C, key: Key, record: Record, now: u8) {
    let mut victim = 0;
    let mut least = i32::MAX;
    for slot in 0..C::SLOTS {
        let (old, is_vouched) = cluster.read(slot, key);
        if is_vouched && !old.is_empty() {
            let renewed = renew(old, record, now);
            if renewed != old {
                cluster.write(slot, key, renewed);
            }
            return;
        }
        let worth = worth(old, now);
        if worth < least {
            (victim, least) = (slot, worth);
        }
    }
    cluster.write(victim, key, Packed::new(record, now));
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("size", &self.size).finish_non_exhaustive()
    }
}

/// What replaces `old` when `new` is found for the same position.
fn renew(old: Packed, new: Record, now: u8) -> Packed {
    let Some(known) = old.record() else { return Packed::new(new, now) };
    let effort = new.depth + PATIENCE + if new.is_pv { PV_BONUS } else { 0 };
    let is_outdone = new.bound == Bound::Exact || effort > known.depth || old.age(now) > 0;
    let base = if is_outdone { new } else { known };
    let mv = new.mv.or(known.mv);
    Packed::new(Record { mv, static_eval: new.static_eval.or(known.static_eval), ..base }, now)
}

/// How sorry we would be to lose a record; an empty slot least.
#[inline]
fn worth(old: Packed, now: u8) -> i32 {
    const EMPTY: Depth = Depth(i32::MIN);
    let depth = if old.is_empty() { return EMPTY.0 } else { old.depth() };
    depth.0 - PLIES_PER_AGE * i32::from(old.age(now))
}

/// Safe to call with anything: fetching ahead has no effect but on time.
#[inline]
fn prefetch_line(line: &Line) {
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing the program can see and faults on no address; SSE, which it
        // belongs to, is part of x86-64; and the pointer comes from a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(loom), not(miri))))]
    let _ = line;
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::storage::LINE;
    use super::*;
    use crate::types::{Move, Score, Square};

    fn a_move(from: usize) -> Move {
        Move::normal(Square::from_index(from), Square::from_index(from + 8))
    }

    fn record(depth: i32, bound: Bound) -> Record {
        Record { mv: None, score: Score(depth), static_eval: None, depth: Depth(depth), bound, is_pv: false }
    }

    /// Keys of one cluster in a table of one cluster.
    fn key(n: u64) -> Key {
        Key(n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    #[test]
    fn what_is_stored_is_found_and_nothing_else() {
        for layout in Layout::ALL {
            finds_what_is_stored(&Table::new(Mebibytes(1), layout).expect("a mebibyte"));
        }
    }

    fn finds_what_is_stored(table: &Table) {
        let full = Record {
            mv: Some(a_move(12)),
            score: Score(-31_990),
            static_eval: Some(Score(-77)),
            depth: Depth(-3),
            bound: Bound::Upper,
            is_pv: true,
        };
        assert_eq!(table.probe(Key(0)), None, "an untouched slot vouches for key 0, but is empty");
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
    fn any_key_has_a_cluster() {
        for (clusters, layout) in
            [1, 2, 3, 1000].into_iter().flat_map(|n| Layout::ALL.map(|layout| (n, layout)))
        {
            let table = Table::with_clusters(clusters, layout).expect("little memory");
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
    fn a_new_record_keeps_the_old_move_and_evaluation() {
        let table = Table::with_clusters(1, Layout::Pairs).expect("little memory");
        let (mv, static_eval) = (Some(a_move(8)), Some(Score(33)));
        table.store(key(1), Record { mv, static_eval, ..record(4, Bound::Lower) });
        table.store(key(1), record(6, Bound::Upper));
        assert_eq!(table.probe(key(1)), Some(Record { mv, static_eval, ..record(6, Bound::Upper) }));
        let (mv, static_eval) = (Some(a_move(9)), Some(Score(-1)));
        table.store(key(1), Record { mv, static_eval, ..record(7, Bound::Lower) });
        assert_eq!(table.probe(key(1)), Some(Record { mv, static_eval, ..record(7, Bound::Lower) }));
    }

    #[test]
    fn a_much_deeper_record_stays_unless_it_is_old_or_outdone_by_an_exact_one() {
        let table = Table::with_clusters(1, Layout::Pairs).expect("little memory");
        let depth = |table: &Table| table.probe(key(1)).expect("stored").depth;
        table.store(key(1), record(20, Bound::Lower));
        table.store(key(1), Record { mv: Some(a_move(10)), ..record(20 - PATIENCE, Bound::Lower) });
        assert_eq!(depth(&table), Depth(20));
        assert_eq!(table.probe(key(1)).and_then(|found| found.mv), Some(a_move(10)), "yet the move is news");
        table.store(key(1), record(21 - PATIENCE, Bound::Lower));
        assert_eq!(depth(&table), Depth(21 - PATIENCE));
        table.store(key(1), record(1, Bound::Exact));
        assert_eq!(depth(&table), Depth(1));
        table.store(key(1), record(30, Bound::Lower));
        table.new_search();
        table.store(key(1), record(2, Bound::Lower));
        assert_eq!(depth(&table), Depth(2));
    }

    #[test]
    fn a_cluster_holds_what_its_layout_says() {
        for layout in Layout::ALL {
            let table = Table::with_clusters(1, layout).expect("little memory");
            let found = || (0..100).filter(|&n| table.probe(key(n)).is_some()).count();
            for n in 0..100 {
                assert_eq!(found(), layout.slots().min(n as usize), "{layout}");
                table.store(key(n), record(5, Bound::Lower));
            }
            assert_eq!(table.hashfull(), Permille(1000));
            assert_eq!(layout.name().parse(), Ok(layout));
        }
        assert!("sparse".parse::<Layout>().is_err());
    }

    #[test]
    fn strangers_displace_the_shallowest_and_the_old() {
        let table = Table::with_clusters(1, Layout::Pairs).expect("little memory");
        for (n, depth) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.store(key(n), record(depth, Bound::Lower));
        }
        table.store(key(5), record(1, Bound::Lower));
        assert_eq!(table.probe(key(2)), None, "the shallowest gave way");
        for n in [1, 3, 4, 5] {
            assert!(table.probe(key(n)).is_some(), "key {n} stays");
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
            "depth 8 from three searches ago is worth less than depth 0 now"
        );
    }

    #[test]
    fn hashfull_counts_the_present_search_only() {
        let table = Table::with_clusters(250, Layout::Pairs).expect("little memory");
        assert_eq!(table.hashfull(), Permille(0));
        // Two keys in each of the clusters, spread as the index spreads them.
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
    fn clearing_forgets_on_any_number_of_threads() {
        for threads in [0, 1, 2, 3, 64] {
            let table = Table::new(Mebibytes(3), Layout::Pairs).expect("three mebibytes");
            table.new_search();
            for n in 0..100_000 {
                table.store(key(n), record(1, Bound::Exact));
            }
            if threads == 0 {
                table.clear();
            } else {
                let clearing = Clearing::default();
                on_threads(threads, |_| table.help_to_clear(&clearing));
            }
            assert_eq!(table.hashfull(), Permille(0));
            let words = table.words.as_slice();
            assert_eq!(words.len(), 3 << 17);
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0), "{threads} threads");
            assert_eq!(table.generation(), 0);
        }
    }

    #[test]
    fn a_failed_resize_keeps_everything() {
        let mut table = Table::new(Mebibytes(2), Layout::Pairs).expect("two mebibytes");
        table.new_search();
        table.store(key(1), record(9, Bound::Exact));
        assert!(table.resize(Mebibytes(99_999_999), Layout::Pairs).is_err());
        assert_eq!(table.size(), Mebibytes(2));
        assert_eq!(table.probe(key(1)), Some(record(9, Bound::Exact)));
        table.resize(Mebibytes(0), Layout::Pairs).expect("the least size");
        assert_eq!(table.size(), Mebibytes(1));
        assert_eq!(table.probe(key(1)), None);
    }

    #[test]
    fn threads_at_once_find_only_what_was_stored_for_the_key() {
        for layout in Layout::ALL {
            finds_only_its_own(&Table::with_clusters(2, layout).expect("little memory"));
        }
    }

    fn finds_only_its_own(table: &Table) {
        // Depth and score follow from the key, so a pair that does not belong together shows.
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
        fn alien_words_never_panic(words: [u64; LINE], key: u64, depth in -20..260, layout in 0..2_usize) {
            let table = Table::with_clusters(1, Layout::ALL[layout]).expect("little memory");
            for (word, value) in table.words.as_slice().iter().zip(words) {
                word.store(value, Ordering::Relaxed);
            }
            // Make the first slot of a pair vouch for the key, so that its data is decoded.
            table.words.as_slice()[1].store(words[0] ^ key, Ordering::Relaxed);
            let _ = table.probe(Key(key));
            table.store(Key(key), record(depth, Bound::Lower));
            let _ = (table.probe(Key(key)), table.hashfull());
        }
    }
}
