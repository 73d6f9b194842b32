//! The search: from a [`Job`] to a move.
//!
//! Each thread of the pool calls [`run()`] with its [`Worker`]. `driver` holds the tree searches,
//! `heuristics` the pruning, extension, reduction and ordering rules; `switches` and `params` list
//! what can be turned off or tuned. The caller is `engine`, which builds the job. Events go to the
//! job's sink: nothing here prints.

mod context;
mod draw;
mod driver;
pub mod driver_kind;
pub mod events;
#[cfg(test)]
mod fixture;
mod heuristics;
mod job;
pub mod limits;
mod node_types;
pub mod params;
mod picker;
mod quiescence;
mod root_moves;
mod run;
mod shared_tables;
mod stack;
mod stopping;
mod switch_table;
pub mod switches;
mod tablebases;
pub mod time;
mod tt_access;
mod worker;

pub use job::{Job, Teamwork};
pub use run::run;
pub use worker::Worker;

pub(crate) use job::Counter;
pub(crate) use shared_tables::SharedTables;
pub(crate) use stopping::FIRST_ITERATION_NODES;
pub(crate) use tablebases::config::TbConfig;
pub(crate) use tablebases::mate_line::MateLines;
