//! The neural network evaluation, an efficiently updatable neural network (NNUE).
//!
//! ```text
//! 768 inputs, side to move  ──► H neurons ─┐
//!        (shared weights)                  ├─► squared clipped ReLU ─► one of 8 outputs ─► cp
//! 768 inputs, other side    ──► H neurons ─┘
//! ```
//!
//! A feature is a piece on a square as seen by one side (`features`). The first layer is a sum of
//! one row per piece, so a move changes few rows (`accumulators`). The second layer is a dot
//! product, with weights selected by the number of pieces. All arithmetic is in integers, with
//! units of 1/255 in the first layer and 1/64 in the second. `kernels` implements the arithmetic
//! and `file` the format; training is part of the harness.
//!
//! Sources: efficiently updatable networks are from Y. Nasu's shogi engine (2018). Two mirrored
//! perspectives, squared activation and output buckets by piece count are common in small networks.

mod accumulators;
mod features;
mod file;
mod kernels;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrayvec::ArrayVec;
use kernels::{CacheLine, Change, LANES};

use crate::position::Position;
use crate::types::Score;

pub use accumulators::Accumulators;
pub use features::{FEATURES, View};
pub use file::{Fault, NetworkError};
pub use kernels::{HIDDEN_MULTIPLE, Kernels};

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
    /// First layer by feature, then by neuron. Shape: [`FEATURES`] × `hidden`. Units:
    /// 1/[`HIDDEN_ONE`].
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

/// A network in the memory layout of the kernels, ready to evaluate.
#[derive(Clone, Debug)]
pub struct Network {
    rows: Box<[CacheLine]>,
    biases: Box<[CacheLine]>,
    outputs: Box<[CacheLine]>,
    output_biases: [i32; BUCKETS],
    scale: i32,
    manifest: [u8; 16],
    kernels: Kernels,
}

impl Network {
    /// Converts weights to a network after checking their shapes and that no position can cause an
    /// overflow.
    ///
    /// Errors: the first [`Fault`] found.
    pub fn new(weights: &Weights) -> Result<Self, Fault> {
        file::check(weights)?;
        let lines = |values: &[i16]| {
            values
                .chunks_exact(LANES)
                .map(|lanes| CacheLine(std::array::from_fn(|lane| lanes[lane])))
                .collect::<Box<[CacheLine]>>()
        };
        Ok(Self {
            rows: lines(&weights.rows),
            biases: lines(&weights.biases),
            outputs: lines(&weights.outputs),
            output_biases: weights.output_biases,
            scale: weights.scale,
            manifest: weights.manifest,
            kernels: Kernels::best(),
        })
    }

    /// Loads a network from a file.
    ///
    /// Errors: [`NetworkError`] with the path and the reason.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let weights = Weights::load(path)?;
        Self::new(&weights).map_err(|fault| NetworkError { path: path.to_owned(), fault })
    }

    /// Returns the built-in network, which all callers share.
    ///
    /// Errors: the [`Fault`] of the built-in file.
    pub fn embedded() -> Result<Arc<Self>, Fault> {
        static EMBEDDED: OnceLock<Result<Arc<Network>, Fault>> = OnceLock::new();
        let read = || Self::new(&Weights::from_bytes(include_bytes!(env!("STRETTO_NETWORK")))?).map(Arc::new);
        EMBEDDED.get_or_init(read).clone()
    }

    /// Returns the network with another implementation of its arithmetic.
    pub fn with_kernels(mut self, kernels: Kernels) -> Self {
        self.kernels = kernels;
        self
    }

    /// Returns the number of neurons per side.
    pub fn hidden(&self) -> usize {
        self.biases.len() * LANES
    }

    /// Returns the implementation of the arithmetic.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// Returns the hash that identifies the training run of the weights.
    pub fn manifest(&self) -> [u8; 16] {
        self.manifest
    }

    /// Evaluates a position for the side to move without incremental updates. Units: centipawns.
    /// Range: `±Score::MAX_EVAL`.
    pub fn evaluate(&self, position: &Position) -> Score {
        let own = position.side_to_move();
        let view = |side| View::of(side, position.king(side));
        let (here, there) = (view(own), view(!own));
        let pieces = position.occupied().into_iter();
        let inputs = pieces.filter_map(|square| {
            let piece = position.piece_on(square)?;
            Some((here.feature(own, piece, square), there.feature(!own, piece, square)))
        });
        self.evaluate_inputs(inputs, position.occupied().count() as usize)
    }

    /// Evaluates from the features of a position with this many pieces, as seen by the side to move
    /// and by the other side.
    ///
    /// # Panics
    /// Panics if there are more than 64 features.
    pub fn evaluate_inputs(&self, inputs: impl Iterator<Item = (u16, u16)>, pieces: usize) -> Score {
        let (own, other): (ArrayVec<u16, 64>, ArrayVec<u16, 64>) = inputs.unzip();
        let sums = [own, other].map(|inputs| {
            let mut sums = self.biases.to_vec();
            self.kernels.update(&mut sums, None, &self.rows, Change { added: &inputs, removed: &[] });
            sums
        });
        self.output([&sums[0], &sums[1]], bucket(pieces))
    }

    /// Evaluates from the accumulators of the side to move and of the other side.
    #[inline]
    fn output(&self, sums: [&[CacheLine]; 2], bucket: usize) -> Score {
        let width = 2 * self.biases.len();
        let squares = self.kernels.output(sums, &self.outputs[bucket * width..][..width]);
        let total = i64::from(squares / HIDDEN_ONE + self.output_biases[bucket]);
        let centipawns = total * i64::from(self.scale) / i64::from(HIDDEN_ONE * OUTPUT_ONE);
        let limit = i64::from(Score::MAX_EVAL.0);
        Score(centipawns.clamp(-limit, limit) as i32)
    }
}

/// Whether both are the same network, so that accumulators of one are valid for the other.
fn is_same_network(one: &Arc<Network>, other: &Arc<Network>) -> bool {
    Arc::ptr_eq(one, other)
}
