//! Cost of opening book look-ups: `cargo bench -p stretto-engine --bench book`.
//!
//! The books have random keys and are read from files. The case "position" is the whole work
//! before a book move: key, look-up, legality of each move, selection.

use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stretto::book::{Book, BookKey, BookMove, Entry, Selection, candidates, choose};
use stretto::position::{Game, Position};
use stretto::types::SplitMix64;

/// Numbers of entries; the last gives a file of 160 MB.
const SIZES: [usize; 3] = [10_000, 1_000_000, 10_000_000];

/// A game whose positions are all in the book.
const GAME: &str = "d2d4 g8f6 c2c4 e7e6 g1f3 d7d5 b1c3 f8e7 c1g5 e8g8 e2e3 h7h6 g5h4 b7b6";

/// Writes a book of random entries and the positions of the game.
fn book(entries: usize) -> (PathBuf, Vec<BookKey>) {
    let mut random = SplitMix64::new(entries as u64);
    let mut all: Vec<Entry> = (0..entries)
        .map(|_| Entry { key: BookKey(random.next_u64()), mv: BookMove(796), weight: 1, ..Entry::default() })
        .collect();
    let keys = all.iter().step_by(entries.div_ceil(1 << 16)).map(|entry| entry.key).collect();
    for game in games() {
        let key = BookKey::of(&game);
        let moves = game.position().legal_moves();
        all.extend(moves.iter().take(4).map(|&mv| Entry {
            key,
            mv: BookMove::new(mv),
            weight: 3,
            ..Entry::default()
        }));
    }
    all.sort_unstable();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{entries}.bin"));
    let mut file = BufWriter::new(std::fs::File::create(&path).expect("a folder to write to"));
    for entry in all {
        file.write_all(&entry.to_bytes()).expect("room on the disk");
    }
    file.flush().expect("room on the disk");
    (path, keys)
}

/// Returns the positions of the game.
fn games() -> Vec<Game> {
    let mut game = Game::new(Position::startpos());
    let mut all = vec![game.clone()];
    for text in GAME.split(' ') {
        let mv = game.position().parse_uci(text).expect("a legal move");
        game.play(mv);
        all.push(game.clone());
    }
    all
}

fn probes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("book");
    group.throughput(Throughput::Elements(1));
    let games = games();
    group.bench_function("key", |bencher| {
        let mut next = games.iter().cycle();
        bencher.iter(|| BookKey::of(black_box(next.next().expect("a cycle"))));
    });
    for entries in SIZES {
        let (path, mut keys) = book(entries);
        let book = Book::open(&path).expect("the book just written");
        let mut random = SplitMix64::new(1);
        random.shuffle(&mut keys);
        group.bench_function(format!("{entries} entries, known key"), |bencher| {
            let mut next = keys.iter().cycle();
            bencher.iter(|| book.find(*next.next().expect("a cycle")).count());
        });
        group.bench_function(format!("{entries} entries, unknown key"), |bencher| {
            bencher.iter(|| book.find(BookKey(random.next_u64())).count());
        });
        group.bench_function(format!("{entries} entries, position"), |bencher| {
            let mut next = games.iter().cycle();
            bencher.iter(|| {
                let game = next.next().expect("a cycle");
                let moves = candidates(&book, BookKey::of(game), game.position(), true);
                choose(&moves, Selection::Weighted, &mut random).map(|taken| taken.mv)
            });
        });
        let _ = std::fs::remove_file(&path);
    }
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
