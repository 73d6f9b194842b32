//! The referee: chess rules by shakmaty, clocks, adjudication and the assignment of faults.
//!
//! The referee trusts no engine: a move counts only if it is legal and in time. Its caller is the
//! match worker, which provides two ready engines and records the result.

mod adjudicate;
mod board;
mod clock;
mod game;
mod pv;
mod tablebase;

pub use board::Board;
pub(crate) use clock::Clock;
pub(crate) use game::{Contestant, MatchRules, PlayedGame, play_game};
pub(crate) use tablebase::Tables;
