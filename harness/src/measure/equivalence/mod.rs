//! `harness equivalence`: measures the node odds at which many threads are as strong as one thread.
//!
//! At each number of threads the engine plays against itself with one thread, at several multiples
//! of its nodes. A weighted line is fitted to the Elo of these matches over the logarithm of the
//! factor. Its root is the equivalence factor. If every thread were as fast as a single one, the
//! speedup at equal strength would be `threads / factor`. `command` is the caller.

pub(crate) mod command;
pub(crate) mod config;
mod report;
mod summary;

pub(crate) use command::EquivalenceRun;
pub use config::EquivalenceConfig;
pub(crate) use report::equivalence_report;
pub(crate) use summary::{EquivalenceSummary, Interval, Level, ThreadValue, trial};
