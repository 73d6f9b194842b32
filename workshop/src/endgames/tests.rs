//! Tests of three-piece and some four-piece tables against published counts and a simpler
//! generator.

use std::sync::Arc;

use stretto::tablebase::{Index, Material, Metric, Outcome};
use stretto::types::{Color, PieceType, Square};

use super::board::{Board, Conversion};
use super::link::Links;
use super::made::made;
use super::*;
use stretto_harness::base::cancel::Cancel;

fn table(tables: &Tables, name: &str) -> Arc<Table> {
    tables.get(name.parse().unwrap()).unwrap()
}

/// Wins, draws, losses and the longest of each, with White and with Black to move.
type Counts = [(u64, u64, u64, Option<u16>, Option<u16>); 2];

fn counts(tables: &Tables, name: &str) -> Counts {
    statistics(&table(tables, name)).sides.map(|side| {
        let [wins, draws, losses] = side.distinguishable;
        (wins, draws, losses, side.wins.longest(), side.losses.longest())
    })
}

#[test]
fn three_piece_counts_match_published_ones() {
    let tables = made(&[], Metric::Dtm);
    let none = None;
    for (name, expected) in [
        ("KQvK", [(18_081, 0, 0, Some(19), none), (0, 2_896, 25_160, none, Some(20))]),
        ("KRvK", [(21_959, 0, 0, Some(31), none), (0, 2_796, 25_260, none, Some(32))]),
        ("KPvK", [(62_480, 19_184, 0, Some(55), none), (0, 35_210, 48_802, none, Some(56))]),
        ("KBvK", [(0, 24_178, 0, none, none), (0, 28_056, 0, none, none)]),
        ("KNvK", [(0, 25_750, 0, none, none), (0, 28_056, 0, none, none)]),
    ] {
        assert_eq!(counts(&tables, name), expected, "{name}");
    }
    let pawn = statistics(&table(&tables, "KPvK"));
    assert_eq!((pawn.zugzwangs, pawn.sides[0].wins.longests(), pawn.sides[1].losses.longests()), (80, 3, 2));
    let [white, black] = pawn.sides;
    assert_eq!((white.wins.count(), white.wins.by_distance.len()), (62_480, 56));
    assert_eq!((white.wins.by_distance[0], white.wins.by_distance[55]), (0, 3));
    assert_eq!((black.losses.count(), black.losses.by_distance[56]), (48_802, 2));
    let rook = statistics(&table(&tables, "KRvK"));
    assert_eq!((rook.sides[0].wins.longests(), rook.sides[1].losses.longests()), (121, 390));
}

#[test]
fn retrograde_analysis_matches_forward_iteration() {
    let tables = made(&[], Metric::Dtm);
    for material in Material::all(3) {
        let made = tables.get(material).unwrap();
        let plain = by_looking_forward(material, &tables);
        for side in Color::ALL {
            for (place, expected) in plain[side.index()].iter().enumerate() {
                let Some(board) = Board::at(made.index(), place) else { continue };
                if board.is_legal(side) {
                    assert_eq!(made.at(side, place), *expected, "{material} {side:?} {:?}", board.squares);
                }
            }
        }
    }
}

/// Computes the outcomes of a table by evaluating all moves of all positions until nothing changes.
fn by_looking_forward(material: Material, tables: &Tables) -> [Vec<Outcome>; 2] {
    let index = Index::new(material);
    let links = Links::new(&index, tables, Metric::Dtm).unwrap();
    let boards: Vec<Option<Board<'_>>> = (0..index.len()).map(|place| Board::at(&index, place)).collect();
    let mut known = [0, 1].map(|_| vec![None::<Outcome>; index.len()]);
    loop {
        let mut is_news = false;
        for side in Color::ALL {
            for (place, board) in boards.iter().enumerate() {
                let Some(board) = board.as_ref().filter(|board| board.is_legal(side)) else { continue };
                let mut best: Option<Outcome> = None;
                let mut is_open = false;
                let mut take =
                    |outcome: Outcome| best = Some(best.map_or(outcome, |known| known.better(outcome)));
                board.conversions(side, |conversion| {
                    take(links.value(side, &board.squares, conversion).outcome().unwrap());
                });
                board.quiet_moves(side, |piece, to| {
                    let next = index.index_of(&board.moved(piece, to)).unwrap();
                    match known[(!side).index()][next] {
                        Some(outcome) => take(outcome.before()),
                        None => is_open = true,
                    }
                    true
                });
                let value = match (best, is_open) {
                    (None, false) => {
                        Some(if board.is_check(side) { Outcome::Loss(0) } else { Outcome::Draw })
                    }
                    (Some(win @ Outcome::Win(_)), _) => Some(win),
                    (Some(other), false) => Some(other),
                    _ => None,
                };
                let place = &mut known[side.index()][place];
                is_news |= *place != value;
                *place = value;
            }
        }
        if !is_news {
            return known.map(|values| values.into_iter().map(Option::unwrap_or_default).collect());
        }
    }
}

#[test]
fn four_piece_counts_match_published_ones() {
    let tables = made(&["KQvKR", "KRvKN", "KBNvK", "KNNvK"], Metric::Dtm);
    let none = None;
    for (name, expected) in [
        (
            "KQvKR",
            [(1_108_111, 8_963, 2_142, Some(69), Some(36)), (386_313, 78_518, 883_075, Some(37), Some(70))],
        ),
        ("KRvKN", [(651_492, 696_413, 1, Some(79), Some(0)), (4, 1_396_546, 170_672, Some(1), Some(80))]),
        ("KBNvK", [(1_352_913, 6_665, 0, Some(65), none), (0, 309_147, 1_398_741, none, Some(66))]),
        ("KNNvK", [(154, 1_437_574, 0, Some(1), none), (0, 1_707_858, 30, none, Some(0))]),
    ] {
        assert_eq!(counts(&tables, name), expected, "{name}");
        let (wrong, first) = verify(&table(&tables, name), &tables).unwrap();
        assert_eq!((wrong, first), (0, vec![]), "{name}");
    }
    assert_eq!(statistics(&table(&tables, "KRvKN")).zugzwangs, 18);
}

#[test]
fn table_does_not_depend_on_the_number_of_threads() {
    let tables = made(&[], Metric::Dtm);
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let made = pool
            .install(|| generate("KRvKB".parse().unwrap(), Metric::Dtm, &tables, &Cancel::new()).unwrap());
        Color::ALL.map(|side| made.bytes(side).to_vec())
    };
    assert_eq!(bytes(1), bytes(4));
}

#[test]
fn missing_successor_table_is_reported() {
    let error = generate("KQvKR".parse().unwrap(), Metric::Dtm, &Tables::new(Metric::Dtm), &Cancel::new());
    let text = error.map(|_| ()).unwrap_err().to_string();
    assert!(text.starts_with("KQvKR: successor table K") && text.ends_with("is missing"), "{text}");
}

#[test]
fn verify_finds_a_wrong_value() {
    let tables = made(&[], Metric::Dtm);
    let made = table(&tables, "KQvK");
    let index = made.index();
    let place = (0..index.len())
        .find(|&place| {
            Board::at(index, place).is_some_and(|board| board.is_legal(Color::White))
                && made.at(Color::White, place) == Outcome::Win(9)
        })
        .unwrap();
    let damaged = made.with_value(Color::White, place, made.bytes(Color::White)[place] ^ 1);
    let (wrong, first) = verify(&damaged, &tables).unwrap();
    assert!(
        wrong >= 1 && first.iter().any(|mismatch| mismatch.expected == Outcome::Win(9)),
        "{wrong} {first:?}"
    );
}

#[test]
fn verify_counts_all_wrong_values_and_describes_ten() {
    let tables = made(&[], Metric::Dtm);
    let mut damaged = Table::clone(&table(&tables, "KQvK"));
    let is_changed = |place: usize| damaged.at(Color::White, place) == Outcome::Win(9);
    let codes = damaged.bytes(Color::White).iter().enumerate();
    let codes = codes.map(|(place, &code)| if is_changed(place) { code ^ 1 } else { code }).collect();
    damaged.set_values(Color::White, codes);
    let (wrong, first) = verify(&damaged, &tables).unwrap();
    assert!(wrong > 100, "{wrong}");
    assert_eq!(first.len(), 10);
    assert!(first.iter().all(|mismatch| mismatch.side == Color::White), "the first ones: {first:?}");
}

#[test]
fn distance_to_conversion_is_shorter_than_to_mate() {
    let mates = made(&["KQvKR"], Metric::Dtm);
    let captures = made(&["KQvKR"], Metric::Dtc);
    let (mates, captures) = (table(&mates, "KQvKR"), table(&captures, "KQvKR"));
    let longest =
        |table: &Table| statistics(table).sides.map(|side| (side.wins.longest(), side.losses.longest()));
    // K. Thompson's queen against rook: 31 moves to the capture, 35 to mate.
    assert_eq!(longest(&captures)[0].0, Some(61));
    assert_eq!(longest(&mates)[0].0, Some(69));
    // The deepest position, from which Browne lost the first bet.
    let squares = ["a8", "f6", "a5", "e8"].map(|square| square.parse::<Square>().unwrap());
    assert_eq!(captures.outcome(Color::White, &squares), Outcome::Win(61));
}

/// Computes the value of a position from its successors, move by move.
fn follows(board: &Board<'_>, side: Color, table: &Table, links: &Links<'_>) -> Outcome {
    let metric = table.metric();
    let mut best: Option<Outcome> = None;
    let mut take = |outcome: Outcome| best = Some(best.map_or(outcome, |known| known.better(outcome)));
    board.conversions(side, |conversion| {
        take(links.value(side, &board.squares, conversion).outcome().unwrap());
    });
    board.quiet_moves(side, |place, to| {
        let squares = board.moved(place, to);
        let mut next = table.outcome(!side, &squares);
        let captures = board.en_passant(side, place, to).into_iter().map(|(taker, target)| {
            let capture = Conversion { place: taker, to: target, captured: Some(place), promotion: None };
            links.value(!side, &squares, capture).outcome().unwrap()
        });
        if let Some(capture) = captures.reduce(Outcome::better) {
            let is_forced = !Board::new(table.index(), squares).has_move(!side);
            next = if is_forced { capture } else { next.better(capture) };
        }
        let is_pawn = table.index().piece(place).kind == PieceType::Pawn;
        take(if metric.ends_with(false, is_pawn) { metric.converted(next) } else { next.before() });
        true
    });
    best.unwrap_or(if board.is_check(side) { Outcome::Loss(0) } else { Outcome::Draw })
}

/// Checks every `step`-th position of a table, move by move.
fn check_some(tables: &Tables, name: &str, step: usize) {
    let made = table(tables, name);
    let links = Links::new(made.index(), tables, made.metric()).unwrap();
    for place in (0..made.index().len()).step_by(step) {
        let Some(board) = Board::at(made.index(), place) else { continue };
        for side in Color::ALL.into_iter().filter(|&side| board.is_legal(side)) {
            let expected = follows(&board, side, &made, &links);
            assert_eq!(made.at(side, place), expected, "{name} {side:?} {:?}", board.squares);
        }
    }
}

#[test]
fn values_follow_from_successors_in_every_metric() {
    for metric in Metric::ALL {
        let tables = made(&["KQvKR", "KRvKN", "KQvKQ", "KNvKN"], metric);
        for (name, step) in [("KQvK", 1), ("KPvK", 1), ("KQvKR", 101), ("KRvKN", 101)] {
            check_some(&tables, name, step);
        }
    }
}

#[test]
fn en_passant_is_taken_into_account() {
    let more = ["KQvKP", "KQvKQ", "KQvKR", "KQvKB", "KQvKN", "KRvKP", "KRvKR", "KRvKB", "KRvKN", "KBvKP"];
    let more = [&more[..], &["KBvKB", "KBvKN", "KNvKP", "KNvKN", "KPvKP"]].concat();
    for metric in [Metric::Dtm, Metric::Dtz] {
        let tables = made(&more, metric);
        if metric == Metric::Dtm {
            // The longest five-piece tables leave no code to spare, so losses in an odd number of
            // plies must not get one.
            let is_possible = |outcome: &Outcome| match outcome {
                Outcome::Draw => true,
                Outcome::Win(plies) => plies % 2 == 1,
                Outcome::Loss(plies) => plies % 2 == 0,
            };
            assert!(table(&tables, "KPvKP").coded_outcomes().all(is_possible));
            let bytes = to_bytes(&table(&tables, "KPvKP"), StoredSides::One);
            let file = stretto::tablebase::TableFile::from_bytes("KPvKP", bytes).unwrap();
            let read = from_table(&file, [true; 2], &tables).unwrap();
            assert!(read.coded_outcomes().all(is_possible));
            assert_eq!(statistics(&read), statistics(&table(&tables, "KPvKP")));
        }
        check_some(&tables, "KPvKP", 211);
        let pawns = table(&tables, "KPvKP");
        let (wrong, first) = verify(&pawns, &tables).unwrap();
        assert_eq!((wrong, first), (0, vec![]), "{metric}");
        if metric == Metric::Dtm {
            let statistics = statistics(&pawns);
            assert_eq!((statistics.zugzwangs, statistics.full_zugzwangs), (121, 15));
            assert_eq!(counts(&tables, "KPvKP")[0], (1_606_514, 1_242_545, 868_985, Some(65), Some(66)));
        }
    }
}

#[test]
fn opposition_is_evaluated_correctly() {
    let tables = made(&[], Metric::Dtm);
    let made = table(&tables, "KPvK");
    let links = Links::new(made.index(), &tables, Metric::Dtm).unwrap();
    // Opposition: the side to move has to give way.
    let squares = ["e4", "e6", "e3"].map(|square| square.parse::<Square>().unwrap());
    let board = Board::new(made.index(), squares.into_iter().collect());
    assert_eq!(follows(&board, Color::White, &made, &links), Outcome::Draw);
    assert!(matches!(follows(&board, Color::Black, &made, &links), Outcome::Loss(_)));
}

#[test]
fn probe_handles_swapped_colours() {
    let tables = made(&["KQvKR"], Metric::Dtm);
    let probe = |fen: &str| tables.probe(&stretto::position::Position::from_fen(fen).unwrap());
    assert_eq!(probe("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1"), Some(Outcome::Win(69)));
    // The same with colours exchanged, and mirrored.
    assert_eq!(probe("8/8/8/8/q7/5K2/8/k3R3 b - - 0 1"), Some(Outcome::Win(69)));
    assert_eq!(probe("3r3K/8/2k5/7Q/8/8/8/8 w - - 0 1"), Some(Outcome::Win(69)));
    assert_eq!(probe("8/8/8/4k3/8/8/8/KB6 b - - 0 1"), Some(Outcome::Draw));
    assert_eq!(probe("4k3/8/8/8/8/8/8/KRN5 w - - 0 1"), None, "no table");
    assert_eq!(probe("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), None, "castling");
}
