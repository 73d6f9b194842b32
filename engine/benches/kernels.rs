//! Cost of move generation, making moves, SEE, evaluation, probing and searching: `cargo bench -p
//! stretto-engine --bench kernels`.
//!
//! Times the same kernels that `make instructions` counts, and searches of single positions that
//! are deep enough to exercise the hash table and the histories.

#[path = "support/kernels.rs"]
#[allow(dead_code, unreachable_pub, missing_docs, reason = "shared with the instruction counts")]
mod kernels;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use stretto::bench::POSITIONS;
use stretto::engine::{Configuration, Solo};
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Depth, Mebibytes};

/// Indices of the searched bench positions: an opening, two middlegames and an endgame.
const SEARCHED: [usize; 4] = [0, 5, 10, 25];
const DEPTH: Depth = Depth(10);

fn pieces(criterion: &mut Criterion) {
    let mut kernels = kernels::Kernels::new();
    let mut group = criterion.benchmark_group("kernels");
    for (name, work) in kernels::KERNELS {
        group.bench_function(name, |bencher| bencher.iter(|| black_box(work(black_box(&mut kernels)))));
    }
    group.finish();
}

fn searches(criterion: &mut Criterion) {
    let mut solo = Solo::new(Mebibytes(16), Configuration::default()).expect("a table");
    let mut group = criterion.benchmark_group(format!("search to depth {}", DEPTH.0));
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    for place in SEARCHED {
        let position = Position::from_fen(POSITIONS[place]).expect("a position");
        let mut search = || {
            solo.new_game();
            let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
            solo.search(&Game::new(position), limits).nodes.0
        };
        group.throughput(Throughput::Elements(search()));
        group.bench_function(BenchmarkId::from_parameter(place), |bencher| bencher.iter(&mut search));
    }
    group.finish();
}

criterion_group!(benches, pieces, searches);
criterion_main!(benches);
