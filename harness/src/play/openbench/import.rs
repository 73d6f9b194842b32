//! Imports PGN games written by `OpenBench` or another match tool, as pairs.
//!
//! Archives of `OpenBench` list the games of several machines in order of completion, and tools
//! mark pairs in different ways. The two games of a pair always have the same start position and
//! reversed colours. So each game is paired with the first earlier game that fits and has no
//! partner yet.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
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

/// The tags of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayedGame {
    /// White and Black.
    pub players: [String; 2],
    /// Start position; empty for the standard one.
    pub start: String,
    /// Half points of White; `None` without a result.
    pub half_points: Option<u8>,
    /// Termination as the tool writes it; empty if normal.
    pub termination: String,
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
    /// Number of games by abnormal termination.
    pub terminations: BTreeMap<String, u64>,
}

/// Reads the tags of the games of a file.
pub(crate) fn read_games(file: &Path) -> Result<Vec<PlayedGame>, ImportError> {
    let fail = |error| ImportError::Read { file: file.to_owned(), error };
    let mut source = Games::new(File::open(file).map_err(fail)?);
    let mut games = Vec::new();
    while let Some((_, read)) = source.next(&PlayedGame::default()) {
        match read {
            NextGame::Complete(game) => games.push(game),
            // Tags alone are neither illegal nor without a result.
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
    let mut waiting: HashMap<(&str, bool), VecDeque<u8>> = HashMap::new();
    let (mut tally, mut pairs) = (Trinomial::default(), Pentanomial::default());
    let mut terminations = BTreeMap::new();
    let mut unfinished = 0;
    for game in games {
        let Some(white_points) = game.half_points else {
            unfinished += 1;
            continue;
        };
        if !is_usual(&game.termination) {
            *terminations.entry(game.termination.clone()).or_default() += 1;
        }
        let is_white = game.players[0] == dev;
        let points = if is_white { white_points } else { 2 - white_points };
        tally += Trinomial::from_game(points).unwrap_or_default();
        let partner = waiting.get_mut(&(&game.start, !is_white)).and_then(VecDeque::pop_front);
        match partner {
            Some(other) => pairs += Pentanomial::from_pair(points + other).unwrap_or_default(),
            None => waiting.entry((&game.start, is_white)).or_default().push_back(points),
        }
    }
    Ok(ImportedMatch {
        stats: MatchStats::new(pairs, tally, sprt.map(|sprt| (sprt, Corrections::default()))),
        single: waiting.values().map(|games| games.len() as u64).sum(),
        dev,
        base,
        unfinished,
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

impl GameBuilder for PlayedGame {
    type Game = Self;

    const READS_MOVES: bool = false;

    fn tag(&mut self, name: &[u8], value: &str) -> Result<(), String> {
        match name {
            // The first tag of a game: those of a game without an end are dropped.
            b"event" => *self = Self::default(),
            b"white" => value.clone_into(&mut self.players[0]),
            b"black" => value.clone_into(&mut self.players[1]),
            b"fen" => value.clone_into(&mut self.start),
            b"termination" => value.clone_into(&mut self.termination),
            b"result" => self.half_points = half_points(value),
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Option<Self> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::llr::Model;

    fn game(white: &str, black: &str, start: &str, half_points: Option<u8>) -> PlayedGame {
        let players = [white.to_owned(), black.to_owned()];
        PlayedGame { players, start: start.to_owned(), half_points, termination: String::new() }
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
