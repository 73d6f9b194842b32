//! The operating system: everything that differs between Linux, other Unix systems and Windows.
//!
//! | subject | Linux | other Unix | Windows |
//! |---|---|---|---|
//! | `group`: an engine and its children end together | process group | process group | job object |
//! | `launch`: engines die with the harness | death signal | they see the end of their input | job object |
//! | `streams`: pipes with deadlines | `poll` | `poll` | a thread for each pipe |
//! | `affinity`: pinning, topology | yes | no | no |
//! | `processor_time`, `open_files` of an engine | clocks of its processes, `/proc` | not measured | not measured |
//! | `steal_time`, `other_load` | `/proc` | not measured | not measured |
//! | `control_group`: limits of CPU time and memory | `/sys` | no | no |
//!
//! A value that a system does not report is `None`, never zero.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs"))]

pub mod affinity;
#[cfg(unix)]
mod busy;
pub mod control_group;
pub mod files;
pub mod group;
pub mod host;
pub mod launch;
pub mod other_load;
mod proc;
#[cfg(unix)]
mod processor_time;
pub mod signals;
pub mod steal_time;
pub mod streams;
