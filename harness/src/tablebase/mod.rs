//! Makes endgame tables by working backwards from the ends of games, and checks them.
//!
//! `board` knows the men of one position and how they move, forwards and back; `link` how a capture or promotion leads to
//! another table; `generate` the retrograde analysis; `verify` computes every value again from its successors, and
//! `statistics` counts. The index of a table is the engine's. The caller is the command line.

mod board;
mod codes;
mod generate;
mod link;
mod statistics;
mod table;
mod verify;

#[cfg(test)]
mod tests;

pub use generate::{GenerateError, Metric, generate};
pub use statistics::{SideStatistics, Statistics, statistics};
pub use table::{Table, Tables};
pub use verify::{Mismatch, verify};
