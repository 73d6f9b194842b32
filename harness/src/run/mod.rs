//! The folder of a run under `results/runs/`: manifest, journal, games, summary, faults, and the
//! lock.
//!
//! The journal, of games or of positions, is the truth; games and summary are made from it again
//! whenever a run is resumed. Nothing written here is ever half there. It knows nothing of engines
//! at work. [`executor`] carries out every kind of run; [`stored`] reads a run folder for a report.
//! Callers are the kinds of runs and the command line.

mod args;
pub(crate) mod command;
pub(crate) mod console;
pub(crate) mod executor;
mod folder;
mod journal;
mod manifest;
pub(crate) mod overview;
pub(crate) mod quick;
pub(crate) mod session;
pub(crate) mod shard;
pub(crate) mod shipped;
mod state;
pub(crate) mod stored;
pub(crate) mod threads;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub(crate) use folder::{AtomicFile, RunFolder, write_atomically};
pub use journal::read_journal;
pub(crate) use journal::{Entry, Journal};
pub(crate) use manifest::{EngineIdentity, FileHash, Host, Manifest, hash_file};
pub(crate) use manifest::{hash_reader, utc_date_time};
pub(crate) use state::RunState;

/// Why the store refused or failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused: full disk, missing rights.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// Another process works on the folder.
    #[error("{} is in use by another harness", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A new run was to be started where one is.
    #[error("{} holds a run already; resume it with --resume, or choose another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A run was to be resumed where none is.
    #[error("{} holds no run (no manifest.yaml)", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// The journal or manifest does not read.
    #[error("{}:{line}: damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What was found.
        what: String,
    },
}

impl StoreError {
    pub(crate) fn io(action: &'static str, path: &Path, error: std::io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), error }
    }
}
