//! What a run shall do: YAML files read into raw structs, checked, and turned into structs nothing downstream doubts.
//!
//! Every error names file, line, column and the path of the field. Files are found relative to the configuration.
//! Knows nothing of processes or games; callers are the command line and, for resuming, the store's manifest.

pub(crate) mod command;
pub(crate) mod engine;
pub(crate) mod limits;
pub(crate) mod locate;
pub(crate) mod overrides;
mod renamed;
pub(crate) mod schema;
pub(crate) mod seconds;
pub(crate) mod source;
mod variant;
pub(crate) mod watchdog;

pub use engine::{EngineConfig, EngineOption, NODESTIME};
pub use limits::{Limits, Stage, TimeControl, TimeControlError};
pub use locate::FieldPath;
pub(crate) use renamed::with_current_names;
pub use source::{ConfigError, Problem, Source};
pub use variant::Variant;
pub use watchdog::Watchdog;
