//! Export to and import from `OpenBench`, the distributed testing framework for engines.
//!
//! [`export()`] converts a match to the fields of its forms. [`import()`] computes statistics from
//! the games it played.

pub(crate) mod command;

mod export;
mod import;
mod left_out;

pub(crate) use export::{Exported, export};
pub(crate) use import::{import, read_games};
