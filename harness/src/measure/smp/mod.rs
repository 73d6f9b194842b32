//! `harness smp`: measures engines at several numbers of threads, in nodes and time to depth or in
//! nodes per second.
//!
//! [`crate::measure::searches`] runs the searches and `summary` computes the speedups. `command` is
//! the caller.

pub(crate) mod command;
pub(crate) mod config;
mod report;
mod summary;

pub use config::SmpConfig;
pub(crate) use report::smp_report;
pub(crate) use summary::{Cell, EngineCurve, Job, Latency, SmpSummary};
