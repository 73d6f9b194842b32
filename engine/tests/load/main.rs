//! The search where it is hardest to be right: whole games, mates, draws that are easily overlooked, and positions that are
//! hardly ever seen. Assertions are on, as in every test.

#[path = "../common/mod.rs"]
mod common;
#[path = "../data/mod.rs"]
mod data;

mod extremes;
mod games;
mod mates;
mod rules;
mod traps;
