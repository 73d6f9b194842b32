//! Configuration: YAML files are parsed into raw structs and validated into structs without invalid
//! states.
//!
//! Every error has file, line, column and path of the field. Relative files are searched beside the
//! configuration. Callers are the commands and, for resuming, the manifest of a run.

pub(crate) mod command;
pub(crate) mod engine;
pub(crate) mod git;
pub(crate) mod limits;
pub(crate) mod locate;
pub(crate) mod overrides;
mod renamed;
pub(crate) mod schema;
pub(crate) mod seconds;
pub(crate) mod source;
mod variant;
pub(crate) mod watchdog;

pub(crate) use engine::{EngineConfig, EngineOption, NODESTIME};
pub(crate) use git::GitBuild;
pub(crate) use limits::{Limits, Stage, TimeControl};
pub(crate) use locate::FieldPath;
pub(crate) use renamed::with_current_names;
pub use source::Source;
pub(crate) use source::{ConfigError, Problem};
pub use variant::Variant;
pub(crate) use watchdog::Watchdog;

/// Returns true, the default of a field for serde.
pub(crate) fn yes() -> bool {
    true
}
