//! Tools for opening books in Polyglot format: create, merge, inspect, learn from results, check by
//! search.
//!
//! The engine (`stretto::book`) defines files, entries and keys. Files are never modified in place:
//! a new file replaces the old one atomically. `make` sorts on disk (`counts`), so its memory use is
//! bounded. `vet`, `info`, `dump`, `learn` and some merges keep the positions that they visit. The
//! callers are the command line and the experiments of `claims`.

pub(crate) mod command;
pub(crate) mod opening_set;

mod build;
mod check;
mod counts;
mod dump;
mod games;
mod info;
mod learn;
mod merge;
mod traverse;
mod write;

pub(crate) use build::{BookBuilder, Colors, MakeOptions};
pub(crate) use check::{CheckOptions, CheckSummary, check_book, prune};
pub use dump::{DumpOptions, dump};
pub use games::read_pgn;
pub(crate) use games::{Played, ReadGame, SourceGame, read_journal_games};
pub(crate) use info::BookInfo;
pub use info::info;
pub(crate) use learn::{LearnedResults, write_learned};
pub(crate) use merge::merge;
pub(crate) use write::{expect_writable, open_checked};
