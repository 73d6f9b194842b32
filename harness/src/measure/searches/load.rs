//! The threads or processes that search a position: [`Load`].

use std::fmt;
use std::num::NonZeroU32;

use crate::base::wording::counted;
use crate::config::EngineOption;

/// The number of threads or processes of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// The number of threads set by the engine's options.
    AsConfigured,
    /// This number of threads in one process.
    Threads(NonZeroU32),
    /// This number of single-threaded processes, which search the same position at the same time.
    /// Their total speed is a reference for as many threads on this machine.
    Processes(NonZeroU32),
}

impl Load {
    /// Returns the total number of threads; 0 for [`Self::AsConfigured`].
    pub(crate) fn threads(self) -> u32 {
        match self {
            Self::AsConfigured => 0,
            Self::Threads(count) | Self::Processes(count) => count.get(),
        }
    }

    /// Whether each thread is a process of its own.
    pub(crate) fn is_separate(self) -> bool {
        matches!(self, Self::Processes(_))
    }

    /// Returns the number of processes.
    pub(super) fn processes(self) -> usize {
        match self {
            Self::AsConfigured | Self::Threads(_) => 1,
            Self::Processes(count) => count.get() as usize,
        }
    }

    /// Returns the value of the option `Threads` in each process; `None` leaves it unchanged.
    pub(super) fn threads_of_each(self) -> Option<u32> {
        match self {
            Self::AsConfigured => None,
            Self::Threads(count) => Some(count.get()),
            Self::Processes(_) => Some(1),
        }
    }
}

/// Formats a suffix for the engine's name: nothing, ` with 1 thread` or ` in 4 processes`.
impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsConfigured => Ok(()),
            Self::Threads(count) => write!(f, " with {}", counted(count.get() as usize, "thread")),
            Self::Processes(count) => write!(f, " in {}", counted(count.get() as usize, "process")),
        }
    }
}

/// Returns the option that sets the number of search threads.
pub(super) fn threads_option(threads: u32) -> EngineOption {
    EngineOption { name: "Threads".to_owned(), value: Some(threads.to_string()) }
}
