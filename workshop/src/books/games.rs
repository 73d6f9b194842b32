//! Games for books, read from PGN files or match journals.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::anyhow;
use serde::Deserialize;
use serde::de::IgnoredAny;
use stretto::position::Game;
use stretto::types::Move;

use stretto_harness::base::errors::{FileResult, Stop};
use stretto_harness::base::pgn::{BadGame, FinishedGame, Games, NextGame, RecordedMove, is_pgn};
use stretto_harness::base::wording::parser_message;
use stretto_harness::config::engine::EngineConfig;
use stretto_harness::play::record::{GameRecord, Side};
use stretto_harness::run::{Manifest, read_journal};

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move, legal in the position before it.
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
    fn comment(&mut self, comment: &str) {
        self.is_given |= comment.trim() == "book";
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
    mut visit: impl FnMut(ReadGame) -> Result<(), Stop>,
) -> Result<u64, Stop> {
    let file = File::open(path).or_cannot("read", path)?;
    let mut games = Games::new(watch(file));
    let mut unfinished = 0;
    while let Some((place, read)) = games.next_finished(plies) {
        match read {
            NextGame::Complete(recorded) => visit(Ok(recorded))?,
            NextGame::Unfinished => unfinished += 1,
            NextGame::Bad(what) | NextGame::Truncated(what) => {
                if place.game == 1 && !is_pgn(path).or_cannot("read", path)? {
                    let path = path.display();
                    return Err(anyhow!(
                        "{path} is not a PGN file: it has no tag pair such as [Result \"1-0\"]"
                    )
                    .into());
                }
                visit(Err(BadGame { place, what }))?;
            }
            NextGame::Failed(error) => Err(error).or_cannot("read", path)?,
        }
    }
    Ok(unfinished)
}

/// Passes the games of a match journal to `visit`. Returns the number of games that ended by a
/// fault; these are skipped because they say nothing about openings.
///
/// Errors: the folder is not a match run, or its journal is damaged.
pub(crate) fn read_journal_games(run: &Path, mut visit: impl FnMut(SourceGame)) -> anyhow::Result<u64> {
    let file = run.join("manifest.yaml");
    let text = std::fs::read_to_string(&file).or_cannot("read", &file)?;
    let wrong = |what: String| anyhow!("{}: {what}", run.display());
    let manifest: Manifest = serde_yaml::from_str(&text)
        .map_err(|error| wrong(format!("damaged manifest: {}", parser_message(&error.to_string()))))?;
    let names = player_names(&manifest)
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

/// The configuration of a run whose games are read.
#[derive(Deserialize)]
struct PlayedConfig {
    engines: Vec<EngineConfig>,
}

/// Returns the names of a match's engines in order.
fn player_names(manifest: &Manifest) -> Option<Vec<String>> {
    let played = manifest.identity_of::<PlayedConfig, IgnoredAny>().ok()?.config;
    Some(played.engines.into_iter().map(|engine| engine.name).collect())
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

    /// Returns the numbers of games without a result and of others, and the errors.
    fn read(text: &str) -> Result<(u64, usize, Vec<String>), Stop> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("games.pgn");
        std::fs::write(&file, text).unwrap();
        let (mut games, mut bad) = (0, Vec::new());
        let unfinished = read_pgn(
            &file,
            20,
            |file| file,
            |game| {
                match game {
                    Ok(_) => games += 1,
                    Err(error) => bad.push(error.to_string()),
                }
                Ok(())
            },
        )?;
        Ok((unfinished, games, bad))
    }

    #[test]
    fn text_without_a_tag_pair_or_result_is_no_pgn_file() {
        let text = "# Title\n\nSome words.\n\n- a [link](page.md)\n\n[label]: page.md\n";
        assert!(read(text).unwrap_err().to_string().contains("games.pgn is not a PGN file"));
        assert_eq!(read("[White \"a\"]\n\n1. e4 e5 *\n").unwrap(), (1, 0, vec![]), "a game under way");
        assert_eq!(read("1. e4 e5 1-0\n").unwrap().1, 1, "moves alone");
        assert_eq!(read("1. e4 { a game under way } *\n").unwrap(), (1, 0, vec![]), "moves alone");
        assert_eq!(read("").unwrap(), (0, 0, vec![]));
    }

    #[test]
    fn word_that_is_no_move_makes_a_game_bad() {
        let (unfinished, games, bad) =
            read("1. e4 e5 2. Sf3 Sc6 3. d4 1-0\n1. ♘f3 0-1\r\n1. e4\nКf6 0-1").unwrap();
        assert_eq!((unfinished, games), (0, 1));
        let form = "is no move; moves are written as in Nf3, exd5, e8=Q or O-O";
        assert_eq!(bad, [format!("game 1, line 1: `Sf3` {form}"), format!("game 3, line 4: `Кf6` {form}")]);
    }
}
