//! Matches, statistics and benchmarks for UCI engines.

pub mod openings;
pub mod stats;
pub mod units;
