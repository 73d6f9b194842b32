//! Games out of PGN files: where they start, the moves, the scores in the comments, and the result.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};
use shakmaty::san::San;
use stretto::position::Position;
use stretto::types::{Color, Move};
use thiserror::Error;

use crate::cancel::Cancel;
use crate::pgn::{BadGame, Games, half_points, half_points_of};
use crate::store::hash_file;

/// Why games could not be read.
#[derive(Debug, Error)]
pub enum GamesError {
    /// The system refuses.
    #[error("cannot read {}: {error}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A game that cannot have been played.
    #[error("{}: {game}", file.display())]
    Game {
        /// The file.
        file: PathBuf,
        /// Which, and what is wrong with it.
        game: BadGame,
    },
    /// A stop was asked for.
    #[error("stopped on request")]
    Cancelled,
}

/// A move and what the mover said about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// What was played.
    pub mv: Move,
    /// The score in the comment; `None` where there is none, or a mate. Units: centipawns.
    pub score: Option<i32>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGame {
    /// Where it starts.
    pub start: Position,
    /// Its moves.
    pub moves: Vec<RecordedMove>,
    /// White's points, doubled. Range: 0 to 2.
    pub half_points: u8,
}

/// The games of some files.
#[derive(Clone, Debug, Default)]
pub struct ReadGames {
    /// In the order of the files.
    pub games: Vec<RecordedGame>,
    /// Games without a result, such as the last one of a run under way.
    pub unfinished: usize,
    /// BLAKE3 of each file.
    pub blake3: Vec<String>,
}

/// Reads all games of the files.
pub fn read_games(files: &[PathBuf], cancel: &Cancel) -> Result<ReadGames, GamesError> {
    let mut read = ReadGames::default();
    for file in files {
        read.blake3.push(hash_file(file).map_err(|error| unreadable(file, error))?);
        let source = File::open(file).map_err(|error| unreadable(file, error))?;
        let mut games = Games::new(source);
        while let Some((place, game)) = games.next(&mut Recorder) {
            if cancel.is_cancelled() {
                return Err(GamesError::Cancelled);
            }
            match game {
                Ok(Ok(Some(recorded))) => read.games.push(recorded),
                Ok(Ok(None)) => read.unfinished += 1,
                Ok(Err(what)) => {
                    return Err(GamesError::Game { file: file.clone(), game: BadGame { place, what } });
                }
                // A comment without an end: the last game of a run under way, if nothing comes after it.
                Err(error)
                    if error.kind() == ErrorKind::InvalidData && games.next(&mut Recorder).is_none() =>
                {
                    read.unfinished += 1;
                    break;
                }
                Err(error) => return Err(unreadable(file, error)),
            }
        }
    }
    Ok(read)
}

fn unreadable(file: &Path, error: std::io::Error) -> GamesError {
    GamesError::Read { file: file.to_path_buf(), error }
}

/// Follows one game.
struct Recorder;

/// What the tags say.
struct Tags {
    start: Position,
    /// The result, for games that end without saying it again.
    half_points: Option<u8>,
}

impl Tags {
    fn none() -> Self {
        Self { start: Position::startpos(), half_points: None }
    }
}

/// A game being read.
struct Recording {
    tags: Tags,
    now: Position,
    moves: Vec<RecordedMove>,
    /// Somebody has passed: what follows is no game of chess.
    is_closed: bool,
    /// What stands behind the moves.
    outcome: Option<Outcome>,
}

impl Visitor for Recorder {
    type Tags = Tags;
    type Movetext = Recording;
    type Output = Result<Option<RecordedGame>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::none())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        match name.to_ascii_lowercase().as_slice() {
            // The tags of a game without any moves run into those of the next.
            b"event" => *tags = Tags::none(),
            b"result" => tags.half_points = half_points(&value.decode_utf8_lossy()),
            b"fen" => {
                let fen = value.decode_utf8_lossy();
                match Position::from_fen(&fen) {
                    Ok(position) => tags.start = position,
                    Err(error) => {
                        return ControlFlow::Break(Err(format!("its start `{fen}` is no position: {error}")));
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Recording> {
        let now = tags.start;
        ControlFlow::Continue(Recording { tags, now, moves: Vec::new(), is_closed: false, outcome: None })
    }

    fn san(&mut self, game: &mut Recording, san: SanPlus) -> ControlFlow<Self::Output> {
        game.is_closed |= san.san == San::Null;
        if game.is_closed {
            return ControlFlow::Continue(());
        }
        let text = san.san.to_string();
        match game.now.parse_san(&text) {
            Ok(mv) => {
                game.moves.push(RecordedMove { mv, score: None });
                game.now = game.now.after(mv);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let ply = game.moves.len() + 1;
                ControlFlow::Break(Err(format!("ply {ply}: {error} (in {})", game.now)))
            }
        }
    }

    fn begin_variation(&mut self, _: &mut Recording) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn comment(&mut self, game: &mut Recording, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if let Some(last) = game.moves.last_mut() {
            last.score = score_of(comment.as_bytes()).or(last.score);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Recording, outcome: Outcome) -> ControlFlow<Self::Output> {
        game.outcome = Some(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Recording) -> Self::Output {
        let Recording { tags: Tags { start, half_points }, moves, outcome, .. } = game;
        let half_points = outcome.map_or(half_points, half_points_of);
        Ok(half_points.map(|half_points| RecordedGame { start, moves, half_points }))
    }
}

/// The score that opens a comment such as `+0.22/4 0.001s`. Units: centipawns; `None` for mates and other text.
fn score_of(comment: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(comment).ok()?.trim_start();
    let (number, _) = text.split_once('/')?;
    let pawns: f64 = number.parse().ok()?;
    (pawns.abs() < 1000.0).then(|| (100.0 * pawns).round() as i32)
}

impl RecordedGame {
    /// The doubled points of a side.
    pub fn half_points_of(&self, color: Color) -> u8 {
        match color {
            Color::White => self.half_points,
            Color::Black => 2 - self.half_points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ReadGames, GamesError> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("games.pgn");
        std::fs::write(&file, text).unwrap();
        read_games(&[file], &Cancel::new())
    }

    #[test]
    fn moves_scores_and_results_are_read() {
        let read = read(
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 {-1.20/9 0.1s} 2. e4 {+M12/3 0s} \
             Ke6 {a thought} 1-0\n\n[Event \"x\"]\n\n1. e4 (1. d4) e5 1/2-1/2\n\n1. Nf3 {+0.31/4} d5 *\n",
        )
        .unwrap();
        assert_eq!((read.games.len(), read.unfinished), (2, 1));
        let first = &read.games[0];
        assert_eq!(first.half_points, 2);
        assert_eq!(first.half_points_of(Color::Black), 0);
        assert_eq!(first.moves.iter().map(|mv| mv.score).collect::<Vec<_>>(), [Some(-120), None, None]);
        assert_eq!(read.games[1].moves.len(), 2);
        assert_eq!(read.games[1].half_points, 1);
    }

    #[test]
    fn a_result_in_a_tag_will_do_and_a_pass_ends_what_is_chess() {
        let read = read(
            "[Event \"x\"]\n[Result \"0-1\"]\n\n1. e4 e5\n\n[Event \"y\"]\n\n1. d4 d5 2. -- d4 3. e4 1-0\n",
        )
        .unwrap();
        let found: Vec<_> = read.games.iter().map(|game| (game.moves.len(), game.half_points)).collect();
        assert_eq!((found, read.unfinished), (vec![(2, 0), (2, 2)], 0));
    }

    #[test]
    fn a_cut_game_is_left_out() {
        let read = read("1. e4 e5 1-0\n\n[Event \"x\"]\n\n1. d4 {+0.1").unwrap();
        assert_eq!((read.games.len(), read.unfinished), (1, 1));
    }

    #[test]
    fn impossible_games_are_named() {
        for (text, expected) in [
            ("1. e4 e5 1-0\n\n1. e4 e5 2. Ke3 1-0\n", "games.pgn: game 2, line 3: ply 3: "),
            ("[FEN \"8/8\"]\n\n1. e4 1-0\n", "game 1, line 1: its start `8/8` is no position"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
