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

/// The scores of attacks on kings, passed pawns, a closed and an open middlegame. Other weights or terms
/// have other scores, which a failure prints.
#[test]
fn classical_evaluation_has_exact_scores() {
    let mut failed = Vec::new();
    for (fen, expected) in [
        ("r1bq1rk1/ppp2p1p/2np1n2/2b1p1pQ/2B1P3/2NP1N2/PPP2PPP/R1B2RK1 w - - 0 9", 59),
        ("r3r1k1/pp1q1p1p/2n2Qp1/3p4/3P3R/2P3N1/PP3PPP/R5K1 b - - 0 20", -108),
        ("2kr3r/ppqnbppp/2p1pn2/8/3P1B2/2N1QN2/PPP2PPP/2KR3R b - - 6 14", -55),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10", 8),
        ("2r2rk1/5ppp/1q2p3/pp1pPb2/1P1n4/P1N2N2/5PPP/2RQR1K1 w - - 1 21", -135),
        ("6k1/1p3p1p/p2Pp1p1/2q1P3/P1r5/2Q3P1/1P3P1P/3R2K1 b - - 0 30", -147),
        ("8/5ppk/7p/P2P4/3b4/1p3N1P/5PP1/6K1 w - - 0 40", 97),
        ("1k6/1p3R2/p1pr2p1/8/P2P1P2/6P1/1r5P/4R1K1 b - - 2 33", -48),
        ("4rrk1/1b4pp/p2bp3/1p1pNp1q/3P1P2/P1NBQ1P1/1P5P/2R2RK1 w - - 0 19", 232),
        ("8/2p2k2/1p1p1p2/pP1P1P1p/P3K1pP/6P1/8/8 w - - 0 50", -81),
        ("3q1rk1/pb1n1pp1/1p2p2p/2ppP2Q/3P1N2/2PB4/PP4PP/R4R1K b - - 1 16", -372),
        // The king comes too late for the pawn, or just in time.
        ("8/7p/8/8/6k1/8/P7/7K w - - 0 1", 189),
        ("8/7p/8/8/6k1/8/P7/7K b - - 0 1", 24),
        ("8/7p/8/8/5k2/8/P7/7K w - - 0 1", -13),
        ("8/7p/P7/8/6k1/8/8/7K b - - 0 1", -313),
    ] {
        if value(fen) != expected {
            failed.push(format!("(\"{fen}\", {}),", value(fen)));
        }
    }
    assert!(failed.is_empty(), "other scores:\n{}", failed.join("\n"));
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
