//! `harness doctor`: checks whether a machine is fit for measurements and an engine follows UCI.
//!
//! `machine` measures timers, processors and the disk. `engine` tests an engine in situations in
//! which engines commonly fail during matches. Each check returns a [`Finding`] with advice.
//! `command` is the caller.

pub(crate) mod command;
mod engine;
mod finding;
mod machine;

pub(crate) use engine::{Subject, examine_engine};
pub(crate) use finding::{Finding, Severity};
pub(crate) use machine::{examine_machine, threads};
