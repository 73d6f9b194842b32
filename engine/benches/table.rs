//! What the hash table costs: `cargo bench -p stretto --bench table`.
//!
//! Keys come from a generator, so clusters are reached at random as in a search. The time of the generator alone
//! stands first; subtract it.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stretto::tt::{Record, Table};
use stretto::types::{Bound, Depth, Key, Mebibytes, Move, Score, Square};

/// How many keys are probed ahead of their turn with a prefetch; about what a search has between the two.
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

fn table(mebibytes: u64) -> Table {
    let table = Table::new(Mebibytes(mebibytes)).expect("a table");
    table.clear(2);
    // Twice as many stores as there are slots, so that nearly all are taken.
    for key in Keys(1).take((mebibytes as usize) << 17) {
        table.store(key, record(key));
    }
    table
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
                table.prefetch(next);
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

fn memory(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("memory");
    group.sample_size(10);
    group.bench_function("new, 1 GiB untouched", |bencher| bencher.iter(|| Table::new(Mebibytes(1024))));
    for threads in [1, 2] {
        group.bench_function(BenchmarkId::new("first touch of 256 MiB", threads), |bencher| {
            let new = || Table::new(Mebibytes(256)).expect("a table");
            bencher.iter_batched_ref(new, |table| table.clear(threads), BatchSize::PerIteration);
        });
        let table = table(256);
        group.bench_function(BenchmarkId::new("clear 256 MiB", threads), |bencher| {
            bencher.iter(|| table.clear(threads));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = access, memory
}
criterion_main!(benches);
