//! The generator of everything the harness draws, which is the engine's: a seed means the same order of openings in
//! every version and on every machine.

pub use stretto::types::SplitMix64;
