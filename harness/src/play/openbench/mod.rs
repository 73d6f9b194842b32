//! The way to `OpenBench`, the distributed testing site of engine authors, and back.
//!
//! [`export()`] says a match of ours in the words of its forms; [`import()`] reads the games it has played into our
//! statistics. Knows its forms and files, and nothing of its code.

pub(crate) mod command;

mod export;
mod import;

pub use export::{ExportError, Exported, export};
pub use import::{ImportError, ImportedMatch, PlayedGame, import, read_games};
