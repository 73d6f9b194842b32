//! `harness doctor`: checks whether a machine is fit for measurements and an engine follows UCI.
//!
//! `machine` measures timers, processors and the disk. `engine` tests an engine in situations in
//! which engines commonly fail during matches. Each check returns a [`Finding`] with advice.
//! `command` is the caller.

pub(crate) mod command;

mod engine;
mod machine;

use std::fmt;

use serde::Serialize;

pub(crate) use engine::examine_engine;
pub(crate) use machine::{examine_machine, threads};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Severity {
    /// No problem was found.
    Good,
    /// Information for the user; no failure.
    Note,
    /// Distorts measurements or loses games.
    Bad,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Bad => "BAD",
        })
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// Severity of the result.
    #[serde(rename = "grade")]
    pub severity: Severity,
    /// Description of the result, with advice.
    pub message: String,
}

impl Finding {
    fn good(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Good, message: message.into() }
    }

    fn note(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Note, message: message.into() }
    }

    fn bad(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Bad, message: message.into() }
    }
}

impl fmt::Display for Finding {
    /// Formats one line; further lines of the description are indented below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.replace('\n', &format!("\n{:31}", ""));
        write!(f, "  {:4}  {:22} {message}", self.severity, self.check)
    }
}
