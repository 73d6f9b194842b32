//! The neural network evaluation, an efficiently updatable neural network (NNUE).
//!
//! ```text
//! 3072 inputs, side to move ──► H neurons ─┐
//!        (shared weights)                  ├─► squared clipped ReLU ─► one of 8 outputs ─► cp
//! 3072 inputs, other side   ──► H neurons ─┘
//! ```
//!
//! A feature is a piece on a square as seen by one side with its king in one of four areas
//! (`features`). The first layer is a sum of
//! one row per piece, so a move changes few rows (`accumulators`). The second layer is a dot
//! product, with weights selected by the number of pieces. All arithmetic is in integers, with
//! units of 1/255 in the first layer and 1/64 in the second. `kernels` implements the arithmetic,
//! `weights` and `file` define the stored data. Training is part of the workshop.
//!
//! Sources: efficiently updatable networks are from Y. Nasu's shogi engine (2018). Two mirrored
//! perspectives, squared activation and output buckets by piece count are common in small networks.

mod accumulators;
mod features;
mod file;
mod inference;
mod kernels;
mod rows;
mod weights;

#[cfg(test)]
mod tests;

pub use accumulators::Accumulators;
pub use features::{FEATURES, KING_BUCKETS, View};
pub use file::{Fault, NetworkError};
pub use inference::Network;
pub use kernels::{HIDDEN_MULTIPLE, Kernels};
pub use weights::{BUCKETS, HIDDEN_ONE, MAX_HIDDEN, OUTPUT_ONE, Weights, bucket};
