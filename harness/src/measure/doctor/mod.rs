//! Is this machine fit to measure on, and does an engine keep to UCI? Findings in words that say what to do.
//!
//! `machine` looks at timers, processors and the disk, `engine` puts an engine through the situations in which engines fail
//! in matches. Both only measure and ask; what is bad enough to stop is for the reader to say, or for `--strict`.

pub(crate) mod command;

mod engine;
mod machine;

use std::fmt;

use serde::Serialize;

pub use engine::examine_engine;
pub use machine::examine_machine;

/// How a finding is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Will harm measurements or lose games.
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

/// What one examination has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    #[serde(rename = "check")]
    pub what: &'static str,
    /// How it is.
    pub grade: Grade,
    /// In words.
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
    /// One line, or more where the words have several, set in under the first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words.replace('\n', &format!("\n{:31}", ""));
        write!(f, "  {:4}  {:22} {words}", self.grade, self.what)
    }
}
