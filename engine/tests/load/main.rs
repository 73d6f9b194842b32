//! Stress tests of the search with assertions enabled: whole games, mates, subtle draws and unusual
//! positions.

#[path = "../common/mod.rs"]
mod common;
#[path = "../data/mod.rs"]
mod data;

mod extremes;
mod games;
mod mates;
mod rules;
mod traps;
