//! Configuration: YAML files are parsed into raw structs and validated into structs without invalid
//! states. Where both would have the same fields, one struct is read, checked and stored in manifests.
//!
//! Every error has file, line, column and path of the field. Relative files are searched beside the
//! configuration. Callers are the commands and, for resuming, the manifest of a run.

mod absolute;
pub mod command;
mod defaults;
pub mod engine;
pub mod git;
pub mod limits;
pub mod locate;
pub mod overrides;
pub mod schema;
pub mod seconds;
pub mod source;
pub mod watchdog;

pub(crate) use defaults::{thousandths, yes};
pub(crate) use engine::{EngineConfig, EngineOption, NODESTIME};
pub(crate) use git::GitBuild;
pub use limits::{Limits, Stage, TimeControl, Variant};
pub use locate::FieldPath;
#[cfg(test)]
pub(crate) use source::source_beside;
pub use source::{ConfigError, Problem, Source};
pub use watchdog::Watchdog;
