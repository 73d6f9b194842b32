//! Building blocks without knowledge of engines or runs: units, cancellation, errors, the operating system,
//! processors, worker threads, EPD, PGN, and the wording of parser errors.

pub mod cache;
pub mod cancel;
pub mod cpus;
pub mod epd;
pub mod errors;
pub mod pgn;
pub mod programs;
pub mod random;
pub mod start_folder;
pub use stretto_system as system;
pub mod wording;
pub mod workers;

/// Returns whole microseconds; the most that fit for longer times.
pub(crate) fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
