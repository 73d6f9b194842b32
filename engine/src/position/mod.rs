//! The rules of chess: positions, legal moves, and their text formats.
//!
//! A [`Position`] is a value: playing a move yields a new one (copy-make), so moves are never
//! undone. Standard chess, Chess960 and double Chess960 share one representation, in which castling
//! is the king taking its own rook; only the text of a move differs. Every position from this
//! module is valid (one king per side, the opponent's king not attacked), because only the FEN
//! parser and legal moves create positions. The module knows neither search nor evaluation;
//! `search`, `eval` and `uci` are its callers.

mod board;
mod checks;
mod cycle;
mod fen;
mod game;
mod generate;
mod legality;
mod lesser_attacks;
mod list;
mod perft;
mod play;
mod san;
mod see;
mod start;
mod state;
mod text;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;

pub use checks::{CheckSquares, direct_check_squares};
pub use fen::{FenDialect, FenError};
pub use game::Game;
pub use lesser_attacks::LesserAttacks;
pub use list::{MAX_MOVES, MoveList};
pub use perft::{divide, perft};
pub use see::see_value;
pub use state::{Position, Wing};
pub use text::MoveTextError;
