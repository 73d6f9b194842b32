//! Cost of network evaluations: `cargo bench -p stretto-engine --bench network`.
//!
//! The weights are random, which does not affect the cost. `walk` evaluates the positions of a game
//! with incremental updates, as a search does; `full` evaluates without them. `rows` is a lower bound:
//! reading and adding the rows that a move changes, and reading both
//! sums once.

#[path = "support/kernels.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "shared with the other benches")]
mod kernels;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kernels::{line, random_weights, walk};
use stretto::eval::network::{Accumulators, FEATURES, Kernels, Network};

fn evaluation(criterion: &mut Criterion) {
    let line = line();
    let mut group = criterion.benchmark_group("network");
    for hidden in [64, 128, 256, 512, 1024] {
        let network = Network::new(&random_weights(hidden)).expect("a sound network");
        for kernels in Kernels::available() {
            let network = Arc::new(network.clone().with_kernels(kernels));
            group.throughput(Throughput::Elements(line.len() as u64));
            let mut accumulators = Accumulators::new();
            let id = |what: &str| BenchmarkId::new(format!("{what}/{}", kernels.name()), hidden);
            group.bench_function(id("walk"), |bencher| {
                bencher.iter(|| black_box(walk(&mut accumulators, &network, &line)));
            });
            group.throughput(Throughput::Elements(line.len() as u64));
            group.bench_function(id("full"), |bencher| {
                bencher.iter(|| {
                    for (position, _) in &line {
                        black_box(network.evaluate(position));
                    }
                });
            });
        }
    }
    group.finish();
}

/// Measures the lower bound: three rows per side from the cache, and one pass over both sums.
fn limit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rows");
    group.throughput(Throughput::Elements(1));
    for hidden in [64, 128, 256, 512, 1024] {
        let rows: Vec<i16> = random_weights(hidden).rows;
        let mut sums = vec![0_i16; 2 * hidden];
        let mut feature = 0;
        group.bench_function(BenchmarkId::from_parameter(hidden), |bencher| {
            bencher.iter(|| {
                for side in sums.chunks_exact_mut(hidden) {
                    feature = (feature + 397) % (FEATURES - 2);
                    let [one, two, three] =
                        [0, 1, 2].map(|next| &rows[(feature + next) * hidden..][..hidden]);
                    for ((sum, one), (two, three)) in side.iter_mut().zip(one).zip(two.iter().zip(three)) {
                        *sum = sum.wrapping_add(*one).wrapping_sub(*two).wrapping_sub(*three);
                    }
                }
                sums.iter().fold(0_i32, |total, &sum| total.wrapping_add(i32::from(sum)))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, evaluation, limit);
criterion_main!(benches);
