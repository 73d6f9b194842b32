//! How many threads search a position, and what they share.

use std::fmt;
use std::num::NonZeroU32;

/// With what an engine searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// As many threads as its options say.
    AsConfigured,
    /// So many threads, which share the search.
    Threads(NonZeroU32),
    /// So many processes of one thread each, which search the same at once and share nothing but the machine: the most
    /// that so many threads could do on it if sharing cost nothing.
    Apart(NonZeroU32),
}

impl Load {
    /// All threads; 0 where nobody says.
    pub fn threads(self) -> u32 {
        match self {
            Self::AsConfigured => 0,
            Self::Threads(count) | Self::Apart(count) => count.get(),
        }
    }

    /// Are they processes of their own?
    pub fn is_apart(self) -> bool {
        matches!(self, Self::Apart(_))
    }

    /// Processes it takes.
    pub(super) fn processes(self) -> usize {
        match self {
            Self::AsConfigured | Self::Threads(_) => 1,
            Self::Apart(count) => count.get() as usize,
        }
    }

    /// What the option `Threads` of each process is set to; `None` leaves it as it is.
    pub(super) fn threads_of_each(self) -> Option<u32> {
        match self {
            Self::AsConfigured => None,
            Self::Threads(count) => Some(count.get()),
            Self::Apart(_) => Some(1),
        }
    }
}

/// As it follows the name of an engine: nothing, ` with 4 threads`, ` in 4 processes`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsConfigured => Ok(()),
            Self::Threads(count) => write!(f, " with {count} threads"),
            Self::Apart(count) => write!(f, " in {count} processes"),
        }
    }
}
