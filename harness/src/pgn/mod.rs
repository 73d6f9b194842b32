//! The games of a PGN file one after the other, each with its number and the line on which it begins.
//!
//! What is made of a game is its visitor's business; most want it as a [`FinishedGame`].

mod finished;
mod source;

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use memchr::memchr_iter;
use pgn_reader::{Reader, Visitor};

pub use self::finished::{FinishedGame, RecordedMove};
use self::source::Source;

/// Where a game stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which it is, from 1.
    pub game: usize,
    /// The line it begins on, from 1.
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
    /// Which.
    pub place: Place,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// White's doubled points in a `Result` tag; `None` for a game without a result.
pub(crate) fn half_points(result: &str) -> Option<u8> {
    match result {
        "1-0" => Some(2),
        "0-1" => Some(0),
        "1/2-1/2" => Some(1),
        _ => None,
    }
}

/// A file of games being read.
pub(crate) struct Games<R> {
    reader: Reader<Source<R>>,
    /// Line ends that the reader has taken out of the file.
    taken: Rc<Cell<usize>>,
    game: usize,
}

impl<R: Read> Games<R> {
    /// The games of this source, which needs no buffer.
    pub(crate) fn new(source: R) -> Self {
        let (source, taken) = Source::new(source);
        Self { reader: Reader::new(source), taken, game: 0 }
    }

    /// What the visitor makes of the next game; `None` after the last.
    ///
    /// Errors: the source's, or what cannot be made out (invalid data); the games after it can be read all the same.
    pub(crate) fn next<V: Visitor>(&mut self, visitor: &mut V) -> Option<(Place, io::Result<V::Output>)> {
        self.game += 1;
        match self.reader.has_more() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some((self.place(), Err(error))),
        }
        let place = self.place();
        Some((place, self.reader.read_game(visitor).transpose()?))
    }

    /// Where the reader stands.
    fn place(&self) -> Place {
        let ahead = memchr_iter(b'\n', self.reader.buffer()).count();
        Place { game: self.game, line: 1 + self.taken.get() - ahead }
    }
}
