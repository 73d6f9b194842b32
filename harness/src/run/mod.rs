//! The folder of a run under `results/runs/`: manifest, journal, games, summary, faults, and the
//! lock.
//!
//! The journal is the authoritative record; games and summary are recomputed from it when a run is
//! resumed. Files are replaced atomically. The module knows nothing of games and searches. [`executor`] carries out every kind of run; [`stored`] reads a run folder for a report.
//! [`builds`] builds engines from commits. Callers are the kinds of runs and the command line.

pub mod args;
pub mod builds;
pub mod command;
pub mod console;
pub mod disturbance;
pub mod executor;
mod folder;
mod git_args;
mod identity;
mod journal;
pub mod live;
mod manifest;
pub mod overview;
pub mod provenance;
pub mod quick;
pub mod reporter;
pub mod session;
pub mod shard;
pub mod shipped;
mod state;
pub mod stored;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use args::{MAX_CONCURRENCY, concurrency};
pub use folder::{AtomicFile, RunFolder, write_atomically};
pub(crate) use identity::{AnyConfig, AnyIdentity};
pub use identity::{EngineIdentity, FileHash, FileHashes, FilesBefore, Identity, RunEngines, RunFiles};
pub use identity::{hash_file, hash_reader};
pub use journal::{Entry, Journal, check_version, read_journal};
pub use manifest::{Host, Manifest, utc_date_time};
pub use state::RunState;

/// Failure to read or write a run folder.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A system call failed, such as for a full disk or missing permissions.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// Verb of the operation, such as `read`.
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// Another process has locked the folder.
    #[error("{} is in use by another harness", path.display())]
    Locked {
        /// Path of the run folder.
        path: PathBuf,
    },
    /// A new run was requested in the folder of an existing run.
    #[error("{} holds a run already; resume it with --resume, or choose another folder", path.display())]
    Exists {
        /// Path of the run folder.
        path: PathBuf,
    },
    /// The folder has a journal and no manifest, which a merge writes last.
    #[error(
        "{} holds a journal but no manifest.yaml, so a merge into it was interrupted; delete the folder, or name another one",
        path.display()
    )]
    JournalOnly {
        /// Path of the folder.
        path: PathBuf,
    },
    /// The folder has no run, but a file that a run would replace.
    #[error(
        "{} already has `{file}`, which the run would replace; move it away, or choose another folder",
        path.display()
    )]
    Occupied {
        /// Path of the folder.
        path: PathBuf,
        /// Name of the file or folder in it.
        file: &'static str,
    },
    /// The folder has no run to resume.
    #[error("{} holds no run (no manifest.yaml)", path.display())]
    NoRun {
        /// Path of the run folder.
        path: PathBuf,
    },
    /// The journal or manifest is damaged.
    #[error("{}:{line}: damaged: {what}", path.display())]
    Damaged {
        /// Path of the damaged file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Description of the damage.
        what: String,
    },
}

impl StoreError {
    /// Returns the error of a system call that was to `action` (read, write, …) a path.
    pub fn io(action: &'static str, path: &Path, error: std::io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), error }
    }
}
