//! Errors of the tools for books.

use std::path::{Path, PathBuf};

use stretto::book::BookError;
use thiserror::Error;

use stretto_harness::run::StoreError;

/// The reason why a book could not be created, read or written.
#[derive(Debug, Error)]
pub enum BookToolError {
    /// The file is not a valid book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A file operation failed.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// The attempted operation, as a verb such as `read`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// A file of games has neither a tag pair nor a result at its end.
    #[error("{} is not a PGN file: it has no tag pair such as [Result \"1-0\"]", path.display())]
    NotPgn {
        /// Path of the file.
        path: PathBuf,
    },
    /// A run's journal cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A run's games cannot be read.
    #[error("{}: {what}", path.display())]
    Run {
        /// Folder of the run.
        path: PathBuf,
        /// Description of the error.
        what: String,
    },
    /// No entry is left to write.
    #[error("no entry left for {}: {why}; nothing was written", path.display())]
    NothingLeft {
        /// The book that was to be written.
        path: PathBuf,
        /// The reason why no entry is left.
        why: String,
    },
    /// The hash table does not fit into memory.
    #[error(transparent)]
    Memory(#[from] stretto::tt::AllocationError),
    /// A signal or the caller stopped the work before the book was written.
    #[error("stopped on request; nothing was written")]
    Cancelled,
}

impl BookToolError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Io { action, path, error }
    }
}
