//! Matches, statistics and benchmarks for UCI engines.
