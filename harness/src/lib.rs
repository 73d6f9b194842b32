//! Matches, statistics and benchmarks for UCI engines.

pub mod stats;
pub mod units;
