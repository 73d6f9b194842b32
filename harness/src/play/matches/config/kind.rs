//! The four kinds of run that share the configuration of a match.

use serde::{Deserialize, Serialize};

/// The kind of a run, which decides when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A sequential test, which ends when a bound is crossed.
    Sprt,
    /// A fixed number of games.
    Match,
    /// A fixed number of games of an engine against itself, whose tuned parameters change from pair
    /// to pair.
    Tune,
    /// A fixed number of games of an engine against itself, with other settings in each pair.
    Screen,
}

impl RunKind {
    /// Returns the word used in folder names and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sprt => "sprt",
            Self::Match => "match",
            Self::Tune => "tune",
            Self::Screen => "screen",
        }
    }

    /// Whether the games compare the engines. In a tuning or screening the two sides are one engine with
    /// other options in every pair, so a score of the first side over all pairs means nothing.
    pub(crate) fn compares_engines(self) -> bool {
        matches!(self, Self::Sprt | Self::Match)
    }

    /// Returns the noun used in messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Sprt => "test",
            Self::Match => "match",
            Self::Tune => "tuning",
            Self::Screen => "screening",
        }
    }

    /// Returns the description of the engine in messages if the run has one engine only, which plays
    /// against itself.
    pub(super) fn single_engine(self) -> Option<&'static str> {
        match self {
            Self::Sprt | Self::Match => None,
            Self::Tune => Some("to tune"),
            Self::Screen => Some("to screen"),
        }
    }
}
