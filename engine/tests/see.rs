//! Static exchange evaluation: published cases, and a slow exchange that tries every choice of stopping.

mod data;

use stretto::attacks;
use stretto::position::{Position, see_value};
use stretto::types::{Bitboard, Color, Move, MoveKind, PieceType, Rank, Score};

#[test]
fn published_cases() {
    let Some(text) = data::shared("epd/see.txt") else { return };
    let mut failures = Vec::new();
    for line in data::lines(&text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let position = Position::from_fen(fields[0]).unwrap();
        let mv = position.parse_uci(fields[2]).unwrap();
        assert_eq!(position.parse_san(fields[1]), Ok(mv), "{line}");
        let expected = Score(fields[3].parse().unwrap());
        if position.see(mv) != expected {
            failures.push(format!("{line}: {:?}", position.see(mv)));
        }
        for margin in [-100, -1, 0, 1, 100] {
            let threshold = expected + margin;
            assert_eq!(
                position.see_at_least(mv, threshold),
                position.see(mv) >= threshold,
                "{line} {threshold:?}"
            );
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
