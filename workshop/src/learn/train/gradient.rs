//! Loss and gradient over a set of positions.
//!
//! Let `a` be the sum of a neuron, `c` that sum clamped to 0..1, `o` its output weight, and `s` the
//! logistic function of `bias + Σ o c²`. The loss of a position is `(s - t)²`, where the target `t`
//! blends the target from the rest of the game with the logistic function of the score. So `d = 2 (s - t) s (1 -
//! s)` is the gradient at the output, `d c²` that of an output weight, and `2 d o c` that of a
//! neuron between its limits.
//!
//! Positions are processed in blocks, and the neurons of a block in groups of 64, whose sums the
//! compiler keeps in registers. Weights, gradients and activations are stored group by group, so that
//! those of one group stay in the cache while the block passes; in rows of 512 neurons they would
//! also fall on the same few cache lines. The backward pass transposes the block: it builds the list of
//! positions for each feature, so that each gradient row is touched once.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the call of the vector kernels"))]

use std::ops::Range;

use stretto::eval::network::{FEATURES, KING_BUCKETS};

use super::model::{LANES, Shape};
use crate::learn::data::Sample;

/// Number of positions per block.
const BLOCK: usize = 256;
/// Partial sums of a dot product, so that the result does not depend on the CPU.
const PARTIAL: usize = 16;
/// Number of positions and sides per block. The one at `2 * position + side` has the features as
/// this side sees them.
const OWNERS: usize = 2 * BLOCK;
/// Maximum number of pieces on a board.
const MAX_PIECES: usize = 32;

/// The definition of the loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    /// Share of the target that comes from the rest of the game.
    pub(super) result_share: f32,
    /// Score with an expected result of 73 %. Units: centipawns.
    pub(super) scale: f32,
}

impl Objective {
    /// Returns the target of a sample as a share of the point.
    pub(super) fn target(self, sample: &Sample) -> f32 {
        let score = logistic(f32::from(sample.score()) / self.scale);
        self.result_share * sample.target().share() + (1.0 - self.result_share) * score
    }
}

pub(super) fn logistic(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// The buffers and results of one thread.
pub(super) struct Workspace {
    shape: Shape,
    /// Gradient in the layout of the parameters. Units: loss, summed over positions.
    pub(super) gradient: Vec<f32>,
    /// Loss, summed over positions.
    pub(super) loss: f64,
    /// Predicted share of the point, by position of the block.
    predicted: Vec<f32>,
    /// Sums of the neurons, later their gradients. Shape: `[group][position and side][LANES]`, in one
    /// dimension.
    neurons: Vec<f32>,
    /// Features by position and side.
    inputs: Vec<[u16; MAX_PIECES]>,
    /// Number of features per side, by position.
    counts: Vec<usize>,
    /// By feature: start of its list in `owners`.
    starts: Vec<u32>,
    /// Positions and sides that have a feature, grouped by feature.
    owners: Vec<u16>,
}

impl Workspace {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            gradient: vec![0.0; shape.len()],
            loss: 0.0,
            predicted: vec![0.0; BLOCK],
            neurons: vec![0.0; OWNERS * shape.hidden],
            inputs: vec![[0; MAX_PIECES]; OWNERS],
            counts: vec![0; BLOCK],
            starts: vec![0; FEATURES + 1],
            owners: vec![0; OWNERS * MAX_PIECES],
        }
    }

    /// Adds the gradient and the loss of some positions.
    pub(super) fn add(&mut self, parameters: &[f32], objective: Objective, samples: &[Sample]) {
        // Positions with the kings in the same buckets share features. The weights of one block then
        // fit in the cache.
        let mut samples = samples.to_vec();
        samples.sort_by_key(Sample::king_buckets);
        for block in samples.chunks(BLOCK) {
            run_block(self, parameters, Some(objective), block);
        }
    }

    /// Passes the predicted share of the point of each position to `visit`.
    pub(super) fn evaluate(
        &mut self,
        parameters: &[f32],
        samples: &[Sample],
        mut visit: impl FnMut(&Sample, f32),
    ) {
        for block in samples.chunks(BLOCK) {
            run_block(self, parameters, None, block);
            for (sample, &predicted) in block.iter().zip(&self.predicted) {
                visit(sample, predicted);
            }
        }
    }
}

/// Runs the version for the widest vector instructions of the CPU.
fn run_block(work: &mut Workspace, parameters: &[f32], objective: Option<Objective>, samples: &[Sample]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the CPU supports AVX-512.
            return unsafe { block_avx512(work, parameters, objective, samples) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU supports AVX2.
            return unsafe { block_avx2(work, parameters, objective, samples) };
        }
    }
    block_body(work, parameters, objective, samples);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn block_avx512(work: &mut Workspace, parameters: &[f32], objective: Option<Objective>, samples: &[Sample]) {
    block_body(work, parameters, objective, samples);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn block_avx2(work: &mut Workspace, parameters: &[f32], objective: Option<Objective>, samples: &[Sample]) {
    block_body(work, parameters, objective, samples);
}

#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn block_body(work: &mut Workspace, parameters: &[f32], objective: Option<Objective>, samples: &[Sample]) {
    read_inputs(work, samples);
    sum_neurons(work, parameters, samples.len());
    for (index, sample) in samples.iter().enumerate() {
        work.predicted[index] = predict(work, parameters, index, sample.bucket());
        if let Some(objective) = objective {
            backpropagate(work, parameters, index, sample.bucket(), objective.target(sample));
        }
    }
    if objective.is_some() {
        transpose(work, samples.len());
        add_rows(work);
    }
}

/// Unpacks the features of a block.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn read_inputs(work: &mut Workspace, samples: &[Sample]) {
    for (index, sample) in samples.iter().enumerate() {
        let mut count = 0;
        for (own, other) in sample.features() {
            work.inputs[2 * index][count] = own;
            work.inputs[2 * index + 1][count] = other;
            count += 1;
        }
        work.counts[index] = count;
    }
}

/// Computes the sums of both sides' neurons in a block.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn sum_neurons(work: &mut Workspace, parameters: &[f32], positions: usize) {
    let biases = &parameters[work.shape.biases()];
    let rows = parameters[work.shape.rows()].chunks_exact(FEATURES * LANES);
    let groups = work.neurons.chunks_exact_mut(OWNERS * LANES).zip(rows);
    for ((neurons, rows), biases) in groups.zip(biases.chunks_exact(LANES)) {
        let owners = neurons.chunks_exact_mut(LANES).zip(&work.inputs).take(2 * positions);
        for ((lanes, inputs), owner) in owners.zip(0..) {
            let mut sums: [f32; LANES] = std::array::from_fn(|lane| biases[lane]);
            for &input in &inputs[..work.counts[owner / 2]] {
                let row = &rows[usize::from(input) * LANES..][..LANES];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            lanes.copy_from_slice(&sums);
        }
    }
}

/// Returns the range of the output weights of a bucket.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn outputs_of(shape: Shape, bucket: usize) -> Range<usize> {
    let (start, width) = (shape.outputs().start, 2 * shape.hidden);
    start + bucket * width..start + (bucket + 1) * width
}

/// Computes the predicted share of the point.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn predict(work: &Workspace, parameters: &[f32], index: usize, bucket: usize) -> f32 {
    let shape = work.shape;
    let weights = &parameters[outputs_of(shape, bucket)];
    let mut partial = [0.0_f32; PARTIAL];
    for (side, weights) in weights.chunks_exact(shape.hidden).enumerate() {
        let groups = work.neurons.chunks_exact(OWNERS * LANES).zip(weights.chunks_exact(LANES));
        for (neurons, weights) in groups {
            let neurons = &neurons[(2 * index + side) * LANES..][..LANES];
            for (sums, weights) in neurons.chunks_exact(PARTIAL).zip(weights.chunks_exact(PARTIAL)) {
                for ((total, sum), weight) in partial.iter_mut().zip(sums).zip(weights) {
                    let active = sum.clamp(0.0, 1.0);
                    *total += active * active * weight;
                }
            }
        }
    }
    logistic(parameters[shape.output_biases().start + bucket] + partial.iter().sum::<f32>())
}

/// Replaces the sums of a position's neurons by their gradients and adds the gradients of the
/// output weights.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn backpropagate(work: &mut Workspace, parameters: &[f32], index: usize, bucket: usize, target: f32) {
    let shape = work.shape;
    let here = outputs_of(shape, bucket);
    let weights = &parameters[here.clone()];
    let predicted = work.predicted[index];
    let error = predicted - target;
    work.loss += f64::from(error * error);
    let slope = 2.0 * error * predicted * (1.0 - predicted);
    work.gradient[shape.output_biases().start + bucket] += slope;
    let sides = weights.chunks_exact(shape.hidden).zip(work.gradient[here].chunks_exact_mut(shape.hidden));
    for (side, (weights, gradients)) in sides.enumerate() {
        let outputs = weights.chunks_exact(LANES).zip(gradients.chunks_exact_mut(LANES));
        for (neurons, (weights, gradients)) in work.neurons.chunks_exact_mut(OWNERS * LANES).zip(outputs) {
            let neurons = &mut neurons[(2 * index + side) * LANES..][..LANES];
            for ((sum, weight), gradient) in neurons.iter_mut().zip(weights).zip(gradients) {
                let active = sum.clamp(0.0, 1.0);
                *gradient += slope * active * active;
                let is_free = *sum > 0.0 && *sum < 1.0;
                *sum = if is_free { 2.0 * slope * weight * active } else { 0.0 };
            }
        }
    }
}

/// Groups positions and sides by feature.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn transpose(work: &mut Workspace, positions: usize) {
    work.starts.fill(0);
    for index in 0..positions {
        for owner in [2 * index, 2 * index + 1] {
            for &input in &work.inputs[owner][..work.counts[index]] {
                work.starts[usize::from(input) + 1] += 1;
            }
        }
    }
    for input in 0..FEATURES {
        work.starts[input + 1] += work.starts[input];
    }
    let mut next = work.starts.clone();
    for index in 0..positions {
        for owner in [2 * index, 2 * index + 1] {
            for &input in &work.inputs[owner][..work.counts[index]] {
                let place = &mut next[usize::from(input)];
                work.owners[*place as usize] = owner as u16;
                *place += 1;
            }
        }
    }
}

/// Adds the gradients of the neurons to the gradient of the first layer.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn add_rows(work: &mut Workspace) {
    let (shape, starts) = (work.shape, &work.starts);
    let owners_of =
        |features: Range<usize>| &work.owners[starts[features.start] as usize..starts[features.end] as usize];
    // Each side has exactly one own king, so the lists of the king features of all buckets contain
    // every position and side once.
    let own_kings = |bucket: usize| {
        let start = bucket * FEATURES / KING_BUCKETS + 64 * 5;
        start..start + 64
    };
    let (rows, rest) = work.gradient.split_at_mut(shape.rows().end);
    let groups = rows.chunks_exact_mut(FEATURES * LANES).zip(rest.chunks_exact_mut(LANES));
    for ((rows, biases), neurons) in groups.zip(work.neurons.chunks_exact(OWNERS * LANES)) {
        for (feature, lanes) in rows.chunks_exact_mut(LANES).enumerate() {
            let owners = owners_of(feature..feature + 1);
            if !owners.is_empty() {
                add_owners(lanes, neurons, owners);
            }
        }
        for bucket in 0..KING_BUCKETS {
            add_owners(biases, neurons, owners_of(own_kings(bucket)));
        }
    }
}

/// Adds the neuron gradients of some positions and sides to the gradient of a group.
#[expect(clippy::inline_always, reason = "inlined to be compiled for each CPU level")]
#[inline(always)]
fn add_owners(lanes: &mut [f32], neurons: &[f32], owners: &[u16]) {
    let mut sums: [f32; LANES] = std::array::from_fn(|lane| lanes[lane]);
    for &owner in owners {
        let slopes = &neurons[usize::from(owner) * LANES..][..LANES];
        for (sum, slope) in sums.iter_mut().zip(slopes) {
            *sum += slope;
        }
    }
    lanes.copy_from_slice(&sums);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::train::model::Parameters;
    use stretto::position::Position;

    const FENS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/4k3/8/8/4K3/4P3/8 b - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    ];

    fn samples() -> Vec<Sample> {
        let each = FENS.iter().zip([(35, 1), (-120, 0), (250, 2), (0, 1), (12, 2)]);
        each.map(|(fen, (score, half))| Sample::new(&Position::from_fen(fen).unwrap(), score, half)).collect()
    }

    const OBJECTIVE: Objective = Objective { result_share: 0.3, scale: 400.0 };

    /// Computes the loss naively in double precision.
    fn loss(shape: Shape, parameters: &[f64], samples: &[Sample]) -> f64 {
        samples
            .iter()
            .map(|sample| {
                let mut sums = [0, 1].map(|_| parameters[shape.biases()].to_vec());
                for (own, other) in sample.features() {
                    for (sums, input) in sums.iter_mut().zip([own, other]) {
                        for (neuron, sum) in sums.iter_mut().enumerate() {
                            *sum += parameters[Shape::row(usize::from(input), neuron)];
                        }
                    }
                }
                let outputs = &parameters[shape.outputs()][sample.bucket() * 2 * shape.hidden..];
                let total: f64 = sums
                    .iter()
                    .flatten()
                    .zip(outputs)
                    .map(|(sum, weight)| sum.clamp(0.0, 1.0).powi(2) * weight)
                    .sum();
                let output = parameters[shape.output_biases().start + sample.bucket()] + total;
                let predicted = 1.0 / (1.0 + (-output).exp());
                let score = 1.0 / (1.0 + (-f64::from(sample.score()) / 400.0).exp());
                let target = 0.3 * f64::from(sample.half_points()) / 2.0 + 0.7 * score;
                (predicted - target).powi(2)
            })
            .sum()
    }

    #[test]
    fn gradient_matches_finite_differences() {
        let parameters = Parameters::random(64, 3);
        let (shape, samples) = (parameters.shape(), samples());
        let mut work = Workspace::new(shape);
        work.add(&parameters.values, OBJECTIVE, &samples);
        let doubles: Vec<f64> = parameters.values.iter().map(|&value| value.into()).collect();
        assert!((work.loss - loss(shape, &doubles, &samples)).abs() < 1e-5);
        let (mut checked, mut random) = (0, stretto_harness::base::random::SplitMix64::new(5));
        let parts = [shape.rows(), shape.biases(), shape.outputs(), shape.output_biases()];
        for part in parts {
            for _ in 0..200 {
                let index = part.start + random.below(part.len() as u64) as usize;
                let step = 1e-4;
                let at = |sign: f64| {
                    let mut moved = doubles.clone();
                    moved[index] += sign * step;
                    loss(shape, &moved, &samples)
                };
                let slope = (at(1.0) - at(-1.0)) / (2.0 * step);
                let found = f64::from(work.gradient[index]);
                assert!(
                    (slope - found).abs() < 1e-4 * (1.0 + slope.abs()),
                    "{index}: {found}, expected {slope}"
                );
                checked += usize::from(slope != 0.0);
            }
        }
        assert!(checked > 200, "{checked} slopes were not zero");
    }

    #[test]
    fn result_does_not_depend_on_the_block_size() {
        let parameters = Parameters::random(128, 3);
        let many: Vec<Sample> = samples().into_iter().cycle().take(300).collect();
        let mut together = Workspace::new(parameters.shape());
        together.add(&parameters.values, OBJECTIVE, &many);
        let mut apart = Workspace::new(parameters.shape());
        for sample in &many {
            apart.add(&parameters.values, OBJECTIVE, std::slice::from_ref(sample));
        }
        for (one, other) in together.gradient.iter().zip(&apart.gradient) {
            assert!((one - other).abs() <= 1e-4 * (1.0 + one.abs()), "{one} {other}");
        }
    }

    #[test]
    fn evaluation_gives_the_training_loss_without_gradients() {
        let parameters = Parameters::random(64, 3);
        let mut work = Workspace::new(parameters.shape());
        let mut loss = 0.0;
        work.evaluate(&parameters.values, &samples(), |sample, predicted| {
            loss += f64::from((predicted - OBJECTIVE.target(sample)).powi(2));
        });
        assert!(work.gradient.iter().all(|&slope| slope == 0.0));
        work.add(&parameters.values, OBJECTIVE, &samples());
        assert!((loss - work.loss).abs() < 1e-9, "{loss} {}", work.loss);
    }
}
