//! Errors that every layer uses: the reason why work stops, and the message on a file.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use anyhow::anyhow;

/// The reason why work ends before it is done. Every error converts into it.
#[derive(Debug)]
pub enum Stop {
    /// A stop was requested.
    Cancelled,
    /// The work cannot go on.
    Fatal(anyhow::Error),
}

impl Display for Stop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("stopped on request"),
            Self::Fatal(error) => write!(f, "{error:#}"),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Fatal(error.into())
    }
}

/// The result of an operation on a file or folder.
pub trait FileResult<T> {
    /// Names the operation (`read`, `write`, …) and the path in the message of an error.
    fn or_cannot(self, action: &str, path: &Path) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> FileResult<T> for Result<T, E> {
    fn or_cannot(self, action: &str, path: &Path) -> anyhow::Result<T> {
        self.map_err(|error| anyhow!("cannot {action} {}: {:#}", path.display(), error.into()))
    }
}
