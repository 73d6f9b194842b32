//! Matches, statistics and benchmarks for UCI engines.

pub mod cancel;
pub mod config;
pub mod random;
pub mod store;
pub mod uci_client;
