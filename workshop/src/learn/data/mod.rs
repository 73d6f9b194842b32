//! Training data: self-play games and the positions taken from them.
//!
//! `games` is the stored format of four bytes per move, readable by other engines' tools.
//! A `sample` is one position in the trainer's format. Callers are `datagen`, which writes games,
//! and `train`.

mod games;
mod inspect;
mod packed;
mod sample;
mod target;

#[cfg(test)]
mod oracle_tests;

pub use games::{GameReader, PlayedGame};
pub(crate) use inspect::Inspection;
pub(crate) use sample::SAMPLE;
pub use sample::{Filter, Sample};
pub(crate) use target::Target;
