//! What an evaluation by network costs: `cargo bench -p stretto --bench network`.
//!
//! The weights are random, which costs as much as learned ones. `walk` is a search's way of asking: a line of a game to
//! and fro, each position a move away from the one before; `anew` sums all pieces up. `rows` is the limit: the rows a move
//! changes, read and added, and both sums read once.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stretto::eval::network::{Accumulators, BUCKETS, FEATURES, Kernels, Network, Weights};
use stretto::position::Position;
use stretto::types::Ply;

/// Moves of a game between engines, quiet ones and captures, castling on both sides.
const GAME: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6b8 d2d4 b8d7 \
b1d2 c8b7 b3c2 f8e8 a2a4 e7f8 b2b4 d7b6 a4a5 b6d7 c1b2 d8b8 a1b1 h7h6 d4e5 d6e5 c3c4 b5c4 d2c4 b7e4 c2e4 f6e4 e1e4";

fn weights(hidden: usize) -> Weights {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut many = |count: usize, limit: u64| -> Vec<i16> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % (2 * limit + 1)) as i16 - limit as i16
        };
        (0..count).map(|_| next()).collect()
    };
    Weights {
        rows: many(FEATURES * hidden, 60),
        biases: many(hidden, 100),
        outputs: many(BUCKETS * 2 * hidden, 20),
        output_biases: [0; BUCKETS],
        scale: 400,
        manifest: [0; 16],
    }
}

fn line() -> Vec<Position> {
    let mut line = vec![Position::startpos()];
    for text in GAME.split(' ') {
        let position = line[line.len() - 1];
        let mv = position.parse_uci(text).expect("a legal move");
        line.push(position.after(mv));
    }
    line
}

fn evaluation(criterion: &mut Criterion) {
    let line = line();
    let plies = || (0..line.len()).chain((1..line.len() - 1).rev());
    let mut group = criterion.benchmark_group("network");
    for hidden in [64, 128, 256, 512, 1024] {
        let network = Network::new(&weights(hidden)).expect("a sound network");
        for kernels in Kernels::available() {
            let network = Arc::new(network.clone().with_kernels(kernels));
            group.throughput(Throughput::Elements(plies().count() as u64));
            let mut accumulators = Accumulators::new();
            let id = |what: &str| BenchmarkId::new(format!("{what}/{}", kernels.name()), hidden);
            group.bench_function(id("walk"), |bencher| {
                bencher.iter(|| {
                    for ply in plies() {
                        black_box(accumulators.evaluate(&network, &line[ply], Ply(ply as u16)));
                    }
                });
            });
            group.throughput(Throughput::Elements(line.len() as u64));
            group.bench_function(id("anew"), |bencher| {
                bencher.iter(|| {
                    for position in &line {
                        black_box(network.evaluate(position));
                    }
                });
            });
        }
    }
    group.finish();
}

/// What no implementation gets below: three rows a side from the cache, and both sums once more.
fn limit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rows");
    group.throughput(Throughput::Elements(1));
    for hidden in [64, 128, 256, 512, 1024] {
        let rows: Vec<i16> = weights(hidden).rows;
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
