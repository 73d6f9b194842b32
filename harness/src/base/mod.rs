//! Building blocks without knowledge of engines or runs: units, cancellation, the operating system,
//! processors, worker threads, EPD, PGN, and the wording of parser errors.

pub(crate) mod cache;
pub(crate) mod cancel;
pub(crate) mod cpus;
pub mod epd;
pub(crate) mod pgn;
pub(crate) mod random;
pub(crate) mod system;
pub(crate) mod units;
pub(crate) mod wording;
pub(crate) mod workers;
