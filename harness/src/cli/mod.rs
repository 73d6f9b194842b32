//! The commands of the harness.

#[macro_use]
pub mod program;

mod builds;
mod commands;
mod queue;
pub mod report;
pub mod runs;
pub mod schema;
pub mod shell;
pub mod watch;

pub use commands::{FILES, RUNS, main};
