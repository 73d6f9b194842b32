//! The workshop as its users run it: books, tables, networks, the evaluation tuner, claims.
//!
//! One program for all of them, because linking each file on its own would take most of the build.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "test helpers may panic, and start programs"
)]

#[path = "../../../harness/tests/common/mod.rs"]
mod common;

mod books;
mod network;
mod openings;
mod pgn_files;
mod tables;
mod tune_eval;
