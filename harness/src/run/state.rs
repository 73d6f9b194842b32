//! The state of a run.

use serde::Serialize;

/// State of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Tasks are being executed.
    #[default]
    Running,
    /// Stopped on request; can be resumed.
    Interrupted,
    /// Stopped by an error; can be resumed.
    Failed,
    /// All tasks are complete.
    Finished,
}

impl RunState {
    /// Returns the name for messages and reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "not finished",
            Self::Failed => "failed",
            Self::Finished => "finished",
        }
    }
}
