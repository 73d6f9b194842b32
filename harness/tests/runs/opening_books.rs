//! Tests of opening books against published files.

use std::collections::HashSet;

use shakmaty::{CastlingMode, Position};
use stretto_harness::openings::read_lines;
use stretto_harness::openings::{Format, OpeningBook, Order};

use crate::common::{carried, collection};

#[test]
#[ignore = "needs large opening files: make test-data"]
fn with_data_published_books_load_completely() {
    for (name, count, chess960) in [
        ("openings/UHO_4060_v4-sample20000.epd", 20_000, false),
        ("openings/noob_3moves-sample20000.epd", 20_000, false),
        ("openings/DFRC_4852_v1-sample5000.epd", 5000, true),
        ("openings/FRC_openings.epd", 960, true),
    ] {
        let path = collection(name);
        let book = OpeningBook::load(&path, Format::Epd, Order::Random, 7, 0).unwrap();
        assert_eq!((book.len(), book.first_chess960().is_some()), (count, chess960), "{name}");
        let lines: HashSet<usize> = (0..count as u64).map(|pair| book.opening(pair).line).collect();
        assert_eq!(lines.len(), count, "{name}: one lap uses every opening once");
    }
}

#[test]
#[ignore = "needs large opening files: make test-data"]
fn with_data_fens_round_trip() {
    for name in ["openings/UHO_4060_v4-sample20000.epd", "openings/DFRC_4852_v1-sample5000.epd"] {
        let path = collection(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let book = OpeningBook::load(&path, Format::Epd, Order::Sequential, 0, 0).unwrap();
        for (pair, line) in text.lines().enumerate() {
            let opening = book.opening(pair as u64);
            // Shredder-FEN castling letters are converted to the equivalent KQkq.
            let fields = |fen: &str| fen.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let (found, mut given) = (fields(&opening.fen), fields(line));
            if given[2].chars().any(|letter| !"KQkq-".contains(letter)) {
                given[2] = "KQkq".chars().filter(|letter| found[2].contains(*letter)).collect();
                assert_eq!(found[2].len(), fields(line)[2].len(), "{line}");
            }
            assert_eq!(found, given, "{name}");
            assert!(!opening.position().is_game_over(), "{name}: {line}");
        }
    }
}

#[test]
#[ignore = "needs large opening files: make test-data"]
fn with_data_every_chess960_start_position_has_its_castling_rights() {
    let path = collection("openings/FRC_openings.epd");
    let book = OpeningBook::load(path, Format::Epd, Order::Sequential, 0, 0).unwrap();
    let standard = (0..960).filter(|&pair| book.opening(pair).castling == CastlingMode::Standard).count();
    // King on e with rooks on a and h occurs in 18 arrangements, which are playable by the standard
    // rules.
    assert_eq!(standard, 18);
    for pair in 0..960 {
        assert_eq!(book.opening(pair).position().castles().castling_rights().count(), 4);
    }
}

#[test]
fn test_suites_can_serve_as_openings() {
    for (name, count) in [("epd/wac.epd", 300), ("epd/lct2.epd", 35), ("epd/bratko-kopec.epd", 24)] {
        let path = carried(name);
        let book = OpeningBook::load(&path, Format::Epd, Order::Sequential, 0, 0).unwrap();
        assert_eq!(book.len(), count, "{name}");
        assert!(!book.opening(0).label.starts_with("line "), "{name}: {}", book.opening(0).label);
    }
}

#[test]
fn malformed_operations_do_not_invalidate_the_position() {
    let path = carried("bad/epd-malformed-a.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    assert_eq!(cases.len(), 20);
    for case in cases {
        let (openings, bad) = read_lines(case.as_bytes());
        if case.starts_with("4k3/8/8/8/8/8/8/") {
            // Bare kings: the operations are read without error, but the position is drawn.
            assert!(bad[0].error.contains("neither side can mate"), "{case}: {bad:?}");
            continue;
        }
        if case.contains("1 1 Be2 dm 21") {
            // A move where an operation belongs may be meant as played.
            assert!(bad[0].error.contains("expected no moves after the position"), "{bad:?}");
            continue;
        }
        assert_eq!(bad, [], "{case}");
        let placement = case.split(' ').next().unwrap();
        assert_eq!(openings[0].fen.split(' ').next(), Some(placement), "{case}");
        assert_eq!(openings[0].fen.split(' ').count(), 6, "{case}");
    }
}

#[test]
fn invalid_positions_are_rejected() {
    let text = std::fs::read_to_string(carried("fen/invalid.tsv")).unwrap();
    let must_fail = text.lines().filter(|line| !line.starts_with('#')).filter(|line| {
        ["KING", "OPPOSITE_CHECK", "PAWNS_ON_BACKRANK"].iter().any(|reason| line.contains(reason))
    });
    let mut count = 0;
    for line in must_fail {
        let fen = line.split('\t').next().unwrap();
        assert_eq!(read_lines(fen.as_bytes()).0, [], "{line}");
        count += 1;
    }
    assert!(count > 100, "only {count} invalid lines found");
}

#[test]
fn every_line_of_garbage_is_read_or_reported() {
    let text = std::fs::read_to_string(carried("bad/destruction-a.txt")).unwrap();
    let (openings, bad) = read_lines(text.as_bytes());
    let mut lines: Vec<usize> = openings.iter().map(|opening| opening.line).collect();
    lines.extend(bad.iter().map(|bad| bad.line));
    lines.sort_unstable();
    let all = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()).map(|(_, number)| number);
    assert_eq!(lines, all.collect::<Vec<_>>());
}
