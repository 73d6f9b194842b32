//! Compares blocks with those that the code of the tools printed.

use std::fmt::Write;

use super::score::Score;
use super::setup::EngineSetup;
use super::*;
use crate::config::Limits;
use crate::run::EngineSizes;
use stretto_stats::counts::{Pentanomial, Trinomial};

/// Printed by `scripts/blocks.py openbench CHECKOUT 60` with OpenBench 9906bad, Python 3.11 and `SciPy` 1.10.
const OPENBENCH: &str = include_str!("../../../../testdata/blocks/openbench.txt");
/// Printed by `scripts/blocks.py fishtest CHECKOUT 60` with fishtest b8eecff2, Python 3.11 and `SciPy` 1.10.
const FISHTEST: &str = include_str!("../../../../testdata/blocks/fishtest.txt");
/// Printed by `scripts/blocks.py fastchess CHECKOUT 60` with fastchess 74deac23 and g++ 12 on x86-64.
const FASTCHESS: &str = include_str!("../../../../testdata/blocks/fastchess.txt");

/// Returns the blocks of a case of `scripts/blocks.py`.
fn blocks(case: &str) -> MatchBlocks {
    let [pairs, split, test, limits, threads, hash] = case.split('|').collect::<Vec<_>>()[..] else {
        panic!("{case}")
    };
    let pairs: Vec<u64> = serde_json::from_str(pairs).unwrap();
    let [ll, ld, even, wd, ww] = pairs[..] else { panic!("{case}") };
    let split: u64 = split.parse().unwrap();
    let score = Score {
        games: Trinomial {
            wins: 2 * ww + wd + split,
            losses: 2 * ll + ld + split,
            draws: ld + wd + 2 * (even - split),
        },
        pairs: Pentanomial([ll, ld, even, wd, ww]),
        split,
    };
    let mut limit = Limits::default();
    match limits.split_once('=') {
        None => limit.time_control = Some(limits.parse().unwrap()),
        Some(("nodes", nodes)) => limit.nodes = nodes.parse().ok(),
        Some(("depth", depth)) => limit.depth = depth.parse().ok(),
        Some((_, time)) => limit.movetime = time.parse().ok(),
    }
    let sizes = EngineSizes { threads: Some(threads.to_owned()), hash: Some(hash.to_owned()) };
    let engine = |name: &str| EngineSetup { name: name.to_owned(), limits: limit, sizes: sizes.clone() };
    let test = (test != "-").then(|| {
        let (model, numbers) = test.split_once(' ').unwrap();
        let model = if model == "logistic" { Model::Logistic } else { Model::Normalized };
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        let [elo0, elo1, alpha, beta] = numbers[..] else { panic!("{case}") };
        SprtConfig { model, elo0, elo1, alpha, beta, max_games: None }
    });
    MatchBlocks {
        engines: vec![engine("dev"), engine("base")],
        book: "book.epd".to_owned(),
        test,
        pairings: vec![Pairing { first: 0, second: 1 }],
        scores: vec![score],
        markdown: String::new(),
        remark: None,
    }
}

/// Compares all blocks of a file, at least `least`.
fn compare(format: BlockFormat, text: &str, least: usize) {
    let (mut count, mut wrong) = (0, String::new());
    for part in text.split("\n\n").map(|part| part.trim_matches('\n')).filter(|part| !part.is_empty()) {
        let (case, expected) = part.split_once('\n').unwrap();
        let found = blocks(case.strip_prefix("== ").unwrap()).block(BlockRequest::of(format)).unwrap();
        count += 1;
        if found != expected {
            let _ = writeln!(wrong, "{case}\nexpected:\n{expected}\nfound:\n{found}\n");
        }
    }
    let differ = wrong.matches("expected:").count();
    assert!(wrong.is_empty(), "{differ} of {count} differ\n{wrong}");
    assert!(count >= least, "{count} blocks");
}

#[test]
fn blocks_equal_those_of_openbench() {
    compare(BlockFormat::OpenBench, OPENBENCH, 110);
}

#[test]
fn blocks_equal_those_of_fishtest() {
    compare(BlockFormat::Fishtest, FISHTEST, 140);
}

#[test]
fn blocks_equal_those_of_fastchess() {
    compare(BlockFormat::Fastchess, FASTCHESS, 140);
}
