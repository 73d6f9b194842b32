//! Tests of the embedded tables.

use super::*;
use crate::position::FenDialect;
use crate::tablebase::Material;
use crate::types::Move;

fn probe(tables: &Tablebase, fen: &str) -> Option<Outcome> {
    tables.probe(&Position::from_fen(fen).expect("a position")).expect("tables in order")
}

#[test]
fn three_piece_endgames_are_known_without_files() {
    let tables = Tablebase::embedded().with_cache(2);
    assert_eq!((tables.len(), tables.max_pieces()), (5, 3));
    for (fen, outcome) in [
        ("8/8/8/8/8/8/8/K2kQ3 b - - 0 1", Outcome::Draw),
        ("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", Outcome::Win(1)),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Outcome::Loss(0)),
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", Outcome::Draw),
        ("8/8/8/8/3n4/8/8/k1K5 w - - 0 1", Outcome::Draw),
    ] {
        assert_eq!(probe(&tables, fen), Some(outcome), "{fen}");
    }
}

/// Blocks are cached by the number of their table, which must be unique.
#[test]
fn adding_a_table_twice_does_not_confuse_it_with_another() {
    let mut tables = Tablebase::new(Metric::Dtm);
    for name in ["KQvK", "KQvK", "KRvK"] {
        let file = DTM_FILES.iter().find(|file| file.0 == name).expect("an embedded file");
        tables.add(TableFile::from_static(file.0, file.1).expect("a table in order"));
    }
    assert_eq!(tables.len(), 2);
    let expected = Tablebase::embedded();
    for piece in ["Q", "R"] {
        for board in ["_/8/8/4k3/8/8/8/K7", "8/_/8/4k3/8/8/8/K7", "8/8/8/4k3/8/_/8/K7"] {
            for row in ["Q7", "1Q6", "2Q5", "3Q4", "4Q3", "5Q2", "6Q1", "7Q"] {
                let board = board.replace('_', row).replace('Q', piece);
                let fen = format!("{board} b - - 0 1");
                assert_eq!(probe(&tables, &fen), probe(&expected, &fen), "{fen}");
            }
        }
    }
}

/// Playing by values alone mates in exactly the announced number of plies.
#[test]
fn optimal_play_mates_in_the_announced_number_of_plies() {
    let tables = Tablebase::embedded();
    let mut position = Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").expect("a position");
    let Some(Outcome::Win(plies)) = probe(&tables, &position.to_fen(FenDialect::Standard)) else {
        panic!("the pawn wins")
    };
    for left in (0..plies).rev() {
        let mv = position
            .legal_moves()
            .into_iter()
            .map(|mv| (mv, tables.move_value(&position, mv).expect("in order").expect("there")))
            .reduce(|one, other| if other.1.better(one.1) == one.1 { one } else { other });
        position = position.after(mv.expect("a move").0);
        let expected = if left % 2 == 0 { Outcome::Loss(left) } else { Outcome::Win(left) };
        assert_eq!(tables.probe(&position).expect("in order"), Some(expected));
    }
    assert!(position.is_check() && !position.has_legal_move());
}

#[test]
fn all_four_piece_endgames_are_embedded() {
    let near = &Embedded::shared().near;
    for material in (3..=4).flat_map(Material::all) {
        let table = near.table(material).expect("a table");
        assert_eq!(table.metric(), Metric::Near, "{material}");
        // No win of four pieces exceeds the fifty-move limit.
        let outcomes = table.outcomes(table.stored_side()).unwrap_or(&[]);
        let is_in_time = |outcome: &Outcome| !matches!(result(*outcome), Wdl::CursedWin | Wdl::BlessedLoss);
        assert!(outcomes.iter().all(is_in_time), "{material}");
    }
    assert_eq!((near.len(), near.max_pieces()), (35, 4));
}

fn exact(position: &Position) -> Outcome {
    let embedded = Embedded::shared();
    let stored_form = embedded.near.probe(position).expect("in order").expect("a table");
    embedded.exact(position, stored_form, u16::MAX).expect("in order")
}

#[test]
fn short_distances_are_exact_when_requested_or_near_the_limit() {
    for (fen, outcome) in [
        // The longest DTM win of queen against rook, by K. Thompson.
        ("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1", Outcome::Win(61)),
        ("k7/8/1K6/8/8/8/8/6QR w - - 0 1", Outcome::Win(1)),
        ("7k/5K2/8/8/8/8/R7/7B w - - 0 1", Outcome::Win(1)),
        // The king has one square left, which the bishop takes away.
        ("8/7k/5K2/8/8/8/6R1/2B5 w - - 0 1", Outcome::Win(3)),
        ("8/8/8/8/8/pk6/8/K6r w - - 0 1", Outcome::Loss(0)),
        ("8/8/8/8/8/1k4p1/8/K7 b - - 0 1", Outcome::Win(1)),
    ] {
        let position = Position::from_fen(fen).expect("a position");
        assert_eq!(exact(&position), outcome, "{fen}");
    }
    let fen = "k7/8/1K6/8/8/8/8/6QR w - - 0 1";
    let dtz = |clock: &str, is_exact: bool| {
        let position = Position::from_fen(&fen.replace("0 1", clock)).expect("a position");
        Embedded::shared().dtz(&position, is_exact).map(|dtz| dtz.plies)
    };
    assert_eq!((dtz("0 1", false), dtz("0 1", true)), (Some(5), Some(1)));
    assert_eq!((dtz("95 90", false), dtz("96 90", false)), (Some(5), Some(1)));
}

/// Each distance is one ply more than the best successor's.
#[test]
fn distances_are_consistent_with_those_after_each_move() {
    for fen in [
        "8/8/8/3k4/8/8/1p6/K1Q5 w - - 0 1",
        "8/8/1k6/8/8/5K2/6R1/4r3 b - - 0 1",
        "8/8/8/8/5k2/3n4/1K6/R7 w - - 0 1",
        "4k3/8/4K3/8/8/2B5/8/5N2 b - - 0 1",
        "8/2k5/8/p7/8/1P6/8/3K4 w - - 0 1",
    ] {
        let mut position = Position::from_fen(fen).expect("a position");
        for _ in 0..12 {
            let value_of = |mv: Move| {
                let next = exact(&position.after(mv));
                if position.clock_after(mv) == 0 { Metric::Dtz.converted(next) } else { next.before() }
            };
            let all: Vec<(Move, Outcome)> =
                position.legal_moves().into_iter().map(|mv| (mv, value_of(mv))).collect();
            let best = all.iter().map(|one| one.1).reduce(Outcome::better);
            assert_eq!(Some(exact(&position)), best, "{}", position.to_fen(FenDialect::Standard));
            let Some(&(mv, _)) = all.iter().find(|one| Some(one.1) == best) else { break };
            position = position.after(mv);
            if !position.has_legal_move() || position.occupied().count() < 3 {
                break;
            }
        }
    }
}
