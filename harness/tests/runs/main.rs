//! The harness as its users run it: every command, resumption, faults, reports.
//!
//! One program for all of them, because linking each file on its own would take most of the build.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "test helpers may panic, and start programs"
)]

#[path = "../common/mod.rs"]
mod common;

mod ablate;
mod audits;
mod bench;
mod blocks;
mod builds;
mod command_line;
mod equivalence;
mod fastchess_output;
mod faults;
mod games;
mod limits;
mod openbench;
mod opening_books;
mod pvs;
mod queue;
mod real_engine;
mod report;
mod resume;
mod same_engine;
mod scale_clock;
mod screen;
mod smp;
mod sprt;
mod stages;
mod suite;
mod tools;
mod tournament;
mod tune;
mod watch;
