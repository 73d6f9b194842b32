//! How far a run has come.

use serde::Serialize;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunState {
    /// Games are being played.
    Running,
    /// Stopped on request; can be resumed.
    Interrupted,
    /// Stopped by an error; can be resumed.
    Failed,
    /// Nothing is left to play.
    Finished,
}

impl RunState {
    /// For people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "not finished",
            Self::Failed => "failed",
            Self::Finished => "finished",
        }
    }
}
