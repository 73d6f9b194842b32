//! Games for books, one at a time: out of PGN files, and out of the journals of matches.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};
use serde_yaml::Value;
use shakmaty::san::San;
use stretto::position::Game;
use stretto::types::{Color, Move};

use super::BookToolError;
use crate::pgn::{BadGame, Games, half_points, half_points_of};
use crate::store::{GameRecord, Manifest, Side, read_journal};

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// What was played.
    pub mv: Move,
    /// It was part of the opening both players were given, so nobody chose it.
    pub is_given: bool,
}

/// A finished game, or its first moves.
#[derive(Clone)]
pub struct SourceGame {
    /// White and Black.
    pub players: [String; 2],
    /// Where it starts.
    pub start: Game,
    /// Its moves, as many as were asked for.
    pub moves: Vec<Played>,
    /// White's points, doubled. Range: 0 to 2.
    pub half_points: u8,
}

impl SourceGame {
    /// The points of a side, doubled.
    pub fn half_points_of(&self, color: Color) -> u8 {
        if color == Color::White { self.half_points } else { 2 - self.half_points }
    }
}

/// What reading brings, game by game.
pub type ReadGame = Result<SourceGame, BadGame>;

/// Reads the finished games of a PGN file, of each so many plies, and hands each to `visit`. `watch` sees all bytes on
/// their way. Returns how many games had no result.
///
/// Errors: the file cannot be read; those of `visit`, which end the reading. A game that is not legal is handed on as such.
pub fn read_pgn<R: Read>(
    path: &Path,
    plies: usize,
    watch: impl FnOnce(File) -> R,
    mut visit: impl FnMut(ReadGame) -> Result<(), BookToolError>,
) -> Result<u64, BookToolError> {
    let file = File::open(path).map_err(BookToolError::io("read", path))?;
    let mut games = Games::new(watch(file));
    let mut unfinished = 0;
    while let Some((place, read)) = games.next(&mut Recorder { plies }) {
        match read {
            Ok(Ok(Some(recorded))) => visit(Ok(recorded))?,
            Ok(Ok(None)) => unfinished += 1,
            Ok(Err(what)) => visit(Err(BadGame { place, what }))?,
            // What the reader cannot make out, such as a comment without an end, costs that game.
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                visit(Err(BadGame { place, what: error.to_string() }))?;
            }
            Err(error) => return Err(BookToolError::io("read", path)(error)),
        }
    }
    Ok(unfinished)
}

/// Follows one game for so many plies.
struct Recorder {
    plies: usize,
}

/// What the tags say.
struct Tags {
    players: [String; 2],
    start: Game,
    /// The result, for games that end without saying it again.
    half_points: Option<u8>,
}

impl Tags {
    fn none() -> Self {
        let start = Game::new(stretto::position::Position::startpos());
        Self { players: [String::new(), String::new()], start, half_points: None }
    }
}

/// A game being read.
struct Recording {
    tags: Tags,
    now: Game,
    moves: Vec<Played>,
    /// Somebody has passed: what follows is no game of chess.
    is_closed: bool,
    /// What stands behind the moves.
    outcome: Option<Outcome>,
}

impl Visitor for Recorder {
    type Tags = Tags;
    type Movetext = Recording;
    type Output = Result<Option<SourceGame>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::none())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        match name.to_ascii_lowercase().as_slice() {
            // The tags of a game without any moves run into those of the next.
            b"event" => *tags = Tags::none(),
            b"result" => tags.half_points = half_points(&value.decode_utf8_lossy()),
            b"white" => tags.players[0] = value.decode_utf8_lossy().into_owned(),
            b"black" => tags.players[1] = value.decode_utf8_lossy().into_owned(),
            b"fen" => {
                let fen = value.decode_utf8_lossy();
                match Game::from_fen(&fen) {
                    Ok(start) => tags.start = start,
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
        let now = tags.start.clone();
        ControlFlow::Continue(Recording { tags, now, moves: Vec::new(), is_closed: false, outcome: None })
    }

    fn san(&mut self, game: &mut Recording, san: SanPlus) -> ControlFlow<Self::Output> {
        game.is_closed |= san.san == San::Null;
        if game.is_closed || game.moves.len() == self.plies {
            return ControlFlow::Continue(());
        }
        match game.now.position().parse_san(&san.to_string()) {
            Ok(mv) => {
                game.moves.push(Played { mv, is_given: false });
                game.now.play(mv);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(format!("ply {}: {error}", game.moves.len() + 1))),
        }
    }

    /// `{book}` marks a move that the match gave, in games of the harness and of other match tools.
    fn comment(&mut self, game: &mut Recording, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        if comment.as_bytes().trim_ascii() == b"book"
            && let Some(last) = game.moves.last_mut()
        {
            last.is_given = true;
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Recording) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Recording, outcome: Outcome) -> ControlFlow<Self::Output> {
        game.outcome = Some(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Recording) -> Self::Output {
        let Recording { tags: Tags { players, start, half_points }, moves, outcome, .. } = game;
        let half_points = outcome.map_or(half_points, half_points_of);
        Ok(half_points.map(|half_points| SourceGame { players, start, moves, half_points }))
    }
}

/// Hands the games of a match, as its journal has them, to `visit`. Returns how many ended by a fault: those say nothing
/// about openings and are left out.
///
/// Errors: the folder holds no match, or its journal is damaged.
pub fn read_journal_games(run: &Path, mut visit: impl FnMut(SourceGame)) -> Result<u64, BookToolError> {
    let file = run.join("manifest.yaml");
    let text = std::fs::read_to_string(&file).map_err(BookToolError::io("read", &file))?;
    let wrong = |what: String| BookToolError::Run { path: run.to_path_buf(), what };
    let manifest: Manifest =
        serde_yaml::from_str(&text).map_err(|error| wrong(format!("its manifest is damaged: {error}")))?;
    let names = player_names(&manifest.identity)
        .ok_or_else(|| wrong(format!("a run of `harness {}` has no games between engines", manifest.kind)))?;
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

/// The names of a match's engines, in order.
fn player_names(identity: &Value) -> Option<Vec<String>> {
    let engines = identity.get("config")?.get("engines")?.as_sequence()?;
    engines.iter().map(|engine| Some(engine.get("name")?.as_str()?.to_owned())).collect()
}

fn source_game(record: &GameRecord, names: &[String]) -> Result<SourceGame, String> {
    let name = |index: usize| names.get(index).cloned().ok_or_else(|| format!("there is no engine {index}"));
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
