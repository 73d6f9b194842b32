//! The search as a whole: mates, stopped searches, switches and tunables.
//!
//! One program for all of them, because each one is linked with the whole engine.

#[path = "../common/mod.rs"]
mod common;
#[path = "../data/mod.rs"]
mod data;

mod analysis;
mod mates;
mod switches;
