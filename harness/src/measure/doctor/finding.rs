//! The result of a check.

use std::fmt;

use serde::Serialize;

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
    pub(super) fn good(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Good, message: message.into() }
    }

    pub(super) fn note(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Note, message: message.into() }
    }

    pub(super) fn bad(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Bad, message: message.into() }
    }

    /// Returns the finding as it is, or where the figure `is_poor` with this severity and advice.
    pub(super) fn unless(self, is_poor: bool, severity: Severity, advice: &str) -> Self {
        if is_poor { Self { severity, message: self.message + advice, ..self } } else { self }
    }
}

impl fmt::Display for Finding {
    /// Formats one line; further lines of the description are indented below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.replace('\n', &format!("\n{:31}", ""));
        write!(f, "  {:4}  {:22} {message}", self.severity, self.check)
    }
}
