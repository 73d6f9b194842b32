//! Opening books: which position each pair of games starts from.
//!
//! Decides how a line of an EPD or FEN file, a game of a PGN file or a Polyglot book becomes a start position with
//! moves from there, and which of them a pair gets. The choice is a pure function of the file, the order, the seed, the
//! start and the pair's index, so a resumed match plays exactly the openings it would have played. Knows nothing of
//! engines, games or results; the caller is the match runner.

pub(crate) mod config;

pub(crate) use config::OpeningsConfig;

pub(crate) mod book;
pub(crate) mod line;
mod pgn;
mod polyglot;

pub use book::{BookError, Format, OpeningBook, Order};
pub(crate) use line::Opening;
