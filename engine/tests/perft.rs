//! Leaf counts of published perft suites, exact to the last node.
//!
//! A test run stays within a budget of nodes for each line; `STRETTO_PERFT=full` (what `make perft` sets, in a
//! release build) takes every line to its deepest count.

mod data;

use std::env;

use stretto::position::{Position, perft};

/// The largest count checked for each line in an ordinary run. Units: leaves.
const BUDGET: u64 = 12_000_000;
/// The same for suites of many lines that resemble each other.
const SMALL_BUDGET: u64 = 1_000_000;
/// Counts are published for single depths far down (`;D32 1`); deeper than this they are worth little.
const DEEPEST: u32 = 40;

fn is_full() -> bool {
    env::var("STRETTO_PERFT").is_ok_and(|value| value == "full")
}

/// Checks every line of a suite to the deepest count within the budget, and says how many leaves that were.
fn check(name: &str, text: &str, budget: u64) {
    let budget = if is_full() { u64::MAX } else { budget };
    let (mut counts, mut leaves) = (0, 0);
    for line in data::lines(text) {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap_or_default().trim();
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{name}: {fen}: {error}"));
        let expected: Vec<(u32, u64)> = fields
            .filter_map(|field| {
                let (depth, count) = field.trim().strip_prefix('D')?.split_once(' ')?;
                Some((depth.parse().ok()?, count.trim().parse().ok()?))
            })
            .filter(|&(depth, count)| count <= budget && depth <= DEEPEST)
            .collect();
        assert!(!expected.is_empty(), "{name}: no count to check: {line}");
        for (depth, count) in expected {
            assert_eq!(perft(&position, depth), count, "{name}: depth {depth} of {fen}");
            counts += 1;
            leaves += count;
        }
    }
    assert!(counts > 0, "{name} has no lines");
    println!("{name}: {counts} counts, {leaves} leaves");
}

fn check_shared(path: &str, budget: u64) {
    if let Some(text) = data::shared(path) {
        check(path, &text, budget);
    }
}

#[test]
fn own_positions() {
    check("perft.epd", include_str!("data/perft.epd"), u64::MAX);
}

#[test]
fn standard() {
    check_shared("perft/standard.epd", BUDGET);
}

#[test]
fn tricky_standard() {
    check_shared("perft/tricky-standard.epd", u64::MAX);
}

#[test]
fn tricky_chess960() {
    check_shared("perft/tricky-chess960.epd", u64::MAX);
}

#[test]
fn chess960() {
    check_shared("perft/chess960.epd", SMALL_BUDGET);
}

#[test]
fn double_chess960() {
    check_shared("perft/dfrc-derived.epd", BUDGET);
}

/// Positions no game reaches: refused, or counted exactly.
#[test]
fn tricky_impossible() {
    let Some(text) = data::shared("perft/tricky-impossible.epd") else { return };
    for line in data::lines(&text) {
        let fen = line.split(';').next().unwrap_or_default().trim();
        match Position::from_fen(fen) {
            Ok(_) => check("impossible", line, u64::MAX),
            Err(error) => println!("refused: {fen}: {error}"),
        }
    }
}
