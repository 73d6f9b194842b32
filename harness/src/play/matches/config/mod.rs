//! The configuration of `harness match`, `sprt`, `tune` and `screen`.
//!
//! A file is validated once, together with the arguments of the command line. The result is a
//! [`MatchConfig`], which is the identity of the run, and an [`Execution`], which is not.

mod execution;
mod kind;
mod match_config;
mod output;
mod raw;
mod screen;
#[cfg(test)]
mod tests;
mod tune;
mod validate;

pub use execution::ExecutionArgs;
pub use execution::{Affinity, Execution};
pub use kind::RunKind;
pub use match_config::{MatchConfig, PgnField};
pub(crate) use output::{OutputConfig, OutputFile};
pub use raw::LoadedMatch;
pub(crate) use raw::file_kind;
pub(crate) use screen::{ScreenConfig, ScreenValue};
pub(crate) use tune::{TuneConfig, TuneParameter};
pub(crate) use validate::validate_games;
