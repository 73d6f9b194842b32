//! Errors of `workshop openings`.

use thiserror::Error;

use stretto_harness::base::workers::SpawnError;
use stretto_harness::uci::UciError;

/// The reason why no set was created.
#[derive(Debug, Error)]
pub(crate) enum OpeningMakerError {
    /// The evaluating engine failed.
    #[error("the engine failed: {error}\n{dialogue}")]
    Engine {
        /// The failure of the process or its protocol.
        error: UciError,
        /// The UCI dialogue up to the failure.
        dialogue: String,
    },
    /// The engine reported no score.
    #[error("the engine gave no score for {epd}")]
    NoScore {
        /// EPD of the position.
        epd: String,
    },
    /// Too few candidates have a score in the window.
    #[error(
        "only {found} of {wanted} openings after {tried} candidates: allow more plies or a wider range of scores"
    )]
    TooFew {
        /// Number of openings with a score in the window.
        found: usize,
        /// Number of openings in the configuration.
        wanted: usize,
        /// Number of candidates that the engine scored.
        tried: u64,
    },
    /// No worker thread could be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Cancellation was requested; nothing is written.
    #[error("stopped on request")]
    Cancelled,
}
