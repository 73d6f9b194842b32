//! Games that `OpenBench`, or another match tool, has written as PGN: their results as pairs.
//!
//! Its archives hold games in the order in which they ended, of several machines, and a pair is not marked in one way by
//! all tools. What all agree on: the two games of a pair start from the same position with the colours changed. So each
//! game is paired with the first one before it that fits and has no partner yet.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use serde::Serialize;
use thiserror::Error;

use crate::base::pgn::half_points;
use crate::stats::bounds::Sprt;
use crate::stats::counts::{Pentanomial, Trinomial};
use crate::stats::overshoot::Corrections;
use crate::stats::summary::MatchStats;

/// Why there is nothing to say.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", file.display())]
    Read {
        /// Which.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file has something else than games; an archive that is still packed looks like that.
    #[error("{}: no game in PGN; archives are unpacked first (tar, bunzip2)", file.display())]
    Empty {
        /// Which.
        file: PathBuf,
    },
    /// More or fewer than two engines played.
    #[error("expected games between two engines, found {}", list(found))]
    Players {
        /// Who played.
        found: Vec<String>,
    },
    /// The engine to see the results by did not play.
    #[error("no game of `{wanted}`; the players are {}", list(found))]
    Unknown {
        /// Who was asked for.
        wanted: String,
        /// Who played.
        found: Vec<String>,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// What the tags of a game say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayedGame {
    /// White and Black.
    pub players: [String; 2],
    /// Where it starts; empty for the start position.
    pub start: String,
    /// White's points, doubled; `None` for a game without a result.
    pub half_points: Option<u8>,
    /// How it ended, as the tool words it; empty where that goes without saying.
    pub termination: String,
}

/// The results of some files, seen by one engine.
#[derive(Clone, Debug, Serialize)]
pub struct ImportedMatch {
    /// By whom.
    pub dev: String,
    /// Its opponent.
    pub base: String,
    /// Everything they say.
    pub stats: MatchStats,
    /// Games without a partner: they count as games, not in the estimates.
    pub single: u64,
    /// Games without a result, left out.
    pub unfinished: u64,
    /// How games ended, where a tool says that it was not by the rules.
    pub terminations: BTreeMap<String, u64>,
}

/// The games of a file, by their tags.
pub fn read_games(file: &Path) -> Result<Vec<PlayedGame>, ImportError> {
    let fail = |error| ImportError::Read { file: file.to_owned(), error };
    let mut reader = Reader::new(BufReader::new(File::open(file).map_err(fail)?));
    let mut games = Vec::new();
    while let Some(game) = reader.read_game(&mut TagsOnly).map_err(fail)? {
        games.push(game);
    }
    // A reader of PGN makes a game without a player of whatever bytes there are; an empty file is a machine that played none.
    if !games.is_empty() && games.iter().all(|game| *game == PlayedGame::default()) {
        return Err(ImportError::Empty { file: file.to_owned() });
    }
    Ok(games)
}

/// Tallies games, pair by pair. Without `dev` they are seen by White of the first game.
pub fn import(
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

/// Both engines, the one that results are seen by first.
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

/// Is it how games end that nothing was wrong with?
fn is_usual(termination: &str) -> bool {
    ["", "normal", "adjudication", "unknown"].iter().any(|usual| termination.eq_ignore_ascii_case(usual))
}

/// Reads the tags of each game and skips its moves.
struct TagsOnly;

impl Visitor for TagsOnly {
    type Tags = PlayedGame;
    type Movetext = PlayedGame;
    type Output = PlayedGame;

    fn begin_tags(&mut self) -> ControlFlow<PlayedGame, PlayedGame> {
        ControlFlow::Continue(PlayedGame::default())
    }

    fn tag(&mut self, game: &mut PlayedGame, name: &[u8], value: RawTag<'_>) -> ControlFlow<PlayedGame> {
        let value = value.decode_utf8_lossy().into_owned();
        match name.to_ascii_lowercase().as_slice() {
            b"white" => game.players[0] = value,
            b"black" => game.players[1] = value,
            b"fen" => game.start = value,
            b"termination" => game.termination = value,
            b"result" => {
                game.half_points = half_points(&value);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: PlayedGame) -> ControlFlow<PlayedGame, PlayedGame> {
        ControlFlow::Break(game)
    }

    fn san(&mut self, _: &mut PlayedGame, _: SanPlus) -> ControlFlow<PlayedGame> {
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: PlayedGame) -> PlayedGame {
        game
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
    fn games_of_one_opening_with_changed_colours_are_a_pair() {
        let games = [
            game("new", "old", "one", Some(2)),
            game("new", "old", "two", Some(1)),
            game("old", "new", "one", Some(0)),
            game("old", "new", "two", Some(2)),
            game("new", "old", "three", Some(0)),
            game("old", "new", "four", None),
        ];
        let found = import(&games, None, None).expect("a match");
        // A pair won twice, a pair of a draw and a loss, and one game without a partner.
        assert_eq!(found.stats.pairs, Pentanomial([0, 1, 0, 0, 1]));
        assert_eq!(found.stats.games, Trinomial { losses: 2, draws: 1, wins: 2 });
        assert_eq!((found.single, found.unfinished), (1, 1));
        let reversed = import(&games, Some("old"), None).expect("a match");
        assert_eq!((reversed.dev.as_str(), reversed.base.as_str()), ("old", "new"));
        assert_eq!(reversed.stats.pairs, found.stats.pairs.reversed());
    }

    #[test]
    fn a_test_is_judged_by_the_pairs() {
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
    fn who_played_must_be_clear() {
        let two = [game("a", "b", "", Some(1))];
        assert!(matches!(import(&two, Some("c"), None), Err(ImportError::Unknown { .. })));
        assert!(matches!(import(&[], None, None), Err(ImportError::Players { .. })));
        let three = [game("a", "b", "", Some(1)), game("a", "c", "", Some(1))];
        let error = import(&three, None, None).expect_err("three players").to_string();
        assert_eq!(error, "expected games between two engines, found a, b, c");
    }
}
