//! The slot layouts of a cluster.

use std::fmt;

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
