//! Building blocks without knowledge of engines or runs: units, cancellation, processors, worker
//! threads, EPD and PGN.

pub mod cancel;
pub mod cpus;
pub mod epd;
pub mod other_load;
pub mod pgn;
pub mod random;
pub mod steal_time;
pub mod units;
pub mod workers;
