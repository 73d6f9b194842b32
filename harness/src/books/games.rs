//! Games for books, read from PGN files or match journals.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_yaml::Value;
use stretto::position::Game;
use stretto::types::Move;

use super::BookToolError;
use crate::base::pgn::{BadGame, FinishedGame, Games, NextGame, RecordedMove};
use crate::base::wording::parser_message;
use crate::play::record::{GameRecord, Side};
use crate::run::{Manifest, read_journal};

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// Whether the move belongs to the opening assigned by the match.
    pub is_given: bool,
}

impl RecordedMove for Played {
    fn new(mv: Move) -> Self {
        Self { mv, is_given: false }
    }

    /// Reads a comment. `{book}` marks an opening move, as written by the harness and other match
    /// runners.
    fn comment(&mut self, comment: &[u8]) {
        self.is_given |= comment.trim_ascii() == b"book";
    }
}

/// A game as input for a book.
pub(crate) type SourceGame = FinishedGame<Played>;

/// The result of reading one game.
pub(crate) type ReadGame = Result<SourceGame, BadGame>;

/// Reads the first `plies` plies of each finished game of a PGN file and passes it to `visit`.
/// `watch` wraps the file, for progress output. Returns the number of games without a result.
///
/// Errors: the file cannot be read or is not a PGN file, or an error of `visit`, which ends the
/// reading. An illegal game is passed to `visit` as an error.
pub fn read_pgn<R: Read>(
    path: &Path,
    plies: usize,
    watch: impl FnOnce(File) -> R,
    mut visit: impl FnMut(ReadGame) -> Result<(), BookToolError>,
) -> Result<u64, BookToolError> {
    let file = File::open(path).map_err(BookToolError::io("read", path))?;
    let mut games = Games::new(watch(file));
    let (mut unfinished, mut complete) = (0, 0);
    while let Some((place, read)) = games.next_finished(plies) {
        match read {
            NextGame::Complete(recorded) => {
                complete += 1;
                visit(Ok(recorded))?;
            }
            NextGame::Unfinished => unfinished += 1,
            NextGame::Illegal(what) => visit(Err(BadGame { place, what }))?,
            // A syntax error affects only that game.
            NextGame::Malformed(error) => visit(Err(BadGame { place, what: error.to_string() }))?,
            NextGame::Failed(error) => return Err(BookToolError::io("read", path)(error)),
        }
    }
    // The parser takes any text for moves of games without a result.
    if complete == 0 && unfinished > 0 && !looks_like_pgn(path)? {
        return Err(BookToolError::NotPgn { path: path.to_path_buf() });
    }
    Ok(unfinished)
}

/// Whether a line of a file is a tag pair such as `[Result "1-0"]`, or the last word a result.
fn looks_like_pgn(path: &Path) -> Result<bool, BookToolError> {
    let text = std::fs::read(path).map_err(BookToolError::io("read", path))?;
    let is_tag_pair = |line: &[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"[") && line.ends_with(b"\"]")
    };
    let last = text.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let ends_with_result = [b"*".as_slice(), b"1-0", b"0-1", b"1/2-1/2"].contains(&last);
    Ok(ends_with_result || text.split(|&byte| byte == b'\n').any(is_tag_pair))
}

/// Passes the games of a match journal to `visit`. Returns the number of games that ended by a
/// fault; these are skipped because they say nothing about openings.
///
/// Errors: the folder is not a match run, or its journal is damaged.
pub(crate) fn read_journal_games(
    run: &Path,
    mut visit: impl FnMut(SourceGame),
) -> Result<u64, BookToolError> {
    let file = run.join("manifest.yaml");
    let text = std::fs::read_to_string(&file).map_err(BookToolError::io("read", &file))?;
    let wrong = |what: String| BookToolError::Run { path: run.to_path_buf(), what };
    let manifest: Manifest = serde_yaml::from_str(&text)
        .map_err(|error| wrong(format!("damaged manifest: {}", parser_message(&error.to_string()))))?;
    let names = player_names(&manifest.identity)
        .ok_or_else(|| wrong(format!("runs of `harness {}` have no engine games", manifest.kind)))?;
    let (mut faults, mut bad) = (0, None);
    read_journal(&run.join("journal.jsonl"), |record: GameRecord| {
        if record.termination.fault().is_some() {
            faults += 1;
        } else {
            match source_game(&record, &names) {
                Ok(game) => visit(game),
                Err(what) => bad = bad.take().or(Some(format!("game {}: {what}", record.game))),
            }
        }
        Ok(())
    })?;
    bad.map_or(Ok(faults), |what| Err(wrong(what)))
}

/// Returns the names of a match's engines in order.
fn player_names(identity: &Value) -> Option<Vec<String>> {
    let engines = identity.get("config")?.get("engines")?.as_sequence()?;
    engines.iter().map(|engine| Some(engine.get("name")?.as_str()?.to_owned())).collect()
}

fn source_game(record: &GameRecord, names: &[String]) -> Result<SourceGame, String> {
    let name = |index: usize| names.get(index).cloned().ok_or_else(|| format!("unknown engine {index}"));
    let players = [name(record.white)?, name(record.black)?];
    let start = Game::from_fen(&record.fen).map_err(|error| error.to_string())?;
    let texts = record.book.iter().map(|text| (text, true));
    let own = record.moves.iter().map(|played| (&played.text, false));
    let (mut now, mut moves) = (start.clone(), Vec::new());
    for (text, is_given) in texts.chain(own) {
        let mv = now.position().parse_uci(text).map_err(|error| error.to_string())?;
        moves.push(Played { mv, is_given });
        now.play(mv);
    }
    Ok(SourceGame { players, start, moves, half_points: record.result.half_points(Side::White) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(u64, usize), BookToolError> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("games.pgn");
        std::fs::write(&file, text).unwrap();
        let mut games = 0;
        let unfinished = read_pgn(
            &file,
            20,
            |file| file,
            |_| {
                games += 1;
                Ok(())
            },
        )?;
        Ok((unfinished, games))
    }

    #[test]
    fn text_without_a_tag_pair_or_result_is_no_pgn_file() {
        let text = "# Title\n\nSome words.\n\n- a [link](page.md)\n\n[label]: page.md\n";
        assert!(matches!(read(text), Err(BookToolError::NotPgn { .. })));
        assert_eq!(read("[White \"a\"]\n\n1. e4 e5 *\n").unwrap(), (1, 0), "a game under way");
        assert_eq!(read("1. e4 e5 1-0\n").unwrap().1, 1, "moves alone");
        assert_eq!(read("1. e4 { a game under way } *\n").unwrap(), (1, 0), "moves alone");
        assert_eq!(read("").unwrap(), (0, 0));
    }
}
