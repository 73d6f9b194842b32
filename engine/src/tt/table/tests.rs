//! Tests of the table as a whole.

use proptest::prelude::*;

use super::*;
use crate::machine::huge_pages::HugePages;
use crate::tt::storage::WORDS_PER_LINE;
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
    let table = TranspositionTable::new(Mebibytes(1)).expect("a mebibyte");
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
    for clusters in [1, 2, 3, 1000] {
        let table = TranspositionTable::with_clusters(clusters).expect("little memory");
        for key in [Key(0), Key(1), Key(u64::MAX), Key(u64::MAX / 2), Key(1 << 63)] {
            table.view().prefetch(key);
            table.store(key, record(5, Bound::Lower));
            assert_eq!(table.probe(key), Some(record(5, Bound::Lower)), "{clusters} clusters, {key}");
        }
    }
}

#[test]
fn new_record_inherits_missing_move_and_evaluation() {
    let table = TranspositionTable::with_clusters(1).expect("little memory");
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
    let table = TranspositionTable::with_clusters(1).expect("little memory");
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
fn cluster_holds_four_records() {
    let table = TranspositionTable::with_clusters(1).expect("little memory");
    let found = || (0..100).filter(|&n| table.probe(key(n)).is_some()).count();
    for n in 0..100 {
        assert_eq!(found(), 4.min(n as usize));
        table.store(key(n), record(5, Bound::Lower));
    }
    assert_eq!(table.hashfull(), Permille(1000));
}

#[test]
fn full_cluster_replaces_the_shallowest_or_oldest_record() {
    let table = TranspositionTable::with_clusters(1).expect("little memory");
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
    let table = TranspositionTable::with_clusters(250).expect("little memory");
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
        let table = TranspositionTable::new(Mebibytes(3)).expect("three mebibytes");
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
    let table = TranspositionTable::new(Mebibytes(16)).expect("16 mebibytes");
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
fn smallest_table_has_a_mebibyte() {
    let table = TranspositionTable::new(Mebibytes(0)).expect("the smallest size");
    assert_eq!(table.size(), Mebibytes(1));
}

#[test]
fn concurrent_threads_read_only_records_of_the_requested_key() {
    let table = TranspositionTable::with_clusters(2).expect("little memory");
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
    fn arbitrary_words_never_panic(words: [u64; WORDS_PER_LINE], key: u64, depth in -20..260) {
        let table = TranspositionTable::with_clusters(1).expect("little memory");
        for (word, value) in table.words.as_slice().iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
        // Makes the first slot match the key, so that its data is decoded.
        table.words.as_slice()[1].store(words[0] ^ key, Ordering::Relaxed);
        let _ = table.probe(Key(key));
        table.store(Key(key), record(depth, Bound::Lower));
        let _ = (table.probe(Key(key)), table.hashfull());
    }
}

#[test]
fn record_of_the_principal_variation_replaces_one_that_is_deeper_by_its_bonus() {
    let replaces = |depth: i32, is_pv: bool| {
        let table = TranspositionTable::with_clusters(1).expect("little memory");
        table.store(key(1), record(20, Bound::Lower));
        table.store(key(1), Record { is_pv, ..record(depth, Bound::Upper) });
        table.probe(key(1)).expect("stored").depth == Depth(depth)
    };
    let plain = 21 - DEPTH_MARGIN;
    assert!(replaces(plain, false) && !replaces(plain - 1, false));
    assert!(replaces(plain - PV_BONUS, true) && !replaces(plain - PV_BONUS - 1, true));
}
