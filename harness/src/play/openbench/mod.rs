//! Export to and import from `OpenBench`, the distributed testing framework for engines.
//!
//! [`export()`] converts a match to the fields of its forms. [`import()`] computes statistics from
//! the games it played.

pub(crate) mod command;

mod export;
mod import;

pub use export::{ExportError, Exported, export};
pub use import::{ImportError, ImportedMatch, PlayedGame, import, read_games};
