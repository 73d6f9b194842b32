//! What networks are trained on: games the engine played against itself, and the positions taken from them.
//!
//! `games` are what is kept, six bytes a position, in a layout that other engines' tools read; a `sample` is one
//! position as the trainer wants it. Callers are `datagen`, which writes games, and `train`.

mod games;
mod inspect;
mod packed;
mod prospect;
mod sample;

pub use games::{GameFileError, GameReader, PlayedGame, half_points_of};
pub use inspect::Inspection;
pub use packed::{PACKED, pack, unpack};
pub use prospect::Prospect;
pub use sample::{Filter, SAMPLE, Sample};
