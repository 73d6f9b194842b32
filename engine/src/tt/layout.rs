//! The slot layouts of a cluster.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::cluster::Cluster;
use super::dense::Dense;
use super::pairs::Pairs;

/// The layout of the slots in a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Four slots of two words, verified by the full key. The layout used in play.
    #[default]
    Pairs,
    /// Six slots of one word each, verified by 21 bits of the key. Kept for comparison.
    Dense,
}

/// Error for a text that is not a layout name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown hash table layout '{token}': expected pairs or dense")]
pub struct UnknownLayout {
    /// The rejected text.
    pub token: String,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Self; 2] = [Self::Pairs, Self::Dense];

    /// Returns the name used in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Dense => "dense",
        }
    }

    /// Returns the number of slots per cluster.
    pub const fn slots(self) -> usize {
        match self {
            Self::Pairs => Pairs::SLOTS,
            Self::Dense => Dense::SLOTS,
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layout {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Self, UnknownLayout> {
        let named = |layout: &Self| text.trim().eq_ignore_ascii_case(layout.name());
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownLayout { token: text.to_owned() })
    }
}
