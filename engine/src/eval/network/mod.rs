//! The network: an evaluation that was learned, of the efficiently updatable kind (NNUE).
//!
//! ```text
//! 768 inputs, seen by the side to move  ──►  H neurons ─┐
//!            (the same weights)                         ├─► squared clipped ReLU ─► one of 8 outputs ─► centipawns
//! 768 inputs, seen by the other side    ──►  H neurons ─┘
//! ```
//!
//! An input is a piece on a square as one side sees it (`features`). The first layer is a sum of rows, one for each
//! piece, so a move changes it by few rows (`accumulators`); the second is one product, with weights chosen by how many
//! pieces are left. All is whole numbers: the first layer counts in 1/255, the second in 1/64. `kernels` has the
//! arithmetic, `file` the format; the training is the harness's.
//!
//! Sources: efficiently updatable networks are from Y. Nasu's shogi engine (2018); the shape with two mirrored
//! perspectives, squared activation and outputs by piece count is what small networks have come to.

mod accumulators;
mod features;
mod file;
mod kernels;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrayvec::ArrayVec;
use kernels::{Change, LANES, Line};

use crate::position::Position;
use crate::types::Score;

pub use accumulators::Accumulators;
pub use features::{FEATURES, View};
pub use file::{Fault, NetworkError};
pub use kernels::{GRANULE, Kernels};

/// Sets of weights of the second layer, by how many pieces are left.
pub const BUCKETS: usize = 8;
/// What 1 is in the first layer.
pub const HIDDEN_ONE: i32 = kernels::ONE as i32;
/// What 1 is in the weights of the second layer.
pub const OUTPUT_ONE: i32 = 64;
/// The greatest number of hidden neurons.
pub const MAX_HIDDEN: usize = 4096;

/// Which set of output weights a position with so many pieces uses. Range: below [`BUCKETS`].
#[inline]
pub const fn bucket(pieces: usize) -> usize {
    let bucket = pieces.saturating_sub(2) / 4;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

/// The weights of a network as whole numbers, in plain order: what its file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// By input, then by neuron. Shape: [`FEATURES`] × `hidden`. Units: 1/[`HIDDEN_ONE`].
    pub rows: Vec<i16>,
    /// By neuron. Units: 1/[`HIDDEN_ONE`].
    pub biases: Vec<i16>,
    /// By bucket, then the mover's neurons and the other side's. Shape: [`BUCKETS`] × 2 × `hidden`. Units: 1/[`OUTPUT_ONE`].
    pub outputs: Vec<i16>,
    /// By bucket. Units: 1/([`HIDDEN_ONE`] × [`OUTPUT_ONE`]).
    pub output_biases: [i32; BUCKETS],
    /// What an output of 1 is worth. Units: centipawns.
    pub scale: i32,
    /// Names the training that the weights come from.
    pub manifest: [u8; 16],
}

/// A network ready to evaluate.
#[derive(Clone, Debug)]
pub struct Network {
    rows: Box<[Line]>,
    biases: Box<[Line]>,
    outputs: Box<[Line]>,
    output_biases: [i32; BUCKETS],
    scale: i32,
    manifest: [u8; 16],
    kernels: Kernels,
}

impl Network {
    /// A network with these weights, checked: the shapes agree, and no position can make a sum overflow.
    pub fn new(weights: &Weights) -> Result<Self, Fault> {
        file::check(weights)?;
        let lines = |values: &[i16]| {
            values
                .chunks_exact(LANES)
                .map(|lanes| Line(std::array::from_fn(|lane| lanes[lane])))
                .collect::<Box<[Line]>>()
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

    /// The network in a file.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let weights = Weights::load(path)?;
        Self::new(&weights).map_err(|fault| NetworkError { path: path.to_owned(), fault })
    }

    /// The network that was built in, the same one for all.
    pub fn embedded() -> Result<Arc<Self>, Fault> {
        static EMBEDDED: OnceLock<Result<Arc<Network>, Fault>> = OnceLock::new();
        let read = || Self::new(&Weights::from_bytes(include_bytes!(env!("STRETTO_NETWORK")))?).map(Arc::new);
        EMBEDDED.get_or_init(read).clone()
    }

    /// The same network, computed otherwise.
    pub fn with_kernels(mut self, kernels: Kernels) -> Self {
        self.kernels = kernels;
        self
    }

    /// How many neurons each side has.
    pub fn hidden(&self) -> usize {
        self.biases.len() * LANES
    }

    /// Which implementation computes it.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// Names the training that the weights come from.
    pub fn manifest(&self) -> [u8; 16] {
        self.manifest
    }

    /// The value for the side to move, all computed anew. Units: centipawns. Range: `±Score::MAX_EVAL`.
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

    /// The same from the inputs of a position with so many pieces, as the side to move and as the other side sees it.
    ///
    /// # Panics
    /// When there are more inputs than squares.
    pub fn evaluate_inputs(&self, inputs: impl Iterator<Item = (u16, u16)>, pieces: usize) -> Score {
        let (own, other): (ArrayVec<u16, 64>, ArrayVec<u16, 64>) = inputs.unzip();
        let sums = [own, other].map(|inputs| {
            let mut sums = self.biases.to_vec();
            self.kernels.update(&mut sums, None, &self.rows, Change { added: &inputs, removed: &[] });
            sums
        });
        self.output([&sums[0], &sums[1]], bucket(pieces))
    }

    /// The value for the side to move, from its sums and those of the other side.
    #[inline]
    fn output(&self, sums: [&[Line]; 2], bucket: usize) -> Score {
        let width = 2 * self.biases.len();
        let squares = self.kernels.output(sums, &self.outputs[bucket * width..][..width]);
        let total = i64::from(squares / HIDDEN_ONE + self.output_biases[bucket]);
        let centipawns = total * i64::from(self.scale) / i64::from(HIDDEN_ONE * OUTPUT_ONE);
        let limit = i64::from(Score::MAX_EVAL.0);
        Score(centipawns.clamp(-limit, limit) as i32)
    }
}

/// Are both the same network? What one has summed up is then of use to the other.
fn is_same(one: &Arc<Network>, other: &Arc<Network>) -> bool {
    Arc::ptr_eq(one, other)
}
