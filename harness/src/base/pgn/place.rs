//! The location of a game in its file, and the result of reading it.

use std::{fmt, io};

/// A location in a file of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the game in the file, from 1.
    pub game: usize,
    /// The line of its error, else its first line, from 1.
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
    /// Location of the error.
    pub place: Place,
    /// Description of the error.
    pub what: String,
}

impl fmt::Display for BadGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// The result of reading one game.
#[derive(Debug)]
pub enum NextGame<G> {
    /// A complete game.
    Complete(G),
    /// A game without a result, from a reader that needs one.
    Unfinished,
    /// A game with a word that is no move, an illegal move or an invalid tag: the first error. Reading can continue.
    Bad(String),
    /// The file ends within a comment, a variation or a word: its description.
    Truncated(String),
    /// The file cannot be read. Reading cannot continue.
    Failed(io::Error),
}
