//! `harness bench`: compares engines on fixed positions in nodes, time, speed, branching factor and
//! first-move cutoffs.
//!
//! [`crate::measure::searches`] runs the searches, in rotating order. `summary` computes the
//! ratios and their intervals. The first engine may be measured a second time as a
//! control: the ratio between the two runs of one program shows the noise of the machine, and
//! smaller differences are not reported as differences. `command` is the caller.

pub(crate) mod command;
pub(crate) mod config;
mod report;
mod summary;

pub use config::BenchConfig;
pub(crate) use config::{BenchMeasure, BenchTarget};
pub(crate) use report::bench_report;
pub(crate) use summary::{BenchEngine, BenchSummary, Difference, EngineComparison, Job, Quantity};
