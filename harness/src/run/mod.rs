//! The folder of a run under `results/runs/`: manifest, journal, games, summary, faults, and the
//! lock.
//!
//! The journal is the authoritative record; games and summary are recomputed from it when a run is
//! resumed. Files are replaced atomically. The module knows nothing of games and searches. [`executor`] carries out every kind of run; [`stored`] reads a run folder for a report.
//! [`builds`] builds engines from commits. Callers are the kinds of runs and the command line.

pub mod args;
pub mod builds;
pub mod check;
pub mod clock_scale;
pub mod command;
pub mod console;
pub mod disturbance;
pub mod executor;
mod folder;
mod git_args;
mod host;
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

pub use args::{MAX_CONCURRENCY, concurrency};
pub use folder::{AtomicFile, RunFolder, write_atomically};
pub use host::Host;
pub(crate) use identity::{AnyConfig, AnyIdentity};
pub use identity::{
    EngineIdentity, FileHash, FileHashes, FilesBefore, Identity, RunEngines, RunFiles, hash_file, hash_reader,
};
pub use journal::{Entry, Journal, check_version, damaged, read_journal};
pub(crate) use journal::{read_places, read_record};
pub use manifest::{EngineSizes, Manifest, utc};
pub use state::RunState;
