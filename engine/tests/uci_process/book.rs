//! The opening book, used through UCI options.

use std::fs;
use std::path::PathBuf;

use stretto::book::{BookKey, BookMove, Entry, Learned};
use stretto::position::{Game, Position};

use crate::driver::Engine;

/// An entry of a book: the moves before it, the move, its weight, and its learned games and half
/// points.
type Line<'a> = (&'a str, &'a str, u16, (u16, u16));

/// Writes a book and returns its path.
fn book(name: &str, lines: &[Line<'_>]) -> PathBuf {
    let mut entries: Vec<Entry> = lines
        .iter()
        .map(|&(before, mv, weight, (games, half_points))| {
            let mut game = Game::new(Position::startpos());
            for text in before.split_whitespace() {
                let mv = game.position().parse_uci(text).expect("a legal move");
                game.play(mv);
            }
            let mv = BookMove::new(game.position().parse_uci(mv).expect("a legal move"));
            Entry { key: BookKey::of(&game), mv, weight, learned: Learned { games, half_points } }
        })
        .collect();
    entries.sort_by_key(|entry| entry.key);
    let bytes: Vec<u8> = entries.into_iter().flat_map(Entry::to_bytes).collect();
    file(name, &bytes)
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("a folder to write to");
    path
}

/// Starts an engine that plays from a book.
fn player(path: &std::path::Path) -> Engine {
    let mut engine = Engine::ready();
    let output = engine.tell(&format!(
        "setoption name Book File value {}\nsetoption name OwnBook value true",
        path.display()
    ));
    assert!(output.len() == 1 && output[0].starts_with("info string Book File: "), "{output:?}");
    engine
}

/// Returns the lines printed for a `go`, the best move last.
fn answer(engine: &mut Engine, position: &str, go: &str) -> Vec<String> {
    engine.send(&format!("position {position}\n{go}"));
    engine.until("bestmove")
}

/// Returns the best move if it came from the book; `None` if it was searched.
fn from_book(engine: &mut Engine, position: &str, go: &str) -> Option<String> {
    let lines = answer(engine, position, go);
    let is_searched = lines.iter().any(|line| line.starts_with("info depth"));
    let is_named = lines.iter().any(|line| line.starts_with("info string book "));
    assert_ne!(is_searched, is_named, "{lines:?}");
    let best = lines.last().and_then(|line| line.split(' ').nth(1).map(str::to_owned));
    best.filter(|_| is_named)
}

#[test]
fn book_move_is_played_and_reported() {
    let path = book(
        "plays.bin",
        &[("", "b1c3", 3, (4, 5)), ("", "a2a3", 1, (0, 0)), ("b1c3 d7d5", "h2h3", 1, (0, 0))],
    );
    let mut engine = player(&path);
    engine.tell("setoption name Best Book Move value true");
    let lines = answer(&mut engine, "startpos", "go movetime 5000");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("info string book b1c3 weight 3 share "), "{lines:?}");
    assert!(lines[0].ends_with(" % moves 2 learned 2.5 of 4"), "{lines:?}");
    assert_eq!(lines[1], "bestmove b1c3");
    let mut played = |position, go| from_book(&mut engine, position, go);
    for go in ["go depth 3", "go nodes 100", "go wtime 1000 btime 1000"] {
        assert_eq!(played("startpos moves b1c3 d7d5", go).as_deref(), Some("h2h3"), "{go}");
    }
    assert_eq!(played("startpos moves b1c3 d7d6", "go depth 1"), None, "out of book");
    assert_eq!(played("startpos", "go depth 2 searchmoves a2a3 e2e4").as_deref(), Some("a2a3"));
    assert_eq!(played("startpos", "go depth 2 searchmoves e2e4"), None);
    engine.tell("setoption name UCI_AnalyseMode value true");
    assert_eq!(from_book(&mut engine, "startpos", "go depth 2"), None, "an analysis");
    engine.tell("setoption name UCI_AnalyseMode value false");
    engine.tell("setoption name OwnBook value false");
    assert_eq!(from_book(&mut engine, "startpos", "go depth 2"), None);
    engine.quit();
}

#[test]
fn analysis_and_pondering_ignore_the_book() {
    let path = book("analysis.bin", &[("", "b1c3", 1, (0, 0))]);
    let mut engine = player(&path);
    engine.send("position startpos\ngo infinite");
    engine.until_line(|line| line.starts_with("info depth 3"));
    engine.send("stop");
    let lines = engine.until("bestmove");
    assert!(!lines.iter().any(|line| line.contains("string book")), "{lines:?}");
    engine.send("go ponder depth 3");
    engine.until_line(|line| line.starts_with("info depth 3"));
    engine.send("ponderhit");
    engine.until("bestmove");
    // A `stop` after the book move has no effect.
    engine.send("go depth 3\nstop\ngo depth 3");
    assert_eq!(engine.until("bestmove").len(), 2);
    assert_eq!(engine.until("bestmove").len(), 2);
    assert!(engine.sync().is_empty());
    engine.quit();
}

#[test]
fn selection_depth_and_seed_change_the_book_move() {
    let lines = [("", "e2e4", 6, (0, 0)), ("", "d2d4", 5, (0, 0)), ("", "c2c4", 4, (0, 0))];
    let path = book("selection.bin", &lines);
    let mut engine = player(&path);
    let play = |engine: &mut Engine| from_book(engine, "startpos", "go depth 1");
    engine.tell("setoption name Book Selection value worst");
    assert_eq!(play(&mut engine).as_deref(), Some("c2c4"));
    engine.tell("setoption name Best Book Move value true");
    assert_eq!(play(&mut engine).as_deref(), Some("e2e4"));
    engine.tell("setoption name Best Book Move value false\nsetoption name Book Selection value weighted");
    let drawn = |engine: &mut Engine, seed| {
        engine.tell(&format!("setoption name Book Seed value {seed}"));
        (0..30).map(|_| play(engine).expect("a book move")).collect::<Vec<_>>()
    };
    let first = drawn(&mut engine, 7);
    assert_eq!(first, drawn(&mut engine, 7));
    assert_ne!(first, drawn(&mut engine, 8));
    let mut other = player(&path);
    assert_eq!(first, drawn(&mut other, 7), "another process draws the same");
    other.quit();
    engine.tell("setoption name Book Depth value 1");
    let start = "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 ";
    assert!(from_book(&mut engine, &format!("{start}1"), "go depth 1").is_some());
    assert!(from_book(&mut engine, &format!("{start}2"), "go depth 1").is_none());
    engine.quit();
}

#[test]
fn castling_from_the_book_follows_uci_chess960() {
    let before = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6";
    let path = book("castling.bin", &[(before, "e1g1", 1, (0, 0))]);
    let mut engine = player(&path);
    let position = format!("startpos moves {before}");
    assert_eq!(from_book(&mut engine, &position, "go depth 1").as_deref(), Some("e1g1"));
    engine.tell("setoption name UCI_Chess960 value true");
    assert_eq!(from_book(&mut engine, &position, "go depth 1").as_deref(), Some("e1h1"));
    engine.quit();
}

#[test]
fn invalid_book_is_refused_and_the_old_one_kept() {
    let good = book("good.bin", &[("", "b1c3", 1, (0, 0))]);
    let mut engine = Engine::ready();
    let output = engine.tell("setoption name OwnBook value true");
    assert!(output.is_empty());
    let lines = answer(&mut engine, "startpos", "go depth 1");
    assert!(lines[0].contains("OwnBook: no book is loaded; set Book File"), "{lines:?}");
    engine.send("go infinite");
    engine.send("stop");
    let analysis = engine.until("bestmove");
    assert!(!analysis.iter().any(|line| line.contains("OwnBook")), "an analysis uses no book: {analysis:?}");
    engine.tell(&format!("setoption name Book File value {}", good.display()));
    let turned: Vec<u8> = [[9_u8; 16], [3; 16]].concat();
    for (bad, expected) in [
        (
            file("odd.bin", &[1; 17]),
            "is not a Polyglot book: the file has 17 bytes, expected a multiple of 16",
        ),
        (file("empty.bin", &[]), "the file is empty, expected at least one entry of 16 bytes"),
        (file("turned.bin", &turned), "entry 2 has a smaller key than an earlier entry"),
        (PathBuf::from("/no/such/book.bin"), "cannot read /no/such/book.bin: "),
        (PathBuf::from(env!("CARGO_TARGET_TMPDIR")), "expected a regular file"),
    ] {
        let output = engine.tell(&format!("setoption name Book File value {}", bad.display()));
        assert!(
            output.len() == 1
                && output[0].starts_with("info string option Book File: ")
                && output[0].contains(expected),
            "{output:?}"
        );
        assert_eq!(
            from_book(&mut engine, "startpos", "go depth 1").as_deref(),
            Some("b1c3"),
            "the old book is kept"
        );
    }
    // Illegal moves and moves of weight 0 are skipped.
    let key = BookKey::of(&Game::new(Position::startpos()));
    let wrong = |mv, weight| Entry { key, mv: BookMove(mv), weight, ..Entry::default() }.to_bytes();
    let useless = file("useless.bin", &[wrong(0, 9), wrong(0x7FFF, 9), wrong(796, 0), wrong(4, 9)].concat());
    engine.tell(&format!("setoption name Book File value {}", useless.display()));
    assert_eq!(from_book(&mut engine, "startpos", "go depth 1"), None);
    engine.tell("setoption name Book File value <empty>");
    assert_eq!(from_book(&mut engine, "startpos", "go depth 1"), None);
    engine.quit();
}
