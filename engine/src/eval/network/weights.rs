//! The weights of a network as they are stored, and the constants of its shape.

use super::kernels;

/// Number of output buckets: weight sets of the second layer, selected by piece count.
pub const BUCKETS: usize = 8;
/// Quantisation unit of the first layer.
pub const HIDDEN_ONE: i32 = kernels::ONE as i32;
/// Quantisation unit of the second layer's weights.
pub const OUTPUT_ONE: i32 = 64;
/// Maximum number of hidden neurons.
pub const MAX_HIDDEN: usize = 4096;

/// Returns the output bucket of a position with this many pieces. Range: below [`BUCKETS`].
#[inline]
pub const fn bucket(pieces: usize) -> usize {
    let bucket = pieces.saturating_sub(2) / 4;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

/// The quantised weights of a network in plain order, as stored in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// First layer by feature, then by neuron. Shape: [`FEATURES`](super::FEATURES) × `hidden`.
    /// Units: 1/[`HIDDEN_ONE`].
    pub rows: Vec<i16>,
    /// Biases of the first layer by neuron. Units: 1/[`HIDDEN_ONE`].
    pub biases: Vec<i16>,
    /// Second layer by bucket, the mover's neurons first. Shape: [`BUCKETS`] × 2 × `hidden`. Units:
    /// 1/[`OUTPUT_ONE`].
    pub outputs: Vec<i16>,
    /// Biases of the second layer by bucket. Units: 1/([`HIDDEN_ONE`] × [`OUTPUT_ONE`]).
    pub output_biases: [i32; BUCKETS],
    /// Scale of the output. Units: centipawns per output of 1.
    pub scale: i32,
    /// Hash that identifies the training run of the weights.
    pub manifest: [u8; 16],
}
