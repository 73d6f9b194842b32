//! The configuration of `harness match`, `sprt`, `tune` and `screen`.
//!
//! A file is validated once, together with the arguments of the command line. The result is a
//! [`MatchConfig`], which is the identity of the run, and an [`Execution`], which is not.

mod execution;
mod kind;
mod match_config;
mod raw;
mod screen;
#[cfg(test)]
mod tests;
mod tune;
mod validate;

pub use execution::{Affinity, Execution, ExecutionArgs};
pub use kind::RunKind;
pub use match_config::{MatchConfig, PgnField};
pub(crate) use raw::FILES;
pub use raw::LoadedMatch;
pub use screen::{ScreenConfig, ScreenValue};
pub use tune::{TuneConfig, TuneParameter};
pub(crate) use validate::validate_games;
