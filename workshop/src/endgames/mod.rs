//! Generation and verification of endgame tables by retrograde analysis.
//!
//! `board` generates moves of one position, `steps` does the same for all squares of the last piece
//! at once. `link` maps captures and promotions to other tables; `conversions`, `pawn_moves` and
//! `en_passant` evaluate moves that leave the table, are zeroing, or may be answered en passant.
//! `generate` is the retrograde analysis. `lookahead` recomputes every value from its successors
//! for `verify` and for `file`, which encodes and decodes tables. `statistics` counts. `syzygy` and
//! `gaviota` compare with published tables. The engine defines the index of a table. The caller is
//! the command line.

pub(crate) mod command;

mod board;
mod codes;
mod conversions;
mod en_passant;
mod fen;
mod file;
mod gaviota;
mod generate;
mod link;
mod lookahead;
mod pawn_moves;
mod statistics;
mod steps;
mod syzygy;
mod table;
mod value;
mod verify;

#[cfg(test)]
pub(crate) mod made;
#[cfg(test)]
mod tests;

pub(crate) use fen::{fen, fen_of_pieces, placement};
pub(crate) use file::{StoredSides, check_file, from_table, stored_sides, to_bytes, to_near_bytes};
pub(crate) use gaviota::Gaviota;
pub use gaviota::count_illegal;
pub(crate) use generate::{GenerateError, generate, generate_releasing};
pub(crate) use statistics::{Decided, SideStatistics, Statistics, statistics};
pub(crate) use syzygy::Syzygy;
pub(crate) use table::{Table, Tables};
pub(crate) use verify::{TableComparison, verify};
