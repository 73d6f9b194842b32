//! A cache line of the table, and the ways its slots may be laid out.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::dense::Dense;
use super::pairs::Pairs;
use super::record::Packed;
use super::storage::LINE;
use crate::sync::atomic::AtomicU64;
use crate::types::Key;

/// The words of a cluster.
pub(super) type Line = [AtomicU64; LINE];

/// How the slots of a cluster are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Four slots of two words, the whole key vouched for.
    #[default]
    Pairs,
    /// Six slots of a word and 21 bits to vouch for it.
    Dense,
}

/// The text names no layout.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{token}' is not a layout of the hash table; there are pairs, dense")]
pub struct UnknownLayout {
    /// The text.
    pub token: String,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Self; 2] = [Self::Pairs, Self::Dense];

    /// As options and configurations spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Dense => "dense",
        }
    }

    /// Slots in a cluster.
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

/// A cluster read in one layout. Slots are read and written by any number of threads at once.
pub(super) trait Cluster<'a>: Copy {
    /// How many slots there are.
    const SLOTS: usize;

    /// The cluster in these words.
    fn of(line: &'a Line) -> Self;

    /// What the slot holds, and whether it vouches that this belongs to `key`. An untouched slot holds the empty word.
    fn read(self, slot: usize, key: Key) -> (Packed, bool);

    /// What the slot holds, whosever it is.
    fn data(self, slot: usize) -> Packed;

    /// Replaces what the slot holds.
    fn write(self, slot: usize, key: Key, data: Packed);
}
