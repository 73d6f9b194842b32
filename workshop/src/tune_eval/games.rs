//! Games with scores read from PGN: starting position, moves, comment scores and result.

use std::fs::File;
use std::io::Seek;
use std::path::PathBuf;

use anyhow::anyhow;
use stretto::types::Move;

use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::{FileResult, Stop};
use stretto_harness::base::pgn::{BadGame, FinishedGame, Games, NextGame, RecordedMove};
use stretto_harness::run::hash_reader;

/// The score in the comment of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedScore {
    /// An evaluation. Units: centipawns.
    Centipawns(i32),
    /// A mate score, or one of 1,000 pawns and more.
    Decided,
}

/// A move with the score in its comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredMove {
    /// The move of the game.
    pub mv: Move,
    /// Score from the mover's point of view.
    pub score: Option<RecordedScore>,
}

impl RecordedMove for ScoredMove {
    fn new(mv: Move) -> Self {
        Self { mv, score: None }
    }

    fn comment(&mut self, comment: &str) {
        self.score = score_of(comment).or(self.score);
    }
}

/// A game as input of the fit.
pub(crate) type ScoredGame = FinishedGame<ScoredMove>;

/// The games of several files.
#[derive(Clone, Default)]
pub struct ReadGames {
    /// Games in file order.
    pub games: Vec<ScoredGame>,
    /// Number of games without a result, such as the last one of a running match.
    pub unfinished: usize,
    /// BLAKE3 hash of each file.
    pub blake3: Vec<String>,
}

/// Reads all games of the files.
pub fn read_games(files: &[PathBuf], cancel: &Cancel) -> Result<ReadGames, Stop> {
    let mut read = ReadGames::default();
    for file in files {
        let mut source = File::open(file).or_cannot("read", file)?;
        read.blake3.push(hash_reader(&mut source).or_cannot("read", file)?);
        source.rewind().or_cannot("read", file)?;
        let mut games = Games::new(source);
        while let Some((place, game)) = games.next_finished(usize::MAX) {
            if cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            match game {
                NextGame::Complete(recorded) => read.games.push(recorded),
                // The last game of a running match.
                NextGame::Unfinished | NextGame::Truncated(_) => read.unfinished += 1,
                NextGame::Bad(what) => {
                    return Err(anyhow!("{}: {}", file.display(), BadGame { place, what }).into());
                }
                NextGame::Failed(error) => Err(error).or_cannot("read", file)?,
            }
        }
    }
    Ok(read)
}

/// Parses the score of a comment such as `+0.22/4 0.001s` or `+M5/20`, with or without commands such as
/// `[%clk 0:00:01.998]` before it. `None` for other text.
fn score_of(comment: &str) -> Option<RecordedScore> {
    let text = without_commands(comment);
    let (number, rest) = text.split_once('/')?;
    let depth = rest.split(char::is_whitespace).next().filter(|depth| !depth.is_empty())?;
    if !depth.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if is_mate(number) {
        return Some(RecordedScore::Decided);
    }
    let pawns = number.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
    Some(if pawns.abs() < 1000.0 {
        RecordedScore::Centipawns((100.0 * pawns).round() as i32)
    } else {
        RecordedScore::Decided
    })
}

/// Returns a comment after its leading commands, such as `[%eval 0.12] [%clk 0:00:01.998]`.
fn without_commands(comment: &str) -> &str {
    let mut text = comment.trim_start();
    while let Some((_, rest)) = text.strip_prefix("[%").and_then(|command| command.split_once(']')) {
        text = rest.trim_start();
    }
    text
}

/// Whether a score is one of mate, such as `+M5`.
fn is_mate(score: &str) -> bool {
    let moves = score.strip_prefix(['+', '-']).unwrap_or(score).strip_prefix('M');
    moves.is_some_and(|moves| !moves.is_empty() && moves.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use stretto::types::Color;

    use super::*;

    fn read(text: &str) -> Result<ReadGames, Stop> {
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
        assert_eq!(
            first.moves.iter().map(|mv| mv.score).collect::<Vec<_>>(),
            [Some(RecordedScore::Centipawns(-120)), Some(RecordedScore::Decided), None]
        );
        assert_eq!(read.games[1].moves.len(), 2);
        assert_eq!(read.games[1].half_points, 1);
    }

    #[test]
    fn scores_are_read_after_commands_and_mates_are_decided() {
        use RecordedScore::{Centipawns, Decided};
        for (comment, expected) in [
            ("+0.12/5 0.002s", Some(Centipawns(12))),
            ("[%eval 0.12] [%clk 0:00:01.998] +0.12/5 0.002s", Some(Centipawns(12))),
            ("[%eval -0.31]-0.31/7", Some(Centipawns(-31))),
            ("[%eval #-3] [%clk 0:00:01.998] +M3/5 0.002s", Some(Decided)),
            ("-M12/20", Some(Decided)),
            ("+999.99/1", Some(Centipawns(99_999))),
            ("-1000.00/1", Some(Decided)),
            ("[%eval 0.12]", None),
            ("[%eval 0.12 +0.12/5", None),
            ("+M/5", None),
            ("nan/5", None),
            ("1/2-1/2 by agreement", None),
            ("+0.12/", None),
            ("0.002s", None),
        ] {
            assert_eq!(score_of(comment), expected, "{comment}");
        }
    }

    #[test]
    fn result_tag_is_used_and_a_null_move_ends_the_game() {
        let read = read(
            "[Event \"x\"]\n[Result \"0-1\"]\n\n1. e4 e5\n\n[Event \"y\"]\n\n1. d4 d5 2. -- {+9.00/9} d4 3. e4 1-0\n",
        )
        .unwrap();
        let found: Vec<_> = read.games.iter().map(|game| (game.moves.len(), game.half_points)).collect();
        assert_eq!((found, read.unfinished), (vec![(2, 0), (2, 2)], 0));
        // Nor has its comment a move.
        assert_eq!(read.games[1].moves[1].score, None);
    }

    #[test]
    fn missing_file_is_reported_once() {
        let error = read_games(&[PathBuf::from("no-such.pgn")], &Cancel::new()).err().unwrap().to_string();
        assert!(
            error.starts_with("cannot read no-such.pgn: ") && error.matches("no-such").count() == 1,
            "{error}"
        );
    }

    #[test]
    fn truncated_last_game_is_skipped() {
        let read = read("1. e4 e5 1-0\n\n[Event \"x\"]\n\n1. d4 {+0.1").unwrap();
        assert_eq!((read.games.len(), read.unfinished), (1, 1));
    }

    #[test]
    fn illegal_games_are_reported() {
        for (text, expected) in [
            ("1. e4 e5 1-0\n\n1. e4 e5 2. Ke3 1-0\n", "games.pgn: game 2, line 3: ply 3: "),
            ("1. e4 e5\n2. Sf3 Sc6 1-0\n", "games.pgn: game 1, line 2: `Sf3` is no move; "),
            (
                "[Variant \"Atomic\"]\n\n1. e4 1-0\n",
                "game 1, line 1: its variant is `Atomic`, expected chess",
            ),
            ("[FEN \"8/8\"]\n\n1. e4 1-0\n", "game 1, line 1: invalid starting position `8/8`"),
        ] {
            let error = read(text).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
