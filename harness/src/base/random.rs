//! The random generator of the harness, which is the engine's: a seed gives the same sequence in
//! every version and on every machine.

pub use stretto::types::SplitMix64;
