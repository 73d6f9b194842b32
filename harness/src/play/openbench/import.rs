//! Imports PGN games written by `OpenBench` or another match tool, as pairs.
//!
//! Archives of `OpenBench` list the games of several machines in order of completion, and tools
//! mark pairs in different ways. The two games of a pair always have the same opening and reversed
//! colours. So each game is paired with the first earlier game that fits and has no partner yet.
//!
//! The opening of a game is its start position and the moves after it with the comment `{book}`,
//! which Stretto's harness, fastchess and cutechess-cli write, and which `OpenBench` keeps.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use pgn_reader::SanPlus;
use serde::Serialize;
use shakmaty::san::San;
use thiserror::Error;

use crate::base::pgn::{GameBuilder, Games, NextGame, half_points};
use crate::stats::bounds::Corrections;
use crate::stats::bounds::Sprt;
use crate::stats::counts::{Pentanomial, Trinomial};
use crate::stats::summary::MatchStats;

/// The reason why games cannot be imported.
#[derive(Debug, Error)]
pub(crate) enum ImportError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A file is not PGN, for example a packed archive.
    #[error("{}: no game in PGN; archives are unpacked first (tar, bunzip2)", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// More or fewer than two engines played.
    #[error("expected games between two engines, found {}", list(found))]
    Players {
        /// The engines that played.
        found: Vec<String>,
    },
    /// The requested engine did not play.
    #[error("no game of `{wanted}`; the players are {}", list(found))]
    Unknown {
        /// The requested engine.
        wanted: String,
        /// The engines that played.
        found: Vec<String>,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// FEN of the standard start position.
const STANDARD_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The tags of a game and the moves of its opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayedGame {
    /// White and Black.
    pub players: [String; 2],
    /// Start position; empty for the standard one.
    pub start: String,
    /// First moves, which the engines did not choose, in SAN with blanks between them.
    pub book: String,
    /// Half points of White; `None` without a result.
    pub half_points: Option<u8>,
    /// Termination as the tool writes it; empty if normal.
    pub termination: String,
}

impl PlayedGame {
    /// Whether the game has neither a start position of its own nor moves of a book.
    fn has_no_opening(&self) -> bool {
        self.start.is_empty() && self.book.is_empty()
    }
}

/// The results of the files, from the view of one engine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ImportedMatch {
    /// The engine.
    pub dev: String,
    /// Its opponent.
    pub base: String,
    /// The statistics.
    pub stats: MatchStats,
    /// Number of games without a partner, which count as games but not in the estimates.
    pub single: u64,
    /// Number of games without a result, which are left out.
    pub unfinished: u64,
    /// Number of games without start position and book moves, which are paired as if they had one opening.
    pub without_opening: u64,
    /// Number of games by abnormal termination.
    pub terminations: BTreeMap<String, u64>,
}

impl ImportedMatch {
    /// Returns a warning if games may be paired wrongly.
    pub(crate) fn warning(&self) -> Option<String> {
        // Two games fit each other or are left single.
        (self.without_opening > 2).then(|| {
            format!(
                "{} games have neither a FEN nor first moves with the comment {{book}}: they are paired in the order of \
                 the files, so pairs and Elo intervals are wrong if their openings differ; write PGN with comments",
                self.without_opening
            )
        })
    }
}

/// Reads the tags and openings of the games of a file.
pub(crate) fn read_games(file: &Path) -> Result<Vec<PlayedGame>, ImportError> {
    let fail = |error| ImportError::Read { file: file.to_owned(), error };
    let mut source = Games::new(File::open(file).map_err(fail)?);
    let mut games = Vec::new();
    while let Some((_, read)) = source.next(&GameParser::default()) {
        match read {
            NextGame::Complete(game) => games.push(game),
            // No tag or move is refused, and a game needs no result.
            NextGame::Unfinished | NextGame::Illegal(_) => {}
            NextGame::Malformed(error) | NextGame::Failed(error) => return Err(fail(error)),
        }
    }
    // The PGN reader accepts any bytes as a game without players. An empty file is a machine
    // without games.
    if !games.is_empty() && games.iter().all(|game| *game == PlayedGame::default()) {
        return Err(ImportError::Empty { file: file.to_owned() });
    }
    Ok(games)
}

/// Computes statistics from games, pair by pair. The default of `dev` is White of the first game.
pub(crate) fn import(
    games: &[PlayedGame],
    dev: Option<&str>,
    sprt: Option<Sprt>,
) -> Result<ImportedMatch, ImportError> {
    let (dev, base) = players(games, dev)?;
    let mut waiting: HashMap<(&str, &str, bool), VecDeque<u8>> = HashMap::new();
    let (mut tally, mut pairs) = (Trinomial::default(), Pentanomial::default());
    let mut terminations = BTreeMap::new();
    let (mut unfinished, mut without_opening) = (0, 0);
    for game in games {
        let Some(white_points) = game.half_points else {
            unfinished += 1;
            continue;
        };
        if !is_usual(&game.termination) {
            *terminations.entry(game.termination.clone()).or_default() += 1;
        }
        without_opening += u64::from(game.has_no_opening());
        let is_white = game.players[0] == dev;
        let points = if is_white { white_points } else { 2 - white_points };
        tally += Trinomial::from_game(points).unwrap_or_default();
        let fits = |is_white| (game.start.as_str(), game.book.as_str(), is_white);
        let partner = waiting.get_mut(&fits(!is_white)).and_then(VecDeque::pop_front);
        match partner {
            Some(other) => pairs += Pentanomial::from_pair(points + other).unwrap_or_default(),
            None => waiting.entry(fits(is_white)).or_default().push_back(points),
        }
    }
    Ok(ImportedMatch {
        stats: MatchStats::new(pairs, tally, sprt.map(|sprt| (sprt, Corrections::default()))),
        single: waiting.values().map(|games| games.len() as u64).sum(),
        dev,
        base,
        unfinished,
        without_opening,
        terminations,
    })
}

/// Returns both engines, `dev` first.
fn players(games: &[PlayedGame], dev: Option<&str>) -> Result<(String, String), ImportError> {
    let mut found: Vec<String> = Vec::new();
    for name in games.iter().flat_map(|game| &game.players) {
        if !found.contains(name) {
            found.push(name.clone());
        }
    }
    let [first, second] = &found[..] else { return Err(ImportError::Players { found }) };
    match dev {
        None => Ok((first.clone(), second.clone())),
        Some(dev) if dev == first => Ok((first.clone(), second.clone())),
        Some(dev) if dev == second => Ok((second.clone(), first.clone())),
        Some(dev) => Err(ImportError::Unknown { wanted: dev.to_owned(), found }),
    }
}

/// Returns whether a termination is normal.
fn is_usual(termination: &str) -> bool {
    ["", "normal", "adjudication", "unknown"].iter().any(|usual| termination.eq_ignore_ascii_case(usual))
}

/// A game during parsing.
#[derive(Clone, Default)]
struct GameParser {
    game: PlayedGame,
    /// The last move, until its comment was read.
    last: Option<San>,
    /// Whether a move without the comment `{book}` was read.
    is_past_book: bool,
}

impl GameBuilder for GameParser {
    type Game = PlayedGame;

    fn tag(&mut self, name: &[u8], value: &str) -> Result<(), String> {
        let game = &mut self.game;
        match name {
            // The first tag of a game: those of a game without an end are dropped.
            b"event" => *self = Self::default(),
            b"white" => value.clone_into(&mut game.players[0]),
            b"black" => value.clone_into(&mut game.players[1]),
            b"fen" if value == STANDARD_START => game.start.clear(),
            b"fen" => value.clone_into(&mut game.start),
            b"termination" => value.clone_into(&mut game.termination),
            b"result" => game.half_points = half_points(value),
            _ => {}
        }
        Ok(())
    }

    fn san(&mut self, san: SanPlus) -> Result<(), String> {
        self.is_past_book |= self.last.replace(san.san).is_some();
        Ok(())
    }

    fn comment(&mut self, comment: &[u8]) {
        let Some(last) = self.last.take() else { return };
        if comment.trim_ascii() != b"book" {
            self.is_past_book = true;
            return;
        }
        let separator = if self.game.book.is_empty() { "" } else { " " };
        // Writing to a String cannot fail.
        let _ = write!(self.game.book, "{separator}{last}");
    }

    /// Text without players is no PGN, so it is not searched for moves.
    fn is_complete(&self) -> bool {
        self.is_past_book || self.game.players.iter().all(String::is_empty)
    }

    fn finish(self) -> Option<PlayedGame> {
        Some(self.game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::llr::Model;

    fn game(white: &str, black: &str, start: &str, half_points: Option<u8>) -> PlayedGame {
        let players = [white.to_owned(), black.to_owned()];
        PlayedGame { players, start: start.to_owned(), half_points, ..PlayedGame::default() }
    }

    /// Reads the games of a text, each of which begins with the line `WHITE BLACK RESULT [FEN]`, followed by its
    /// movetext.
    fn read(games: &[(&str, &str)]) -> Vec<PlayedGame> {
        let mut text = String::new();
        for (tags, moves) in games {
            let words: Vec<&str> = tags.splitn(4, ' ').collect();
            let _ = writeln!(text, "[Event \"x\"]\n[White \"{}\"]\n[Black \"{}\"]", words[0], words[1]);
            let _ = writeln!(text, "[Result \"{}\"]", words[2]);
            if let Some(fen) = words.get(3) {
                let _ = writeln!(text, "[SetUp \"1\"]\n[FEN \"{fen}\"]");
            }
            let _ = writeln!(text, "\n{moves} {}\n", words[2]);
        }
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("games.pgn");
        std::fs::write(&file, text).expect("a file");
        read_games(&file).expect("games")
    }

    #[test]
    fn games_with_one_opening_and_reversed_colours_are_a_pair() {
        let games = [
            game("new", "old", "one", Some(2)),
            game("new", "old", "two", Some(1)),
            game("old", "new", "one", Some(0)),
            game("old", "new", "two", Some(2)),
            game("new", "old", "three", Some(0)),
            game("old", "new", "four", None),
        ];
        let found = import(&games, None, None).expect("a match");
        // A pair with two wins, a pair with a draw and a loss, and a single game.
        assert_eq!(found.stats.pairs, Pentanomial([0, 1, 0, 0, 1]));
        assert_eq!(found.stats.games, Trinomial { losses: 2, draws: 1, wins: 2 });
        assert_eq!((found.single, found.unfinished), (1, 1));
        let reversed = import(&games, Some("old"), None).expect("a match");
        assert_eq!((reversed.dev.as_str(), reversed.base.as_str()), ("old", "new"));
        assert_eq!(reversed.stats.pairs, found.stats.pairs.reversed());
    }

    #[test]
    fn games_with_different_book_moves_are_no_pair() {
        // As fastchess, cutechess-cli and OpenBench write them.
        let by_others = read(&[
            ("new old 1-0", "1. e4 {book} e5 {book} 2. Nf3 {+0.12/5 0.002s} Nc6 {+0.12/5 0.002s}"),
            ("new old 0-1", "1. d4 {book} d5 {book} 2. Nf3 {+0.12/5 0.002s} Nf6 {+0.12/5 0.002s}"),
            ("old new 0-1", "d4 {book} d5 {book} c4 {unknown} e6 {unknown}"),
            ("old new 1-0", "1. e4 { book } 1... e5 { book } 2. Nc3 Nc6 {book}"),
        ]);
        // As the harness writes them.
        let ours = read(&[
            (&format!("new old 1-0 {STANDARD_START}"), "1. e4 {book} e5 {book} 2. Nf3 {0.002s}"),
            (&format!("new old 0-1 {STANDARD_START}"), "1. d4 {book} d5 {book} 2. Nf3 {0.002s}"),
            (&format!("old new 0-1 {STANDARD_START}"), "1. d4 {book} d5 {book}"),
            (&format!("old new 1-0 {STANDARD_START}"), "1. e4 {book} e5 {book} 2. Nc3 {0.002s}"),
        ]);
        for games in [by_others, ours] {
            assert_eq!(games[0].book, "e4 e5");
            let found = import(&games, None, None).expect("a match");
            assert_eq!(found.stats.pairs, Pentanomial([0, 0, 2, 0, 0]), "{games:?}");
            assert_eq!((found.single, found.warning()), (0, None));
        }
    }

    #[test]
    fn games_without_openings_have_a_warning() {
        let moves = "1. e4 {+0.12/5 0.002s} e5 {+0.12/5 0.002s}";
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let with_fen = format!("new old 1-0 {fen}");
        let found = |games: &[(&str, &str)]| import(&read(games), None, None).expect("a match");
        let two = [("new old 1-0", "1. e4 e5"), ("old new 1-0", moves), (with_fen.as_str(), "1. e4")];
        assert_eq!(found(&two).warning(), None, "one pair at most");
        let more = [two[0], two[1], two[2], ("new old 0-1", moves)];
        let warning = found(&more).warning().expect("a warning");
        assert!(warning.starts_with("3 games have neither a FEN nor first moves with the comment {book}: "));
    }

    #[test]
    fn sprt_uses_the_pairs() {
        let games: Vec<PlayedGame> = (0..400)
            .flat_map(|opening| {
                let start = opening.to_string();
                [game("a", "b", &start, Some(2)), game("b", "a", &start, Some((opening % 2) as u8))]
            })
            .collect();
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("a test");
        let found = import(&games, Some("a"), Some(sprt)).expect("a match");
        let state = found.stats.sprt.expect("a test");
        assert!(state.llr.0 > state.bounds.upper.0, "{found:?}");
    }

    #[test]
    fn truncated_game_leaks_no_tags() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("games.pgn");
        let text = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n\
                    [Termination \"abandoned\"]\n\
                    [Event \"x\"]\n[White \"b\"]\n[Black \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
        std::fs::write(&file, text).expect("a file");
        assert_eq!(read_games(&file).expect("games"), [game("b", "a", "", Some(2))]);
    }

    #[test]
    fn more_than_two_engines_are_an_error() {
        let two = [game("a", "b", "", Some(1))];
        assert!(matches!(import(&two, Some("c"), None), Err(ImportError::Unknown { .. })));
        assert!(matches!(import(&[], None, None), Err(ImportError::Players { .. })));
        let three = [game("a", "b", "", Some(1)), game("a", "c", "", Some(1))];
        let error = import(&three, None, None).expect_err("three players").to_string();
        assert_eq!(error, "expected games between two engines, found a, b, c");
    }
}
