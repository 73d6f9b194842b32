//! Algebraic notation: published moves round-trip, and loose forms are read.

use crate::data;
use stretto::position::Position;

/// The best and avoided moves of EPD collections are read and written as published.
#[test]
fn published_epd_moves_round_trip() {
    for path in ["epd/wac.epd", "epd/bratko-kopec.epd", "epd/lct2.epd"] {
        let text = data::carried(path);
        let mut moves = 0;
        for line in data::lines(&text) {
            let fields: Vec<&str> = line.splitn(5, ' ').collect();
            let position = Position::from_fen(&fields[..4].join(" ")).unwrap();
            for operation in fields[4].split(';').map(str::trim) {
                let Some(list) = operation.strip_prefix("bm ").or_else(|| operation.strip_prefix("am "))
                else {
                    continue;
                };
                for san in list.split_whitespace() {
                    let mv = position.parse_san(san).unwrap_or_else(|error| panic!("{line}: {error}"));
                    // Some files omit check marks and the `x`.
                    let bare = |text: &str| text.replace(['+', '#', 'x'], "");
                    assert_eq!(bare(&position.san(mv)), bare(san), "{line}");
                    moves += 1;
                }
            }
        }
        assert!(moves > 0, "{path} has no moves");
    }
}

/// The moves of a PGN collection are read and written as published.
#[test]
#[ignore = "needs openings/8moves_v3-sample3000.pgn: make test-data"]
fn with_data_published_pgn_games_round_trip() {
    let text = data::collected("openings/8moves_v3-sample3000.pgn");
    let mut moves = 0;
    for game in text.split("\n\n").filter(|part| !part.trim_start().starts_with('[')) {
        let mut position = Position::startpos();
        for token in game.split_whitespace() {
            let san = token.rsplit('.').next().unwrap();
            if san.is_empty() || san == "*" || san.contains("1/2") || san == "1-0" || san == "0-1" {
                continue;
            }
            let mv = position.parse_san(san).unwrap_or_else(|error| panic!("{position}: {error}"));
            assert_eq!(position.san(mv), san, "{position}");
            position = position.after(mv);
            moves += 1;
        }
    }
    assert!(moves > 40_000, "{moves} moves");
}

#[test]
fn loose_notation_is_accepted() {
    for (fen, strict, loose) in [
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "O-O",
            vec!["0-0", "o-o", "O-O!", "0-0+", " O-O ", "e1g1", "e1h1"],
        ),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O-O", vec!["0-0-0", "O-O-O?!"]),
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            "exd5",
            vec!["ed5", "ed", "e4xd5", "e4d5", "e4-d5", "exd5!!", "e:d5"],
        ),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", vec!["exd6e.p.", "exd6 e.p.", "exd6ep", "ed6", "e5d6"]),
        (
            "3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1",
            "exd8=Q+",
            vec!["exd8Q", "ed8=Q", "exd8(Q)", "exd8=q", "e7d8q", "exd8/Q"],
        ),
        (
            "4k3/8/8/8/8/8/8/4K1NR w K - 0 1",
            "Nf3",
            vec!["Ngf3", "N1f3", "Ng1f3", "Ng1-f3", "g1f3", "Nf3?", "Nf3!?", "Nf3+"],
        ),
        ("4k3/8/8/8/8/2n5/1P6/4KB2 w - - 0 1", "bxc3", vec!["bc3", "b2c3"]),
        ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e5", vec!["Pe5", "e4e5", "e4-e5"]),
        ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "Re8#", vec!["Re8", "Re8+", "Re8++", "Re8 mate", "Re1-e8#"]),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let mv = position.parse_san(strict).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(position.san(mv), strict);
        for text in loose {
            if text == "ed" {
                assert!(position.parse_san(text).is_err(), "a file is not a target square");
            } else {
                assert_eq!(position.parse_san(text), Ok(mv), "{fen}: {text}");
            }
        }
    }
}

#[test]
fn disambiguation_is_minimal() {
    for (fen, uci, san) in [
        ("4k3/8/8/8/8/8/8/R4RK1 w - - 0 1", "a1d1", "Rad1"),
        ("R7/4k3/8/8/8/8/8/R5K1 w - - 0 1", "a1a4", "R1a4"),
        ("8/6k1/8/8/Q6Q/8/8/3Q2K1 w - - 0 1", "a4d4", "Qad4"),
        ("8/5k2/8/8/Q6Q/8/8/Q5K1 w - - 0 1", "a4d4", "Qa4d4"),
        // A pinned piece cannot move there and needs no disambiguation.
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let written = position.san(position.parse_uci(uci).unwrap());
        assert_eq!(written.trim_end_matches('+'), san, "{fen}");
    }
}

#[test]
fn invalid_text_is_rejected_and_quoted() {
    let position = Position::startpos();
    for text in [
        "", "x", "Nf", "N", "Zf3", "Nf9", "e9", "e4e", "--", "O-O", "O-O-O-O", "exd8=K", "Nc3=Q", "♞f3",
        "e2e4e5", "1-0",
    ] {
        let message = position.parse_san(text).unwrap_err().to_string();
        assert!(message.contains(text), "{text}: {message}");
    }
}

proptest::proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".{0,12}") {
        let _ = Position::startpos().parse_san(&text);
        let _ = Position::startpos().parse_uci(&text);
    }

    #[test]
    fn move_like_text_never_panics(text in "[NBRQKPa-h1-8xO=+#-]{1,9}") {
        if let Ok(mv) = Position::startpos().parse_san(&text) {
            proptest::prop_assert!(Position::startpos().is_legal(mv));
        }
    }
}
