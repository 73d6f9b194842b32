//! Perft with bulk counting, compared to cozy-chess in the same process and on the same positions.
//!
//! `RUSTFLAGS="-C target-cpu=native" cargo bench -p stretto-engine --bench perft`. Both use PEXT if the
//! build has BMI2. Stretto maintains all its keys, as in play; cozy-chess maintains one.

use std::hint::black_box;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use stretto::position::{Position, perft};

/// Name, FEN, depth, leaves.
const CASES: [(&str, &str, u32, u64); 2] = [
    ("startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119_060_324),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
];

/// Counts with cozy-chess, following its own example.
fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.len() as u64;
        } else {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                leaves += cozy_perft(&next, depth - 1);
            }
        }
        false
    });
    leaves
}

fn bench(criterion: &mut Criterion) {
    for (name, fen, depth, leaves) in CASES {
        let mut group = criterion.benchmark_group(format!("perft/{name}/{depth}"));
        group.throughput(Throughput::Elements(leaves)).sampling_mode(SamplingMode::Flat).sample_size(10);
        let position = Position::from_fen(fen).expect("a valid position");
        let board: cozy_chess::Board = fen.parse().expect("a valid position");
        assert_eq!(perft(&position, depth), leaves);
        assert_eq!(cozy_perft(&board, depth), leaves);
        group.bench_function("stretto", |bencher| bencher.iter(|| perft(black_box(&position), depth)));
        group.bench_function("cozy-chess", |bencher| bencher.iter(|| cozy_perft(black_box(&board), depth)));
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
