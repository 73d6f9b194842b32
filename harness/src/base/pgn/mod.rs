//! An iterator over the games of a PGN file with their number and first line.
//!
//! A [`GameBuilder`] decides how a game is represented; most callers use [`FinishedGame`].

mod finished;
mod source;
mod visitor;

use std::cell::Cell;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::rc::Rc;

use memchr::memchr_iter;
use pgn_reader::Reader;

pub(crate) use self::finished::{FinishedGame, RecordedMove};
use self::source::Source;
pub(crate) use self::source::split_promotion;
pub(crate) use self::visitor::GameBuilder;
use self::visitor::GameVisitor;

/// The location of a game in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the game in the file, from 1.
    pub game: usize,
    /// First line of the game, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}", self.game, self.line)
    }
}

/// A game that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGame {
    /// Location of the game.
    pub place: Place,
    /// Description of the error.
    pub what: String,
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Returns White's half-points for a `Result` tag; `None` for a game without a result.
pub(crate) fn half_points(result: &str) -> Option<u8> {
    match result {
        "1-0" => Some(2),
        "0-1" => Some(0),
        "1/2-1/2" => Some(1),
        _ => None,
    }
}

/// The result of reading one game.
#[derive(Debug)]
pub(crate) enum NextGame<G> {
    /// A complete game.
    Complete(G),
    /// A game without a result, from a reader that needs one.
    Unfinished,
    /// An illegal move or an invalid tag: its description. Reading can continue.
    Illegal(String),
    /// A syntax error, such as an unterminated comment. Reading can continue.
    Malformed(io::Error),
    /// The file cannot be read.
    Failed(io::Error),
}

impl<G> From<io::Error> for NextGame<G> {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::InvalidData { Self::Malformed(error) } else { Self::Failed(error) }
    }
}

/// A reader of the games in a PGN file.
pub(crate) struct Games<R> {
    reader: Reader<Source<R>>,
    /// Line ends that the parser has read from the file.
    taken: Rc<Cell<usize>>,
    game: usize,
}

impl<R: Read> Games<R> {
    /// Returns a reader of this source. The source needs no buffering.
    pub(crate) fn new(source: R) -> Self {
        let (source, taken) = Source::new(source);
        Self { reader: Reader::new(source), taken, game: 0 }
    }

    /// Reads the next game with a clone of the `empty` builder; `None` after the last game.
    pub(crate) fn next<B: GameBuilder>(&mut self, empty: &B) -> Option<(Place, NextGame<B::Game>)> {
        self.game += 1;
        match self.reader.has_more() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some((self.place(), error.into())),
        }
        let place = self.place();
        let read = match self.reader.read_game(&mut GameVisitor(empty)).transpose()? {
            Ok(Ok(Some(game))) => NextGame::Complete(game),
            Ok(Ok(None)) => NextGame::Unfinished,
            Ok(Err(what)) => NextGame::Illegal(what),
            Err(error) => error.into(),
        };
        Some((place, read))
    }

    /// Returns the location of the parser.
    fn place(&self) -> Place {
        let ahead = memchr_iter(b'\n', self.reader.buffer()).count();
        Place { game: self.game, line: 1 + self.taken.get() - ahead }
    }
}
