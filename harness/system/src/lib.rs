//! The operating system: everything that differs between Linux, other Unix systems and Windows.
//!
//! | subject | Linux | other Unix | Windows |
//! |---|---|---|---|
//! | `group`: an engine and its children end together | process group | process group | job object |
//! | `launch`: engines die with the harness | death signal | they see the end of their input | job object |
//! | `streams`: pipes with deadlines | `poll` | `poll` | a thread for each pipe |
//! | `processor_time`, `open_files` of an engine | clocks of its processes, `/proc` | not measured | not measured |
//! | `CpuTimes`, `other_load` | `/proc` | not measured | not measured |
//!
//! Processors and limits of memory and CPU time are those of the engine's `machine`. A value that a system does not report is `None`, never zero.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs"))]

#[cfg(unix)]
mod busy;
pub mod files;
pub mod group;
pub mod host;
pub mod launch;
pub mod other_load;
mod proc;
pub use proc::CpuTimes;
#[cfg(unix)]
mod processor_time;
pub mod signals;
pub mod streams;
