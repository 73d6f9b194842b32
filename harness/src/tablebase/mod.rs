//! Makes endgame tables by working backwards from the ends of games, and checks them.
//!
//! `board` knows the men of one position and how they move, `steps` the same for all squares of the last man at once;
//! `link` how a capture or promotion leads to another table, `conversions`, `pawn_moves` and `passing` what moves are
//! worth that leave the table, end the count or may be answered in passing; `generate` is the retrograde analysis;
//! `follow` computes every value again from its successors for `verify` and for `file`, which writes and reads tables,
//! and `statistics` counts; `syzygy` compares with other people's tables. The index of a table is the engine's. The
//! caller is the command line.

mod board;
mod codes;
mod conversions;
mod fen;
mod file;
mod follow;
mod generate;
mod link;
mod passing;
mod pawn_moves;
mod statistics;
mod steps;
mod syzygy;
mod table;
mod verify;
mod worth;

#[cfg(test)]
mod tests;

pub use fen::fen;
pub use file::{ReadError, StoredSides, check_file, from_table, stored_sides, to_bytes, to_near_bytes};
pub use generate::{GenerateError, generate, generate_releasing};
pub use statistics::{SideStatistics, Statistics, statistics};
pub use syzygy::{Compared, Syzygy, SyzygyCompareError};
pub use table::{Table, Tables};
pub use verify::{Mismatch, verify};
