//! A loaded network and its evaluation of a position.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrayvec::ArrayVec;

use super::features::View;
use super::file::{self, Fault, NetworkError};
use super::kernels::{CacheLine, Change, Kernels, LANES};
use super::rows::Rows;
use super::weights::{BUCKETS, HIDDEN_ONE, OUTPUT_ONE, Weights, bucket};
use crate::position::Position;
use crate::types::Score;

/// A network in the memory layout of the kernels, ready to evaluate.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) rows: Arc<Rows>,
    pub(super) biases: Box<[CacheLine]>,
    outputs: Box<[CacheLine]>,
    output_biases: [i32; BUCKETS],
    scale: i32,
    manifest: [u8; 16],
    pub(super) kernels: Kernels,
}

impl Network {
    /// Converts weights to a network after checking their shapes and that no position can cause an
    /// overflow.
    ///
    /// Errors: the first [`Fault`] found, or [`Fault::Unreadable`] without memory for the copy.
    pub fn new(weights: &Weights) -> Result<Self, Fault> {
        file::check(weights)?;
        let lines = |values: &[i16]| {
            values
                .chunks_exact(LANES)
                .map(|lanes| CacheLine(std::array::from_fn(|lane| lanes[lane])))
                .collect::<Box<[CacheLine]>>()
        };
        Ok(Self {
            rows: Arc::new(
                Rows::new(&weights.rows).map_err(|refused| Fault::Unreadable(refused.to_string()))?,
            ),
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
            self.kernels.update(&mut sums, &self.rows, Change { added: &inputs, removed: &[] });
            sums
        });
        self.output([&sums[0], &sums[1]], bucket(pieces))
    }

    /// Evaluates from the accumulators of the side to move and of the other side.
    #[inline]
    pub(super) fn output(&self, sums: [&[CacheLine]; 2], bucket: usize) -> Score {
        let width = 2 * self.biases.len();
        let squares = self.kernels.output(sums, &self.outputs[bucket * width..][..width]);
        let total = i64::from(squares / HIDDEN_ONE + self.output_biases[bucket]);
        let centipawns = total * i64::from(self.scale) / i64::from(HIDDEN_ONE * OUTPUT_ONE);
        let limit = i64::from(Score::MAX_EVAL.0);
        Score(centipawns.clamp(-limit, limit) as i32)
    }
}

/// Whether both are the same network, so that accumulators of one are valid for the other.
pub(super) fn is_same_network(one: &Arc<Network>, other: &Arc<Network>) -> bool {
    Arc::ptr_eq(one, other)
}
