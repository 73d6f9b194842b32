//! Opening books in the Polyglot format: made from games, merged, looked into, taught by results, vetted by a search.
//!
//! Files, entries and keys are the engine's (`stretto::book`); what is here makes new files of them. No file is ever
//! changed in place: a new one takes the old one's, whole. Memory does not grow with the book: what must be sorted is
//! sorted in pieces on disk (`counts`). The caller is the command line; `claims` experiments with the same pieces.

mod counts;
mod dump;
mod games;
mod info;
mod learn;
mod make;
mod merge;
mod vet;
mod walk;
mod write;

use std::path::{Path, PathBuf};

use stretto::book::{Book, BookError, BookFault};
use thiserror::Error;

use crate::store::StoreError;

pub use dump::{DumpOptions, Line, LineEnd, LineMove, dump};
pub use games::{Played, ReadGame, SourceGame, read_journal_games, read_pgn};
pub use info::{BookInfo, info};
pub use learn::{Lessons, Taught, teach};
pub use make::{Colors, MakeOptions, MakeSummary, Maker};
pub use merge::{MergeSummary, merge};
pub use vet::{Flagged, VetOptions, VetSummary, prune, vet};
pub use walk::{Station, Walk};
pub use write::expect_writable;

/// Why a book could not be made, read or written.
#[derive(Debug, Error)]
pub enum BookToolError {
    /// It is no book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The system refuses.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A run's journal does not read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A run's games do not read.
    #[error("{}: {what}", path.display())]
    Run {
        /// The run's folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// No entry is left to write.
    #[error("no entry is left for {}: {why}; nothing was written", path.display())]
    NothingLeft {
        /// The book that was to be written.
        path: PathBuf,
        /// What left none.
        why: String,
    },
    /// The engine's table does not fit into memory.
    #[error(transparent)]
    Memory(#[from] stretto::tt::AllocationError),
    /// A stop was asked for.
    #[error("stopped on request; nothing was written")]
    Cancelled,
}

impl BookToolError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Io { action, path, error }
    }
}

/// Opens a book and checks that all its keys rise: what is built on one with disorder would have it too.
pub fn open_checked(path: &Path) -> Result<Book, BookToolError> {
    let book = Book::open(path)?;
    let fault = |fault: BookFault| BookError::NoBook { path: path.to_path_buf(), fault };
    book.check_order().map_err(fault)?;
    Ok(book)
}
