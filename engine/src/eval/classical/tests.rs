//! What must hold for the whole evaluation.

use super::*;
use crate::types::{Bitboard, Square};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect("a position")
}

fn value(fen: &str) -> i32 {
    evaluate(&position(fen)).0
}

/// Positions out of random games, openings to endings.
fn random_positions(games: usize) -> Vec<Position> {
    let mut state: u64 = 0x5EED;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = Position::startpos();
        for _ in 0..200 {
            let (moves, captures) = (position.legal_moves(), position.captures());
            if moves.is_empty() {
                break;
            }
            let pool = if !captures.is_empty() && below(3) == 0 { captures } else { moves };
            position = position.after(pool[below(pool.len())]);
            positions.push(position);
        }
    }
    positions
}

/// The position with colours and ranks swapped.
fn mirrored(position: &Position) -> Position {
    let fen = position.to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect()
    };
    let ranks: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let passed = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    let castling = swap(fields[2]);
    Position::from_fen(&format!("{} {side} {castling} {passed} {} {}", ranks.join("/"), fields[4], fields[5]))
        .expect("a mirrored position")
}

#[test]
fn the_start_is_worth_the_move() {
    let tempo = weights::TEMPO.weights[0].middle() / GRAIN;
    assert_eq!(evaluate(&Position::startpos()), Score(tempo));
}

#[test]
fn colours_are_treated_alike() {
    for position in random_positions(60) {
        let other = mirrored(&position);
        assert_eq!(evaluate(&position), evaluate(&other), "{position}");
    }
}

#[test]
fn the_trace_gives_the_value() {
    let mut seen = vec![false; WEIGHTS];
    for position in random_positions(150) {
        let Some(trace) = trace(&position) else { continue };
        let sign = if position.side_to_move() == Color::White { 1 } else { -1 };
        assert_eq!(Score(sign * trace.value()).clamp_to_eval(), evaluate(&position), "{position}");
        for color in Color::ALL {
            for (seen, &times) in seen.iter_mut().zip(&trace.counts[color]) {
                *seen |= times != 0;
            }
        }
    }
    let unused: Vec<String> = TABLES
        .iter()
        .flat_map(|table| (0..table.weights.len()).map(move |i| (table, i)))
        .filter(|(table, i)| !seen[table.start + i])
        .map(|(table, i)| format!("{}[{i}]", table.name))
        .collect();
    // Pawns stand on six ranks only, and a queen has a square to go to: hardly anything else is never asked for.
    let expected = |name: &str| {
        let ranked = ["PAWN_SQUARES", "PHALANX", "SUPPORTED", "PASSED", "SHELTER", "STORM", "QUEEN_MOBILITY"];
        ranked.iter().any(|table| name.starts_with(table))
    };
    let odd: Vec<_> = unused.iter().filter(|name| !expected(name)).collect();
    assert!(odd.is_empty(), "weights no position uses: {odd:?}");
}

#[test]
fn the_breakdown_adds_up() {
    let position = position("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4");
    let trace = trace(&position).unwrap();
    let text = trace.breakdown();
    for term in Term::ALL {
        assert!(text.contains(term.name()), "{text}");
    }
    assert!(text.contains("for White"), "{text}");
}

#[test]
fn more_is_better() {
    assert!(value("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1") > 800);
    assert!(value("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1") < -800);
    // A pawn about to promote beats one at home.
    assert!(value("8/P7/8/8/8/4k3/8/4K3 w - - 0 1") > value("8/8/8/8/8/4k3/P7/4K3 w - - 0 1"));
}

#[test]
fn bare_kings_are_driven() {
    // To the edge, and with bishop and knight to the corner that the bishop covers.
    assert!(value("7k/8/5K2/8/8/8/8/R7 w - - 0 1") > value("8/8/8/3k4/8/2K5/8/R7 w - - 0 1"));
    assert!(value("k7/8/1K6/8/8/3N4/4B3/8 w - - 0 1") > value("7k/8/6K1/8/8/3N4/4B3/8 w - - 0 1"));
    assert!(trace(&position("7k/8/5K2/8/8/8/8/R7 w - - 0 1")).is_none());
}

#[test]
fn a_full_board_of_queens_does_not_overflow() {
    let fen = "k7/8/8/8/8/8/QQQQQQQQ/QQQQQQQK w - - 0 1";
    if let Ok(position) = Position::from_fen(fen) {
        assert!(evaluate(&position) > Score(5000));
    }
}

#[test]
fn tables_are_numbered_through() {
    let mut next = 0;
    for table in &TABLES {
        assert_eq!(table.start, next, "{}", table.name);
        next += table.weights.len();
    }
    assert_eq!(next, WEIGHTS);
    assert_eq!(Bitboard::ALL.count() as usize, Square::COUNT);
}
