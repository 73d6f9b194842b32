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
pub(crate) use machine::examine_machine;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grade {
    /// No problem was found.
    Good,
    /// Information for the user; no failure.
    Note,
    /// Distorts measurements or loses games.
    Bad,
}

impl fmt::Display for Grade {
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
    #[serde(rename = "check")]
    pub what: &'static str,
    /// Severity of the result.
    pub grade: Grade,
    /// Description of the result, with advice.
    #[serde(rename = "message")]
    pub words: String,
}

impl Finding {
    fn good(what: &'static str, words: impl Into<String>) -> Self {
        Self { what, grade: Grade::Good, words: words.into() }
    }

    fn note(what: &'static str, words: impl Into<String>) -> Self {
        Self { what, grade: Grade::Note, words: words.into() }
    }

    fn bad(what: &'static str, words: impl Into<String>) -> Self {
        Self { what, grade: Grade::Bad, words: words.into() }
    }
}

impl fmt::Display for Finding {
    /// Formats one line; further lines of the description are indented below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.replace('\n', &format!("\n{:31}", ""));
        write!(f, "  {:4}  {:22} {words}", self.grade, self.what)
    }
}
