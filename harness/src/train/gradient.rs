//! The gradient of the loss over some positions.
//!
//! With `a` the sum of a neuron, `c` that sum between 0 and 1, `o` its output weight and `s` the logistic of
//! `bias + Σ o c²`, the loss of a position is `(s - t)²`, where the target `t` blends the result of the game with the
//! logistic of the score. So `d = 2 (s - t) s (1 - s)` is the slope at the output, `d c²` that of an output weight,
//! and `2 d o c` that of a neuron that is neither off nor full.
//!
//! What makes it fast: positions are taken a small block at a time, whose neurons stay in the cache. Sums are made 64
//! neurons at a time, which the compiler keeps in registers. On the way back the block is turned around: for each input
//! the list of those who have it, so that its row of the gradient is touched once.

use std::ops::Range;

use stretto::eval::network::FEATURES;

use super::model::Shape;
use crate::training_data::Sample;

/// Neurons summed in registers.
const LANES: usize = 64;
/// Sums side by side in a product, so that its order does not depend on the processor.
const PARTIAL: usize = 16;
/// Pieces on a board, at most.
const MAX_PIECES: usize = 32;

/// What the loss is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    /// The share of the target that the rest of the game says.
    pub(super) result_share: f32,
    /// The score at which a side expects 73 % of the point. Units: centipawns.
    pub(super) scale: f32,
}

impl Objective {
    /// What the network should say, as a share of the point.
    pub(super) fn target(self, sample: &Sample) -> f32 {
        let score = logistic(f32::from(sample.score()) / self.scale);
        self.result_share * sample.prospect().share() + (1.0 - self.result_share) * score
    }
}

pub(super) fn logistic(value: f32) -> f32 {
    1.0 / (1.0 + (-value).exp())
}

/// Room for one thread's work, and what it finds.
pub(super) struct Workspace {
    shape: Shape,
    /// Positions in a block.
    block: usize,
    /// As the parameters. Units: loss, summed over positions.
    pub(super) gradient: Vec<f32>,
    /// Summed over positions.
    pub(super) loss: f64,
    /// By position of the block: the share of the point that the network expects.
    said: Vec<f32>,
    /// By position of the block and side: sums of the neurons, then their slopes.
    neurons: Vec<f32>,
    /// By position and side: its inputs.
    inputs: Vec<[u16; MAX_PIECES]>,
    /// By position: how many inputs a side has.
    counts: Vec<usize>,
    /// By input: where its list begins.
    starts: Vec<u32>,
    /// Positions and sides that have an input, list after list.
    owners: Vec<u16>,
}

impl Workspace {
    pub(super) fn new(shape: Shape) -> Self {
        // The neurons of a block stay within half a megabyte.
        let block = if shape.hidden >= 512 { 64 } else { 128 };
        Self {
            shape,
            block,
            gradient: vec![0.0; shape.len()],
            loss: 0.0,
            said: vec![0.0; block],
            neurons: vec![0.0; block * 2 * shape.hidden],
            inputs: vec![[0; MAX_PIECES]; block * 2],
            counts: vec![0; block],
            starts: vec![0; FEATURES + 1],
            owners: vec![0; block * 2 * MAX_PIECES],
        }
    }

    /// Adds the gradient and the loss over some positions.
    pub(super) fn add(&mut self, parameters: &[f32], objective: Objective, samples: &[Sample]) {
        for block in samples.chunks(self.block) {
            run_block(self, parameters, Some(objective), block);
        }
    }

    /// Shows what the network says of each position, as a share of the point.
    pub(super) fn judge(
        &mut self,
        parameters: &[f32],
        samples: &[Sample],
        mut visit: impl FnMut(&Sample, f32),
    ) {
        for block in samples.chunks(self.block) {
            run_block(self, parameters, None, block);
            for (sample, &said) in block.iter().zip(&self.said) {
                visit(sample, said);
            }
        }
    }

    fn neurons_of(&self, owner: usize) -> Range<usize> {
        owner * self.shape.hidden..(owner + 1) * self.shape.hidden
    }
}

/// Compiled for the widest registers there are.
fn run_block(work: &mut Workspace, parameters: &[f32], objective: Option<Objective>, samples: &[Sample]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has it.
            return unsafe { block_avx512(work, parameters, objective, samples) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it.
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

#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn block_body(work: &mut Workspace, parameters: &[f32], objective: Option<Objective>, samples: &[Sample]) {
    read_inputs(work, samples);
    for (index, sample) in samples.iter().enumerate() {
        sum_neurons(work, parameters, index);
        work.said[index] = say(work, parameters, index, sample.bucket());
        if let Some(objective) = objective {
            find_slopes(work, parameters, index, sample.bucket(), objective.target(sample));
        }
    }
    if objective.is_some() {
        turn_around(work, samples.len());
        add_rows(work);
    }
}

/// Unpacks the positions of a block.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
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

/// The sums of the neurons of both sides of a position.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn sum_neurons(work: &mut Workspace, parameters: &[f32], index: usize) {
    let shape = work.shape;
    let (rows, biases) = (&parameters[shape.rows()], &parameters[shape.biases()]);
    for owner in [2 * index, 2 * index + 1] {
        let range = work.neurons_of(owner);
        let inputs = &work.inputs[owner][..work.counts[index]];
        for (lanes, first) in work.neurons[range].chunks_exact_mut(LANES).zip((0..).step_by(LANES)) {
            let mut sums: [f32; LANES] = std::array::from_fn(|lane| biases[first + lane]);
            for &input in inputs {
                let row = &rows[usize::from(input) * shape.hidden + first..][..LANES];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            lanes.copy_from_slice(&sums);
        }
    }
}

/// The parameters between a position's neurons and its output.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn outputs_of(shape: Shape, bucket: usize) -> Range<usize> {
    let (start, width) = (shape.outputs().start, 2 * shape.hidden);
    start + bucket * width..start + (bucket + 1) * width
}

/// What the network says of a position.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn say(work: &Workspace, parameters: &[f32], index: usize, bucket: usize) -> f32 {
    let shape = work.shape;
    let weights = &parameters[outputs_of(shape, bucket)];
    let neurons = &work.neurons[index * weights.len()..][..weights.len()];
    let mut partial = [0.0_f32; PARTIAL];
    for (sums, weights) in neurons.chunks_exact(PARTIAL).zip(weights.chunks_exact(PARTIAL)) {
        for ((total, sum), weight) in partial.iter_mut().zip(sums).zip(weights) {
            let active = sum.clamp(0.0, 1.0);
            *total += active * active * weight;
        }
    }
    logistic(parameters[shape.output_biases().start + bucket] + partial.iter().sum::<f32>())
}

/// The sums of a position's neurons become the slopes there; those of its output weights are added.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn find_slopes(work: &mut Workspace, parameters: &[f32], index: usize, bucket: usize, target: f32) {
    let shape = work.shape;
    let here = outputs_of(shape, bucket);
    let weights = &parameters[here.clone()];
    let said = work.said[index];
    let error = said - target;
    work.loss += f64::from(error * error);
    let slope = 2.0 * error * said * (1.0 - said);
    work.gradient[shape.output_biases().start + bucket] += slope;
    let neurons = &mut work.neurons[index * weights.len()..][..weights.len()];
    for ((sum, weight), gradient) in neurons.iter_mut().zip(weights).zip(&mut work.gradient[here]) {
        let active = sum.clamp(0.0, 1.0);
        *gradient += slope * active * active;
        let is_free = *sum > 0.0 && *sum < 1.0;
        *sum = if is_free { 2.0 * slope * weight * active } else { 0.0 };
    }
}

/// For each input, who has it.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn turn_around(work: &mut Workspace, positions: usize) {
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

/// Adds the slopes of the neurons to the gradient of the first layer.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn add_rows(work: &mut Workspace) {
    let hidden = work.shape.hidden;
    let (biases, all) = (work.shape.biases(), *work.starts.last().unwrap_or(&0) as usize);
    for input in 0..FEATURES {
        let list = work.starts[input] as usize..work.starts[input + 1] as usize;
        let owners = &work.owners[list];
        if owners.is_empty() {
            continue;
        }
        let row = &mut work.gradient[input * hidden..(input + 1) * hidden];
        add_owners(row, &work.neurons, owners, hidden);
    }
    // Each side has exactly one own king, so the lists of its inputs name every position and side once.
    debug_assert!(all > 0);
    let king = 64 * 5;
    let list = work.starts[king] as usize..work.starts[king + 64] as usize;
    add_owners(&mut work.gradient[biases], &work.neurons, &work.owners[list], hidden);
}

/// Adds the neurons of some positions and sides to a row.
#[expect(clippy::inline_always, reason = "it must be compiled anew for each sort of processor")]
#[inline(always)]
fn add_owners(row: &mut [f32], neurons: &[f32], owners: &[u16], hidden: usize) {
    for (lanes, first) in row.chunks_exact_mut(LANES).zip((0..).step_by(LANES)) {
        let mut sums: [f32; LANES] = std::array::from_fn(|lane| lanes[lane]);
        for &owner in owners {
            let slopes = &neurons[usize::from(owner) * hidden + first..][..LANES];
            for (sum, slope) in sums.iter_mut().zip(slopes) {
                *sum += slope;
            }
        }
        lanes.copy_from_slice(&sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::model::Parameters;
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

    /// In doubles, in the plainest way.
    fn loss(shape: Shape, parameters: &[f64], samples: &[Sample]) -> f64 {
        samples
            .iter()
            .map(|sample| {
                let mut sums = [0, 1].map(|_| parameters[shape.biases()].to_vec());
                for (own, other) in sample.features() {
                    for (sums, input) in sums.iter_mut().zip([own, other]) {
                        for (neuron, sum) in sums.iter_mut().enumerate() {
                            *sum += parameters[usize::from(input) * shape.hidden + neuron];
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
                let said = 1.0 / (1.0 + (-output).exp());
                let score = 1.0 / (1.0 + (-f64::from(sample.score()) / 400.0).exp());
                let target = 0.3 * f64::from(sample.half_points()) / 2.0 + 0.7 * score;
                (said - target).powi(2)
            })
            .sum()
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let parameters = Parameters::random(64, 3);
        let (shape, samples) = (parameters.shape(), samples());
        let mut work = Workspace::new(shape);
        work.add(&parameters.values, OBJECTIVE, &samples);
        let doubles: Vec<f64> = parameters.values.iter().map(|&value| value.into()).collect();
        assert!((work.loss - loss(shape, &doubles, &samples)).abs() < 1e-5);
        let (mut checked, mut random) = (0, crate::openings::random::SplitMix64::new(5));
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
    fn blocks_do_not_matter() {
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
    fn judging_is_learning_without_the_slopes() {
        let parameters = Parameters::random(64, 3);
        let mut work = Workspace::new(parameters.shape());
        let mut loss = 0.0;
        work.judge(&parameters.values, &samples(), |sample, said| {
            loss += f64::from((said - OBJECTIVE.target(sample)).powi(2));
        });
        assert!(work.gradient.iter().all(|&slope| slope == 0.0));
        work.add(&parameters.values, OBJECTIVE, &samples());
        assert!((loss - work.loss).abs() < 1e-9, "{loss} {}", work.loss);
    }
}
