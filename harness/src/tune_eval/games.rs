//! Games out of PGN files: where they start, the moves, the scores in the comments, and the result.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pgn_reader::{KnownOutcome, Outcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use stretto::position::Position;
use stretto::types::{Color, Move};
use thiserror::Error;

use crate::cancel::Cancel;
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
    #[error("{}: game {game}: {message}", file.display())]
    Game {
        /// The file.
        file: PathBuf,
        /// From 1.
        game: usize,
        /// What is wrong with it.
        message: String,
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
        let mut reader = Reader::new(BufReader::new(source));
        for game in 1.. {
            if cancel.is_cancelled() {
                return Err(GamesError::Cancelled);
            }
            match reader.read_game(&mut Recorder) {
                Ok(None) => break,
                Ok(Some(Ok(Some(recorded)))) => read.games.push(recorded),
                Ok(Some(Ok(None))) => read.unfinished += 1,
                Ok(Some(Err(message))) => {
                    return Err(GamesError::Game { file: file.clone(), game, message });
                }
                // A comment without an end: the last game of a run under way, if nothing comes after it.
                Err(error)
                    if error.kind() == ErrorKind::InvalidData
                        && matches!(reader.read_game(&mut Recorder), Ok(None)) =>
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

/// A game being read.
struct Recording {
    start: Position,
    now: Position,
    moves: Vec<RecordedMove>,
    half_points: Option<u8>,
}

impl Visitor for Recorder {
    type Tags = Position;
    type Movetext = Recording;
    type Output = Result<Option<RecordedGame>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Position> {
        ControlFlow::Continue(Position::startpos())
    }

    fn tag(&mut self, start: &mut Position, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        if name != b"FEN" {
            return ControlFlow::Continue(());
        }
        let fen = value.decode_utf8_lossy();
        match Position::from_fen(&fen) {
            Ok(position) => {
                *start = position;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(format!("its start `{fen}` is no position: {error}"))),
        }
    }

    fn begin_movetext(&mut self, start: Position) -> ControlFlow<Self::Output, Recording> {
        ControlFlow::Continue(Recording { start, now: start, moves: Vec::new(), half_points: None })
    }

    fn san(&mut self, game: &mut Recording, san: SanPlus) -> ControlFlow<Self::Output> {
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
        game.half_points = match outcome {
            Outcome::Known(KnownOutcome::Draw) => Some(1),
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(if winner.is_white() { 2 } else { 0 }),
            Outcome::Unknown => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Recording) -> Self::Output {
        let Recording { start, moves, half_points, .. } = game;
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
    fn a_cut_game_is_left_out() {
        let read = read("1. e4 e5 1-0\n\n[Event \"x\"]\n\n1. d4 {+0.1").unwrap();
        assert_eq!((read.games.len(), read.unfinished), (1, 1));
    }

    #[test]
    fn impossible_games_are_named() {
        for (text, expected) in [
            ("1. e4 e5 1-0\n\n1. e4 e5 2. Ke3 1-0\n", "games.pgn: game 2: ply 3: "),
            ("[FEN \"8/8\"]\n\n1. e4 1-0\n", "game 1: its start `8/8` is no position"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
