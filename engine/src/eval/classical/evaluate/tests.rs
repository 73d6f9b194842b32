//! Properties of the whole evaluation.

use super::*;
use crate::eval::classical::{TABLES, Term, UNITS_PER_CENTIPAWN, WEIGHTS};
use crate::types::SplitMix64;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect("a position")
}

fn value(fen: &str) -> i32 {
    evaluate(&position(fen)).0
}

/// Returns positions from random games, from openings to endgames.
fn random_positions(games: usize) -> Vec<Position> {
    let mut random = SplitMix64::new(0x5EED);
    let mut below = |limit: usize| random.below(limit as u64) as usize;
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

/// Returns the position with colors and ranks swapped.
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
fn start_position_evaluates_to_the_tempo_bonus() {
    let tempo = weights::TEMPO.weights[0].middle() / UNITS_PER_CENTIPAWN;
    assert_eq!(evaluate(&Position::startpos()), Score(tempo));
}

#[test]
fn color_flipped_positions_evaluate_equally() {
    for position in random_positions(60) {
        let other = mirrored(&position);
        assert_eq!(evaluate(&position), evaluate(&other), "{position}");
    }
}

#[test]
fn trace_reproduces_the_evaluation_and_covers_the_weights() {
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
    // Unused are only ranks without pawns, queens without moves and similar cases.
    let expected = |name: &str| {
        let ranked = ["PAWN_SQUARES", "PHALANX", "SUPPORTED", "PASSED", "SHELTER", "STORM", "QUEEN_MOBILITY"];
        ranked.iter().any(|table| name.starts_with(table))
    };
    let odd: Vec<_> = unused.iter().filter(|name| !expected(name)).collect();
    assert!(odd.is_empty(), "weights without a position: {odd:?}");
}

#[test]
fn breakdown_lists_every_term() {
    let position = position("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4");
    let trace = trace(&position).unwrap();
    let text = trace.breakdown();
    for term in Term::ALL {
        assert!(text.contains(term.name()), "{text}");
    }
    assert!(text.contains("for White"), "{text}");
}

#[test]
fn more_material_and_advanced_pawns_score_higher() {
    assert!(value("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1") > 800);
    assert!(value("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1") < -800);
    // A pawn about to promote is better than one on its home square.
    assert!(value("8/P7/8/8/8/4k3/8/4K3 w - - 0 1") > value("8/8/8/8/8/4k3/P7/4K3 w - - 0 1"));
}

#[test]
fn bare_kings_are_driven_to_the_edge_and_the_right_corner() {
    // To the edge, and with bishop and knight to the corner that the bishop covers.
    assert!(value("7k/8/5K2/8/8/8/8/R7 w - - 0 1") > value("8/8/8/3k4/8/2K5/8/R7 w - - 0 1"));
    assert!(value("k7/8/1K6/8/8/3N4/4B3/8 w - - 0 1") > value("7k/8/6K1/8/8/3N4/4B3/8 w - - 0 1"));
    assert!(trace(&position("7k/8/5K2/8/8/8/8/R7 w - - 0 1")).is_none());
}

#[test]
fn many_queens_do_not_overflow() {
    for (fen, is_ahead) in [
        ("rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR w KQkq - 0 1", false),
        ("rnb1kbnr/pppppppp/8/8/8/8/QQQQQQQQ/RNBQKBNR w KQkq - 0 1", true),
    ] {
        let score = evaluate(&position(fen));
        assert_eq!(score > Score(5000), is_ahead, "{fen}: {score:?}");
        assert!(score < Score(20_000) && score > -Score(20_000), "{fen}: {score:?}");
    }
}

#[test]
fn weight_tables_are_numbered_consecutively() {
    let mut next = 0;
    for table in &TABLES {
        assert_eq!(table.start, next, "{}", table.name);
        next += table.weights.len();
    }
    assert_eq!(next, WEIGHTS);
}
