//! Start positions of training games: random plies, opening files, Chess960 and random endings.
//!
//! `config` is the schema with its defaults, `ending` places the pieces of an ending, and `starts` draws the start of
//! a game. A start depends on the random numbers of its game only. Whether it is balanced is decided
//! by the first search of the game, in `play`.

mod config;
mod ending;
mod starts;

pub(super) use config::Openings;
pub(super) use starts::Starts;
