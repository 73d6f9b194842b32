//! FEN parsing and writing: accepted, rejected and sanitised positions.

use std::panic::catch_unwind;

use crate::data;
use stretto::position::{FenDialect, FenError, Position};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn error(fen: &str) -> FenError {
    match Position::from_fen(fen) {
        Ok(position) => panic!("{fen:?} was accepted as {position}"),
        Err(error) => error,
    }
}

#[test]
fn valid_positions_survive_writing_and_reading() {
    let text = data::carried("fen/valid.txt");
    for line in data::lines(&text) {
        let position = Position::from_fen(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        for dialect in [FenDialect::Standard, FenDialect::Shredder] {
            let again = Position::from_fen(&position.to_fen(dialect)).unwrap();
            assert!(again == position, "{line}: {again:?}");
        }
        let given: Vec<&str> = line.split(' ').collect();
        let (standard, shredder) =
            (position.to_fen(FenDialect::Standard), position.to_fen(FenDialect::Shredder));
        let (standard, shredder): (Vec<&str>, Vec<&str>) =
            (standard.split(' ').collect(), shredder.split(' ').collect());
        assert_eq!(standard[..2], given[..2], "{line}");
        assert_eq!(standard[4..], given[4..], "{line}");
        assert!([standard[2], shredder[2]].contains(&given[2]), "{line}: {standard:?} {shredder:?}");
    }
}

#[test]
fn invalid_positions_are_rejected() {
    let text = data::carried("fen/invalid.tsv");
    let (mut refused, mut accepted) = (0, 0);
    for line in data::lines(&text) {
        let (fen, reasons) = line.split_once('\t').unwrap();
        let tolerable = ["IMPOSSIBLE_CHECK", "TOO_MANY_CHECKERS", "BAD_CASTLING_RIGHTS", "INVALID_EP_SQUARE"];
        let must_refuse = reasons.split('+').any(|reason| !tolerable.contains(&reason));
        match Position::from_fen(fen) {
            Ok(position) => {
                assert!(!must_refuse, "{reasons} accepted: {fen}");
                assert!(position.legal_moves().len() <= 218);
                accepted += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{refused} refused, {accepted} accepted or sanitised");
    assert!(refused > 1400);
}

#[test]
fn en_passant_squares_are_kept_only_if_a_capture_is_legal() {
    let text = data::carried("fen/ep-sanitise.tsv");
    for line in data::lines(&text) {
        let (given, expected) = line.split_once('\t').unwrap();
        assert_eq!(Position::from_fen(given).unwrap().to_string(), expected, "{given}");
    }
}

#[test]
fn terminal_positions_are_recognised() {
    let text = data::carried("fen/terminal.tsv");
    for line in data::lines(&text) {
        let fields: Vec<&str> = line.split('\t').collect();
        let position = Position::from_fen(fields[0]).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(position.count_legal_moves().to_string(), fields[2], "{line}");
        assert_eq!(position.is_check(), fields[3] == "1", "{line}");
        let state = match (position.has_legal_move(), position.is_check()) {
            (false, true) => "checkmate",
            (false, false) => "stalemate",
            (true, _) if position.is_dead_material() => "insufficient",
            (true, _) => "play",
        };
        assert_eq!(state, fields[1], "{line}");
    }
}

/// Unusual positions never cause a panic; those marked as valid are accepted.
#[test]
fn unusual_positions_never_panic() {
    let text = data::carried("bad/destruction-a.txt");
    for line in text.lines() {
        let fen = line.split([';']).next().unwrap();
        let fen = fen.split(" bm ").next().unwrap().split(" moves ").next().unwrap();
        let outcome = catch_unwind(|| {
            Position::from_fen(fen).map(|position| {
                let moves = position.legal_moves();
                moves.iter().map(|&mv| position.after(mv).count_legal_moves()).sum::<usize>()
            })
        });
        let result = outcome.unwrap_or_else(|_| panic!("{line}"));
        if line.contains("epd should be OK") || line.contains("startpos") || line.contains("leading spaces") {
            assert!(result.is_ok(), "{line}: {result:?}");
        }
        if line.contains("cull EPD") || line.contains("garbage") || line.contains("colour, cull") {
            assert!(result.is_err(), "{line}");
        }
    }
}

/// The position commands of the collection of bad UCI input.
#[test]
fn bad_uci_positions_are_handled_as_listed() {
    let text = data::carried("bad/uci-cases-a.txt");
    let mut seen = 0;
    for case in text.split("\ncase ").skip(1) {
        let Some(fen) = case.lines().find_map(|line| line.strip_prefix("> position fen ")) else { continue };
        let fen = fen.split("moves").next().unwrap();
        let want = case.lines().find_map(|line| line.strip_prefix("want: ")).unwrap();
        let is_chess960 = case.contains("UCI_Chess960 value true");
        let result = Position::from_fen(fen)
            .map(|position| if is_chess960 { position } else { position.with_standard_castling_only() });
        if want == "reject" {
            assert!(result.is_err(), "{case}");
        } else if want.starts_with("accept") || want.starts_with("bestmove") {
            let position = result.as_ref().unwrap_or_else(|error| panic!("{error}: {case}"));
            assert_eq!(position.has_legal_move(), !want.starts_with("bestmove-none"), "{case}");
        } else if let (Some((_, wish)), Ok(position)) = (want.split_once("sanitise ("), &result) {
            let rights = position.to_fen(FenDialect::Standard).split(' ').nth(2).unwrap().to_owned();
            match wish.split(')').next().unwrap() {
                "ep dropped" => assert_eq!(position.ep_square(), None, "{case}"),
                wish => {
                    let given = fen.split(' ').nth(2).unwrap();
                    let expected = match wish.strip_suffix(" dropped") {
                        Some(dropped) if dropped.len() == given.len() => "-".to_owned(),
                        Some(dropped) => given.replace(|letter| dropped.contains(letter), ""),
                        None => wish.to_owned(),
                    };
                    assert_eq!(rights, expected, "{case}");
                }
            }
        }
        if let Ok(position) = result {
            for &mv in &position.legal_moves() {
                assert!(position.after(mv).count_legal_moves() <= 218, "{case}");
            }
        }
        seen += 1;
    }
    assert!(seen > 40, "{seen} cases");
}

#[test]
fn errors_contain_field_and_expectation() {
    for (fen, parts) in [
        ("", vec!["empty", "at least placement and side to move"]),
        ("8/8/8/8/8/8/8/8", vec!["ends after", "`w` or `b`"]),
        ("8/8/8/8/8/8/8 w - -", vec!["expected 8 ranks", "found 7"]),
        ("9/8/8/8/8/8/8/8 w - -", vec!["'9'", "digit 1 to 8"]),
        ("44/8/8/8/8/8/8/8 w - -", vec!["two digits"]),
        ("kx6/8/8/8/8/8/8/K7 w - -", vec!["'x'", "PNBRQK"]),
        ("k6/8/8/8/8/8/8/K7 w - -", vec!["7 squares"]),
        ("k7/8/8/8/8/8/8/K8 w - -", vec!["9 squares"]),
        ("k7/8/8/8/8/8/8/K7 r - -", vec!["\"r\"", "`w` or `b`"]),
        ("k7/8/8/8/8/8/8/K7 w X -", vec!["\"X\"", "castling"]),
        ("k7/8/8/8/8/8/8/K7 w - z9", vec!["\"z9\"", "square"]),
        ("k7/8/8/8/8/8/8/K7 w - - x 1", vec!["half-move clock", "\"x\""]),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1,5", vec!["move number", "\"1,5\""]),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1 2", vec!["\"2\"", "six fields"]),
        ("8/8/8/8/8/8/8/K7 w - -", vec!["Black has 0 kings"]),
        ("kk6/8/8/8/8/8/8/K7 w - -", vec!["Black has 2 kings"]),
        ("kP6/8/8/8/8/8/8/K7 w - -", vec!["pawn", "b8"]),
        ("kR6/8/8/8/8/8/8/K7 w - -", vec!["Black is in check from b8"]),
        ("kK6/8/8/8/8/8/8/8 w - -", vec!["in check"]),
        ("k7/8/8/8/8/PPPPPPPP/P7/K7 w - -", vec!["White has 9 pawns"]),
        ("k7/8/8/8/8/NNNNNNNN/NNNNNNNN/K7 w - -", vec!["White has 17 pieces"]),
    ] {
        let message = error(fen).to_string();
        for part in parts {
            assert!(message.contains(part), "{fen}: {message}");
        }
    }
    let endless = format!("{} w - -", "q".repeat(100_000));
    assert!(error(&endless).to_string().len() < 300);
}

#[test]
fn missing_fields_and_unusual_counters_are_accepted() {
    let start = Position::startpos();
    for fen in [
        START,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq",
        "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\tw  HAha -  0 0 ; ",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQKq -0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -7 -1",
    ] {
        assert!(Position::from_fen(fen).unwrap() == start, "{fen}");
    }
    let huge = "4k3/8/8/8/8/8/8/4K2R w - - 99999999999999999999 99999999999999999999";
    let position = Position::from_fen(huge).unwrap();
    assert_eq!((position.halfmove_clock(), position.fullmove_number()), (u16::MAX, u16::MAX));
    // Counters at their maximum saturate.
    let next = position.after(position.parse_uci("h1h2").unwrap());
    let next = next.after(next.parse_uci("e8e7").unwrap());
    assert_eq!((next.halfmove_clock(), next.fullmove_number()), (u16::MAX, u16::MAX));
}

#[test]
fn castling_rights_are_read_and_written_in_both_dialects() {
    for (given, standard, shredder) in [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "KQ", "HA"),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "KQ", "HA"),
        // In X-FEN the inner rook needs its file letter.
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "B", "B"),
        ("4k3/8/8/8/8/8/8/RR2K3 w Q - 0 1", "Q", "A"),
        ("4k3/8/8/8/8/8/8/RR2K3 w AB - 0 1", "Q", "A"),
        ("rk2r3/8/8/8/8/8/8/RK2R3 w KQkq - 0 1", "KQkq", "EAea"),
        // Rights without king or rook in place are dropped.
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "-", "-"),
        ("4k3/8/8/8/8/8/8/4K2N w K - 0 1", "-", "-"),
        ("krr5/8/8/8/8/8/8/4K3 w kq - 0 1", "k", "c"),
    ] {
        let position = Position::from_fen(given).unwrap();
        let field = |dialect| position.to_fen(dialect).split(' ').nth(2).unwrap().to_owned();
        assert_eq!(field(FenDialect::Standard), standard, "{given}");
        assert_eq!(field(FenDialect::Shredder), shredder, "{given}");
    }
}

#[test]
fn largest_move_counts_fit_into_a_move_list() {
    let most = Position::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").unwrap();
    assert_eq!(most.legal_moves().len(), 218);
    // Promoted pieces beyond any real game are accepted as well.
    assert!(Position::from_fen("rnbqkbnr/bbbbbbbb/8/8/8/8/BBBBBBBB/RNBQKBNR w KQkq - 0 1").is_ok());
    assert!(Position::from_fen("rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR w KQkq - 0 1").is_ok());
}

proptest::proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".{0,120}") {
        let _ = Position::from_fen(&text);
    }

    #[test]
    fn fen_like_text_never_panics(
        text in "[pnbrqkPNBRQK1-8/]{10,72} [wb] [KQkqA-Ha-h-]{1,5} (-|[a-h][1-8]) [0-9]{1,7} [0-9]{1,7}"
    ) {
        let _ = Position::from_fen(&text);
    }

    /// Random placements of legal material: accepted positions have consistent successors.
    #[test]
    fn random_placements_have_consistent_successors(seed in proptest::collection::vec((0_usize..64, 0_usize..12), 2..28), black in proptest::bool::ANY) {
        let mut board = ['1'; 64];
        for (square, piece) in seed {
            board[square] = "PNBRQPpnbrqp".chars().nth(piece).unwrap();
        }
        board[4] = 'k';
        board[60] = 'K';
        let rows: Vec<String> = board.chunks(8).map(|row| {
            let mut text = String::new();
            let mut gap = 0;
            for &letter in row {
                if letter == '1' {
                    gap += 1;
                } else {
                    if gap > 0 {
                        text.push_str(&gap.to_string());
                        gap = 0;
                    }
                    text.push(letter);
                }
            }
            if gap > 0 {
                text.push_str(&gap.to_string());
            }
            text
        }).collect();
        let fen = format!("{} {} KQkq - 0 1", rows.join("/"), if black { 'b' } else { 'w' });
        if let Ok(position) = Position::from_fen(&fen) {
            for &mv in &position.legal_moves() {
                let next = position.after(mv);
                proptest::prop_assert!(Position::from_fen(&next.to_string()).unwrap() == next);
            }
        }
    }
}
