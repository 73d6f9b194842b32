//! Matches, statistics and benchmarks for UCI engines.

pub mod cancel;
pub mod cli;
pub mod config;
pub mod opening_maker;
pub mod openings;
pub mod progress;
pub mod referee;
pub mod runner;
pub mod schedule;
pub mod stats;
pub mod store;
pub mod uci_client;
pub mod units;
pub mod verdict;
