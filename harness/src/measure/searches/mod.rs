//! Searches of fixed positions by engines, as a run of the executor.
//!
//! Every engine searches every position, at every number of threads and in every repetition, each
//! time after `ucinewgame`. Searches that are compared with each other follow each other in time, in
//! an order that rotates ([`SearchOrder`]), so that other load on the machine affects them equally. [`SearchPlay`] does
//! the searches and [`SearchStudy`] reports on them; `smp`, `bench` and `ablate` evaluate them, each as a [`Measurement`].

pub(crate) mod command;
pub(crate) mod config;
pub(crate) mod counted;
mod disturbance;
mod grid;
mod measurement;
mod placement;
mod plan;
mod play;
pub(crate) mod record;
mod study;
mod worker;

pub(crate) use config::SearchesConfig;
pub(crate) use grid::{Cells, Grid, Search, SearchOrder, log_ratios};
pub(crate) use measurement::{Job, Measurement, Outline, SearchSummary, load_positions, stored_positions};
pub(crate) use placement::Load;
pub(crate) use plan::{Plan, refuse_threads};
pub(crate) use play::SearchPlay;
pub(crate) use record::SearchRecord;
pub(crate) use study::{SearchStudy, is_cpu_time_incomplete};
