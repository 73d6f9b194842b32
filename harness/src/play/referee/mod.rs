//! The referee: chess rules by shakmaty, clocks, adjudication, and whose fault it was when a game breaks off.
//!
//! Engines are told nothing that the rules do not need, and are believed nothing: a move counts when it is legal and
//! came in time. Its caller is the runner, which provides two engines that are ready and keeps the result.

mod adjudicate;
mod board;
mod clock;
mod game;
mod tablebase;

pub use board::Board;
pub(crate) use board::OpeningError;
pub(crate) use clock::go_command;
pub(crate) use game::{MatchRules, PlayedGame, Seat, Unfinished, play_game};
pub(crate) use tablebase::Tables;
