//! An iterator over the games of a PGN file with their number and line.
//!
//! A [`GameBuilder`] decides how a game is represented; most callers use [`FinishedGame`]. A game ends at its result,
//! at a tag after its moves, and at a tag that it has already. It also ends where move numbers begin again and at the end
//! of the file. Blank lines mean nothing. `docs/formats.md` lists the differences to python-chess.

mod draft;
mod finished;
mod games;
mod lines;
mod token;

pub use self::draft::GameBuilder;
pub use self::finished::{FinishedGame, RecordedMove};
pub use self::games::{Games, is_pgn};
pub use self::lines::{BadGame, NextGame};
pub use self::token::half_points;
pub(crate) use self::token::{agreed, check_variant, is_movetext, san};
