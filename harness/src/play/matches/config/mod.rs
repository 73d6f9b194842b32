//! The configuration of `harness match`, `sprt`, `tune` and `screen`.
//!
//! A file is validated once, together with the arguments of the command line. The result is a
//! [`MatchConfig`], which is the identity of the run, and an [`Execution`], which is not.

mod match_config;
mod output;
mod raw;
mod scale_clock;
mod screen;
pub(crate) mod stage;
pub(crate) mod stages;
#[cfg(test)]
mod tests;
mod tune;

pub use match_config::{Affinity, Execution, ExecutionArgs, MatchConfig, PgnField, RunKind};
pub(crate) use output::OutputConfig;
pub use raw::LoadedMatch;
pub(crate) use raw::{MATCH_FILE, SCREEN_FILE, TUNE_FILE, validate_games};
pub(crate) use screen::{ScreenConfig, ScreenValue};
pub(crate) use tune::{TuneConfig, TuneParameter};
