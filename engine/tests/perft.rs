//! Leaf counts of published perft suites.
//!
//! Ordinary runs limit the number of leaves per line. `STRETTO_PERFT=full` (set by `make perft` in
//! a release build) checks every line to its greatest depth.

mod data;

use std::env;

use stretto::position::{Position, perft};

/// Largest count checked per line in an ordinary run. Units: leaves.
const BUDGET: u64 = 12_000_000;
/// The same for suites of many similar lines.
const SMALL_BUDGET: u64 = 1_000_000;
/// Deepest depth checked; some suites list single depths far beyond it (`;D32 1`).
const DEEPEST: u32 = 40;

fn is_full() -> bool {
    env::var("STRETTO_PERFT").is_ok_and(|value| value == "full")
}

/// Checks every line of a suite to the greatest depth within the budget.
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

fn check_carried(path: &str, budget: u64) {
    check(path, &data::carried(path), budget);
}

#[test]
fn own_positions_match_known_counts() {
    check("perft.epd", include_str!("data/perft.epd"), u64::MAX);
}

#[test]
fn standard_suite_matches_published_counts() {
    check_carried("perft/standard.epd", BUDGET);
}

#[test]
fn tricky_standard_suite_matches_published_counts() {
    check_carried("perft/tricky-standard.epd", u64::MAX);
}

#[test]
fn tricky_chess960_suite_matches_published_counts() {
    check_carried("perft/tricky-chess960.epd", u64::MAX);
}

#[test]
fn chess960_suite_matches_published_counts() {
    check_carried("perft/chess960.epd", SMALL_BUDGET);
}

#[test]
fn double_chess960_suite_matches_published_counts() {
    check_carried("perft/dfrc-derived.epd", BUDGET);
}

/// Positions unreachable in games: rejected, or counted correctly.
#[test]
fn impossible_positions_are_rejected_or_match_published_counts() {
    let text = data::carried("perft/tricky-impossible.epd");
    let mut refused = 0;
    for line in data::lines(&text) {
        let fen = line.split(';').next().unwrap_or_default().trim();
        match Position::from_fen(fen) {
            Ok(_) => check("impossible", line, u64::MAX),
            Err(error) => {
                println!("refused: {fen}: {error}");
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 1, "only the position with more than sixteen white pieces");
}
