//! Openings: the start positions of pairs of games.
//!
//! Openings come from EPD, FEN or PGN files or from a Polyglot book. The opening of a pair is a pure
//! function of the file, order, seed, start and the pair's index. A resumed match therefore plays the
//! same openings. The module knows no engines, games or results; its caller is the match runner.

pub(crate) mod config;

pub(crate) use config::OpeningsConfig;

pub(crate) mod book;
pub(crate) mod line;
mod pgn;
mod polyglot;

pub use book::{Format, OpeningBook, Order};
pub use line::Opening;
pub use pgn::read_games;
