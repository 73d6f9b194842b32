//! Cost of the hash table: `cargo bench -p stretto-engine --bench table`.
//!
//! Keys come from a random generator, so clusters are accessed at random, as in a search. The first
//! case measures the generator alone, to be subtracted.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stretto::tt::{Record, TranspositionTable};
use stretto::types::{Bound, Depth, Key, Mebibytes, Move, Score, Square};

/// Number of probes between a prefetch and its probe, similar to a search.
const AHEAD: usize = 8;

/// A small generator of keys (xorshift, Marsaglia 2003).
struct Keys(u64);

impl Iterator for Keys {
    type Item = Key;

    fn next(&mut self) -> Option<Key> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Some(Key(self.0))
    }
}

fn record(key: Key) -> Record {
    Record {
        mv: Some(Move::normal(Square::from_index(key.0 as usize & 7), Square::from_index(20))),
        score: Score((key.0 >> 8 & 0x3FF) as i32),
        static_eval: Some(Score(10)),
        depth: Depth((key.0 >> 20 & 15) as i32),
        bound: Bound::Lower,
        is_pv: false,
    }
}

fn table(mebibytes: u64) -> TranspositionTable {
    let table = TranspositionTable::new(Mebibytes(mebibytes)).expect("a table");
    table.clear();
    // Twice as many stores as slots, so that nearly all are occupied.
    for key in Keys(1).take((mebibytes as usize) << 17) {
        table.store(key, record(key));
    }
    table
}

fn clear(table: &TranspositionTable, threads: usize) {
    let clearing = table.clearing(&[threads]);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| table.clear_part(&clearing, 0));
        }
    });
}

fn access(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("access");
    group.throughput(Throughput::Elements(1));
    let mut keys = Keys(7);
    group.bench_function("generator alone", |bencher| bencher.iter(|| keys.next()));
    for mebibytes in [1, 16, 256] {
        let table = table(mebibytes);
        let id = |name: &str| BenchmarkId::new(name, format!("{mebibytes} MiB"));
        let mut keys = Keys(9);
        group.bench_function(id("probe"), |bencher| {
            bencher.iter(|| keys.next().and_then(|key| table.probe(key)));
        });
        group.bench_function(id("probe, prefetched"), |bencher| {
            let mut ring = [Key(0); AHEAD];
            let mut turn = 0;
            bencher.iter(|| {
                turn = (turn + 1) % AHEAD;
                let next = keys.next().unwrap_or_default();
                table.view().prefetch(next);
                table.probe(std::mem::replace(&mut ring[turn], next))
            });
        });
        group.bench_function(id("store"), |bencher| {
            bencher.iter(|| keys.next().map(|key| table.store(key, record(key))));
        });
        let hot = Key(12345);
        table.store(hot, record(hot));
        group.bench_function(id("probe, cached"), |bencher| bencher.iter(|| table.probe(black_box(hot))));
    }
    group.finish();
}

/// Size of a cache line. Units: bytes.
const LINE: usize = 64;

/// The work per key. Its result depends on the key, so that it is not optimised away.
type Work<'a> = &'a (dyn Fn(Key) -> u64 + Sync);

/// Measures the wall time in which each of several threads processes its own keys.
fn on_threads(threads: u64, keys: u64, work: Work<'_>) -> Duration {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(thread + 1);
                black_box(Keys(seed).take(keys as usize).map(work).fold(0, u64::wrapping_add))
            });
        }
    });
    start.elapsed()
}

/// Measures probes and stores by one and by two threads, compared to plain reads at the same
/// addresses as the limit. Throughput is per thread: a lower value with two threads shows
/// contention.
fn at_once(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("at once");
    group.throughput(Throughput::Elements(1));
    for mebibytes in [16, 256] {
        let lines: Vec<AtomicU64> = (0..(mebibytes << 20) / 8).map(AtomicU64::new).collect();
        let count = (lines.len() * 8 / LINE) as u128;
        let place = |key: Key| ((u128::from(key.0) * count) >> 64) as usize * (LINE / 8);
        let read = |key: Key| lines[place(key)].load(Ordering::Relaxed);
        let mut measure = |name: &str, work: Work<'_>| {
            for threads in [1, 2] {
                let id = BenchmarkId::new(name, format!("{mebibytes} MiB, {threads} threads"));
                group.bench_function(id, |bencher| {
                    bencher.iter_custom(|keys| on_threads(threads, keys, work));
                });
            }
        };
        measure("plain read", &read);
        let table = table(mebibytes);
        measure("probe", &|key: Key| table.probe(key).map_or(0, |record| record.score.0 as u64));
        measure("store", &|key: Key| {
            table.store(key, record(key));
            key.0
        });
    }
    group.finish();
}

fn memory(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("memory");
    group.sample_size(10);
    group.bench_function("new, 1 GiB untouched", |bencher| {
        bencher.iter(|| TranspositionTable::new(Mebibytes(1024)));
    });
    for threads in [1, 2] {
        group.bench_function(BenchmarkId::new("first touch of 256 MiB", threads), |bencher| {
            let new = || TranspositionTable::new(Mebibytes(256)).expect("a table");
            bencher.iter_batched_ref(new, |table| clear(table, threads), BatchSize::PerIteration);
        });
        let table = table(256);
        group.bench_function(BenchmarkId::new("clear 256 MiB", threads), |bencher| {
            bencher.iter(|| clear(&table, threads));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = access, at_once, memory
}
criterion_main!(benches);
