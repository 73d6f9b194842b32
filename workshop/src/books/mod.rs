//! Tools for opening books in Polyglot format: create, merge, inspect, learn from results, check by
//! search.
//!
//! The engine (`stretto::book`) defines files, entries and keys. Files are never modified in place:
//! a new file replaces the old one atomically. Memory use does not grow with the book, since large
//! data is sorted externally (`counts`). The callers are the command line and the experiments of
//! `claims`.

pub(crate) mod command;
pub(crate) mod opening_set;

mod build;
mod check;
mod counts;
mod dump;
mod games;
mod info;
mod learn;
mod merge;
mod traverse;
mod write;

use std::path::{Path, PathBuf};

use stretto::book::{Book, BookError, BookFault};
use thiserror::Error;

use stretto_harness::run::StoreError;

pub(crate) use build::{BookBuilder, Colors, MakeOptions};
pub(crate) use check::{CheckOptions, CheckSummary, check_book, prune};
pub use dump::{DumpOptions, dump};
pub use games::read_pgn;
pub(crate) use games::{Played, ReadGame, SourceGame, read_journal_games};
pub(crate) use info::BookInfo;
pub use info::info;
pub(crate) use learn::{LearnedResults, write_learned};
pub(crate) use merge::merge;
pub(crate) use write::expect_writable;

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
    fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Io { action, path, error }
    }
}

/// Opens a book and checks that its keys are sorted.
pub(crate) fn open_checked(path: &Path) -> Result<Book, BookToolError> {
    let book = Book::open(path)?;
    let fault = |fault: BookFault| BookError::NoBook { path: path.to_path_buf(), fault };
    book.check_order().map_err(fault)?;
    Ok(book)
}
