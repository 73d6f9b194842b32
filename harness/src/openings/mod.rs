//! Opening books: which position each pair of games starts from.
//!
//! Decides how a line of an EPD or FEN file becomes a legal starting position, and which line a pair gets. The choice is
//! a pure function of the file, the order, the seed, the start and the pair's index, so a resumed match plays exactly
//! the openings it would have played. Knows nothing of engines, games or results; the caller is the match runner.

pub mod book;
pub mod line;
pub mod random;

pub use book::{BookError, OpeningBook, Order};
pub use line::{LineError, Opening};
