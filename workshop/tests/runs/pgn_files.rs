//! PGN compatibility tests: every game found by python-chess or pgn-extract is found in published
//! files, including malformed ones.

use std::fs;
use std::path::Path;

use crate::common::{carried, collection};
use stretto_harness::openings::{Format, OpeningBook, Order, read_games};
use stretto_workshop::games::read_pgn;

/// The counts of other readers for a file.
struct Expected {
    name: String,
    /// Number of games that python-chess reads.
    games: usize,
    plies: usize,
    errors: usize,
    /// Number of games without a result.
    unknown: usize,
    /// Number of games that pgn-extract reads.
    seen: usize,
}

/// Returns the counts of other readers for the files of a folder. That of the repository lacks one of 1 MB.
fn expected(folder: &Path) -> Vec<Expected> {
    let text = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |field: usize| fields[field].parse().unwrap();
        let unknown =
            |result: &str| result.strip_prefix("*:").or(result.strip_prefix("?:"))?.parse::<usize>().ok();
        let unknown = fields[6].split(' ').filter_map(unknown).sum();
        let seen = fields[9].split('/').nth(1).unwrap().parse().unwrap();
        let name = fields[0].to_owned();
        Expected { name, games: number(1), plies: number(2), errors: number(3), unknown, seen }
    };
    text.lines().skip(1).map(read).filter(|file| folder.join(&file.name).exists()).collect()
}

/// pgn-extract ends a comment at the first brace and counts the words after it as games.
const WORDS_AS_GAMES: &str = "pgnextract_nested-comment.pgn";
/// python-chess ends the game at the blank line between its first comment and its moves.
const BLANK_LINE: &str = "pgnextract_test-checkmate.pgn";
/// Files with words that are no moves, which python-chess skips: `Kx`, and the text after a comment in a comment.
const NO_MOVES: [&str; 2] = ["chesslib_corrupted.pgn", WORDS_AS_GAMES];

#[test]
fn no_game_is_lost() {
    assert_eq!(expect_no_lost_game(&carried("pgn")), 30);
}

#[test]
#[ignore = "needs pgn/lichess_db_1000k.pgn: make test-data"]
fn with_data_no_game_is_lost() {
    assert_eq!(expect_no_lost_game(&collection("pgn")), 31);
}

/// Compares the games of each file with the counts of other readers. Returns the number of files.
fn expect_no_lost_game(folder: &Path) -> usize {
    let files = expected(folder);
    for file in &files {
        let path = folder.join(&file.name);
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let (mut good, mut plies, mut bad) = (0, 0, Vec::new());
        let unfinished = read_pgn(
            &path,
            usize::MAX,
            |file| file,
            |game| {
                match game {
                    Ok(game) => {
                        good += 1;
                        plies += game.moves.len();
                    }
                    Err(game) => bad.push(game),
                }
                Ok(())
            },
        );
        let unfinished = usize::try_from(unfinished.unwrap()).unwrap();
        let all = good + unfinished + bad.len();
        let name = &file.name;
        println!("{name}: {good} games, {unfinished} without a result, {} bad", bad.len());
        let least = match name.as_str() {
            WORDS_AS_GAMES => file.games,
            BLANK_LINE => file.seen,
            _ => file.games.max(file.seen),
        };
        assert_eq!(all, least, "{name}");
        let words = usize::from(NO_MOVES.contains(&name.as_str()));
        assert_eq!(bad.len(), file.errors + words, "{name}: {bad:?}");
        // Moves after a null move are not read.
        if bad.is_empty() && unfinished == 0 && !text.contains(" Z0 ") {
            assert_eq!(plies, file.plies, "{name}");
        }
        // The result of a game that ends in an illegal move is not counted.
        assert!(unfinished <= file.unknown, "{name}: {unfinished} of {all} without a result");
        for game in &bad {
            println!("  {game}");
            let begin = lines[game.place.line - 1].trim_start_matches('\u{feff}');
            assert!(!begin.trim().is_empty(), "{name}: nothing begins on line {}", game.place.line);
        }
    }
    files.len()
}

/// Read as openings, the games have the same moves as in python-chess.
#[test]
fn no_move_is_lost() {
    let folder = carried("pgn");
    let files = expected(&folder);
    let mut compared = 0;
    for file in files.iter().filter(|file| file.errors == 0) {
        let name = &file.name;
        let format = Format::Pgn { plies: None };
        match OpeningBook::load(folder.join(name), format, Order::Sequential, 0, 0) {
            Ok(book) => {
                let plies: usize = (0..book.len() as u64).map(|pair| book.opening(pair).moves.len()).sum();
                assert_eq!((book.len(), plies), (file.games, file.plies), "{name}");
                compared += 1;
            }
            // A finished game is not an opening; each is reported. Some files have games that end in a
            // threefold repetition.
            Err(error) => {
                let (_, bad) = read_games(&std::fs::read(folder.join(name)).unwrap(), usize::MAX);
                assert!(!bad.is_empty(), "{name}: {error}");
                for game in bad {
                    println!("{name}: {game}");
                    assert!(game.place.line > 0 && !game.what.is_empty(), "{name}: {game}");
                }
            }
        }
    }
    assert!(compared >= 13, "{compared} files");
}
