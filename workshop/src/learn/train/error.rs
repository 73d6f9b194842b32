//! The error type of training: [`TrainError`].

use std::path::{Path, PathBuf};

use stretto::eval::network::{Fault, NetworkError};
use stretto::tablebase::{OpenError, TableError};
use thiserror::Error;

use super::CheckpointError;
use super::model::{Cut, WEIGHT_LIMIT};
use crate::learn::data::GameFileError;
use stretto_harness::base::wording::counted;

/// Advice on a shard of a run whose folder is kept.
const WRITE_AGAIN: &str = "; delete the folder `shards` of the run, --resume writes it again";

/// An error that ends a training.
#[derive(Debug, Error)]
pub(crate) enum TrainError {
    /// A file of games cannot be read.
    #[error("{}: {error}", file.display())]
    Games { file: PathBuf, error: GameFileError },
    /// The endgame tables cannot be opened.
    #[error("`tables`: {0}")]
    Tables(#[from] OpenError),
    /// An endgame table is damaged.
    #[error("`tables`: {0}")]
    Table(#[from] TableError),
    /// There are no training or no validation positions.
    #[error(
        "{positions} training and {validation} validation positions: expected at least one of each, add more games"
    )]
    TooFew { positions: usize, validation: usize },
    /// A shard of positions cannot be written or read.
    #[error("{}: {what}{advice}", path.display())]
    Shard {
        /// Path of the shard or of their folder.
        path: PathBuf,
        /// Description of the error.
        what: String,
        /// Advice on continuing the run; empty if its folder is deleted.
        advice: &'static str,
    },
    /// The checkpoint to go on from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(rayon::ThreadPoolBuildError),
    /// The initial network cannot be read.
    #[error(transparent)]
    From(#[from] NetworkError),
    /// The initial network has more neurons than the configuration.
    #[error("{}: has {found} neurons per side, expected at most {hidden} (`hidden`)", file.display())]
    Wide { file: PathBuf, found: usize, hidden: usize },
    /// Training would cut weights of the initial network.
    #[error("{scale}: {} of {} would be cut at {WEIGHT_LIMIT}; expected {}", counted(cut.count, "weight"), file.display(), cut.expected())]
    Cut { file: PathBuf, scale: f64, cut: Cut },
    /// The quantised weights are out of range.
    #[error(
        "cannot quantise the weights: {0}; expected fewer neurons (`hidden`), a smaller `scale` or more `decay`"
    )]
    Network(#[from] Fault),
    /// Stopped while the games were read.
    #[error("stopped on request")]
    Cancelled,
}

impl TrainError {
    /// Returns the error for a shard that cannot be written or read.
    pub(super) fn shard(path: &Path, what: String) -> Self {
        Self::Shard { path: path.to_path_buf(), what, advice: "" }
    }

    /// Returns the error in a run whose folder is kept: its shards can be written again.
    pub(super) fn in_kept_run(self) -> Self {
        match self {
            Self::Shard { path, what, .. } => Self::Shard { path, what, advice: WRITE_AGAIN },
            other => other,
        }
    }
}
