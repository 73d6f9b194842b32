//! Tests of the `stretto` binary as a process, with valid and invalid input.

#![allow(clippy::disallowed_methods, reason = "tests start the engine")]

mod book;
mod clock;
mod commandline;
mod compliance;
#[path = "../data/mod.rs"]
mod data;
mod driver;
mod faults;
mod input;
mod machine;
mod openbench;
mod published;
mod rules;
mod searching;
mod soak;
mod strength;
mod tables;
