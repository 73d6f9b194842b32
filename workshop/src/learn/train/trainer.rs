//! The state of a training between two steps, and how an epoch moves it.

use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use rayon::prelude::*;
use stretto::eval::network::{KING_BUCKETS, Network, NetworkError, Weights};

use super::adam::{Moments, Step, advance, direct, gather};
use super::checkpoint::Checkpoint;
use super::gradient::{Objective, Workspace, logistic};
use super::model::{BUCKET_ROWS, Parameters, WEIGHT_LIMIT};
use super::shards::{Batches, ShardError};
use super::{Dataset, TrainConfig, ValidationLosses};
use crate::learn::data::Sample;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::wording::counted;
use stretto_harness::config::{FieldPath, Problem};

/// Batches between two looks at the clock.
const LOOK_INTERVAL: usize = 16;
/// Parameters that one thread moves at a time.
const SLICE: usize = 16_384;

/// A moment of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    /// The epoch under way, from 1.
    pub epoch: u32,
    /// Share of all steps that are done.
    pub share: f64,
    /// Speed. Units: positions per second.
    pub speed: f64,
    /// Mean since the epoch began.
    pub loss: f64,
    /// Time of this session.
    pub elapsed: Duration,
    /// Expected time to the end.
    pub to_go: Duration,
}

/// The state of a training between two steps.
pub(super) struct Trainer<'a> {
    config: &'a TrainConfig,
    dataset: &'a Dataset,
    parameters: Parameters,
    moments: Moments,
    /// Directions of the shared feature weights, by group of neurons.
    shared: Vec<f32>,
    pub(super) steps: u64,
    /// Gradients, one for each thread.
    workspaces: Vec<Workspace>,
    /// When this session began, and after how many steps.
    started: (Instant, u64),
}

/// Returns the parameters before the first step.
///
/// Errors: the network to continue from cannot be used, or training would cut its weights.
pub(super) fn initial_parameters(config: &TrainConfig) -> Result<Parameters, Problem> {
    let (hidden, scale, seed) = (config.hidden(), config.training.scale, config.seed);
    let Some(file) = &config.from else { return Ok(Parameters::random(hidden, seed)) };
    let from = FieldPath::root().key("from");
    let unusable = |error: &dyn Display| Problem::new(from.clone(), error.to_string());
    let weights = Weights::load(file).map_err(|error| unusable(&error))?;
    Network::new(&weights).map_err(|fault| unusable(&NetworkError { path: file.clone(), fault }))?;
    let (found, file) = (weights.hidden(), file.display());
    let message = format!("{file}: has {found} neurons per side, expected at most {hidden} (`hidden`)");
    from.require(found <= hidden, message)?;
    let parameters = Parameters::of_network(&weights, hidden, scale as f32, seed).map_err(|cut| {
        let (weights, expected) = (counted(cut.count, "weight"), cut.expected());
        let message =
            format!("{scale}: {weights} of {file} would be cut at {WEIGHT_LIMIT}; expected {expected}");
        Problem::new(FieldPath::root().key("training").key("scale"), message)
    })?;
    parameters.network(scale as i32, [0; 16]).map_err(|error| unusable(&error))?;
    Ok(parameters)
}

impl<'a> Trainer<'a> {
    /// Starts from the beginning, or after `steps` steps from the checkpoint in the file `path`.
    pub(super) fn start(
        config: &'a TrainConfig,
        dataset: &'a Dataset,
        path: &Path,
        steps: u64,
    ) -> anyhow::Result<Self> {
        let (parameters, moments) = if steps == 0 {
            let parameters = initial_parameters(config).map_err(|problem| anyhow!(problem.message))?;
            let moments = Moments::new(parameters.shape());
            (parameters, moments)
        } else {
            let found = Checkpoint::find(path, config.hidden(), steps)?;
            (found.parameters, found.moments)
        };
        let shape = parameters.shape();
        let workspaces = (0..config.threads()).map(|_| Workspace::new(shape)).collect();
        let started = (Instant::now(), steps);
        let shared = vec![0.0; shape.shared()];
        Ok(Self { config, dataset, parameters, moments, shared, steps, workspaces, started })
    }

    /// Keeps the state in the file `path`.
    pub(super) fn write_checkpoint(&self, path: &Path) -> anyhow::Result<()> {
        Checkpoint::write(path, &self.parameters, &self.moments, self.steps)
    }

    /// Returns the network of the present parameters, in whole numbers. An output of 1 is the scale of the
    /// scores, since both go through the same curve.
    ///
    /// Errors: the weights are out of range.
    pub(super) fn network(&self, manifest: [u8; 16]) -> anyhow::Result<(Weights, Network)> {
        self.parameters.network(self.config.training.scale as i32, manifest)
    }

    fn batches(&self) -> u64 {
        self.dataset.size.positions.div_ceil(self.config.training.batch.get()) as u64
    }

    fn all_steps(&self) -> u64 {
        self.batches() * u64::from(self.config.training.epochs.get())
    }

    fn objective(&self) -> Objective {
        let training = self.config.training;
        Objective { result_share: training.result_share as f32, scale: training.scale as f32 }
    }

    /// Returns the length of a step: it grows at first, then follows a cosine down to the last.
    pub(super) fn rate(&self, step: u64) -> f64 {
        let training = self.config.training;
        let share = step as f64 / self.all_steps().max(1) as f64;
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * share).cos());
        let rate = training.final_rate + (training.rate - training.final_rate) * cosine;
        rate * (step as f64 / f64::from(training.warm_up.max(1))).min(1.0)
    }

    /// Does one pass and shows its progress to `look`. Returns its mean loss and its speed, or
    /// nothing if it was stopped.
    ///
    /// Errors: a shard that cannot be read.
    pub(super) fn epoch(
        &mut self,
        epoch: u32,
        cancel: &Cancel,
        mut look: impl FnMut(Position),
    ) -> Result<Option<(f64, f64)>, ShardError> {
        let (started, first_step) = self.started;
        let batch = self.config.training.batch.get();
        let (begun, mut loss, mut seen) = (Instant::now(), 0.0, 0);
        let Dataset { folder, shards, .. } = self.dataset;
        let batches = Batches::start(folder, shards, batch, self.config.seed, epoch);
        let batches = batches.map_err(|error| ShardError::new(folder, error))?;
        for (number, samples) in batches.enumerate() {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let samples = samples?;
            loss += self.step(&samples);
            seen += samples.len();
            if number % LOOK_INTERVAL == 0 {
                let (elapsed, done) = (started.elapsed(), (self.steps - first_step).max(1));
                let left = self.all_steps() - self.steps;
                look(Position {
                    epoch,
                    share: self.steps as f64 / self.all_steps() as f64,
                    speed: seen as f64 / begun.elapsed().as_secs_f64().max(1e-9),
                    loss: loss / seen as f64,
                    elapsed,
                    to_go: elapsed.mul_f64(left as f64 / done as f64),
                });
            }
        }
        Ok(Some((loss / seen as f64, seen as f64 / begun.elapsed().as_secs_f64().max(1e-9))))
    }

    /// Takes one step over a batch. Returns the sum of its losses.
    fn step(&mut self, samples: &[Sample]) -> f64 {
        self.steps += 1;
        let positions = samples.len();
        let (objective, parameters) = (self.objective(), &self.parameters.values);
        let share = positions.div_ceil(self.workspaces.len());
        self.workspaces.par_iter_mut().enumerate().for_each(|(thread, work)| {
            work.loss = 0.0;
            let (begin, end) = ((thread * share).min(positions), ((thread + 1) * share).min(positions));
            work.add(parameters, objective, &samples[begin..end]);
        });
        let step = Step::new(self.steps, self.rate(self.steps), self.config.training.decay, positions);
        let loss = self.workspaces.iter().map(|work| work.loss).sum();
        let count = self.parameters.values.len();
        let mut by_slice: Vec<Vec<&mut [f32]>> = (0..count.div_ceil(SLICE)).map(|_| Vec::new()).collect();
        for work in &mut self.workspaces {
            for (slices, slice) in by_slice.iter_mut().zip(work.gradient.chunks_mut(SLICE)) {
                slices.push(slice);
            }
        }
        by_slice.par_iter_mut().for_each(|gradients| gather(gradients));
        let (means, shared_means) = self.moments.means.split_at_mut(count);
        let (squares, shared_squares) = self.moments.squares.split_at_mut(count);
        let slopes = &mut self.workspaces[0].gradient;
        let rows = self.parameters.shape().rows();
        if self.config.training.factoriser {
            let groups = slopes[rows.clone()].par_chunks(KING_BUCKETS * BUCKET_ROWS);
            let shared = self.shared.par_chunks_mut(BUCKET_ROWS).zip(groups);
            let moments =
                shared_means.par_chunks_mut(BUCKET_ROWS).zip(shared_squares.par_chunks_mut(BUCKET_ROWS));
            shared.zip(moments).for_each(|((shared, group), (means, squares))| {
                shared.fill(0.0);
                for bucket in group.chunks_exact(BUCKET_ROWS) {
                    shared.iter_mut().zip(bucket).for_each(|(sum, slope)| *sum += slope);
                }
                direct(step, means, squares, shared);
            });
        }
        let moments = means.par_chunks_mut(SLICE).zip(squares.par_chunks_mut(SLICE));
        moments.zip(slopes.par_chunks_mut(SLICE)).for_each(|((means, squares), slopes)| {
            direct(step, means, squares, slopes);
        });
        if self.config.training.factoriser {
            let groups = slopes[rows].par_chunks_mut(KING_BUCKETS * BUCKET_ROWS);
            groups.zip(self.shared.par_chunks(BUCKET_ROWS)).for_each(|(group, shared)| {
                for bucket in group.chunks_exact_mut(BUCKET_ROWS) {
                    bucket.iter_mut().zip(shared).for_each(|(direction, shared)| *direction += shared);
                }
            });
        }
        let parameters = self.parameters.values.par_chunks_mut(SLICE);
        parameters.zip(slopes.par_chunks_mut(SLICE)).for_each(|(parameters, directions)| {
            advance(step, parameters, directions);
        });
        loss
    }

    /// Computes the losses over the validation positions, in floating point and in whole numbers.
    pub(super) fn validate(&mut self, network: &Network) -> ValidationLosses {
        let (objective, parameters) = (self.objective(), &self.parameters.values);
        let all = &self.dataset.validation;
        let share = all.len().div_ceil(self.workspaces.len());
        let sums: Vec<ValidationLosses> = self
            .workspaces
            .par_iter_mut()
            .zip(all.par_chunks(share))
            .map(|(work, samples)| {
                let mut sums = ValidationLosses::default();
                work.evaluate(parameters, samples, |sample, predicted| {
                    add_losses(&mut sums, network, objective, sample, predicted);
                });
                sums
            })
            .collect();
        let count = all.len() as f64;
        let mean = |of: fn(&ValidationLosses) -> f64| sums.iter().map(of).sum::<f64>() / count;
        ValidationLosses {
            blended: mean(|sums| sums.blended),
            scores: mean(|sums| sums.scores),
            results: mean(|sums| sums.results),
            quantised: mean(|sums| sums.quantised),
            quantisation_error: mean(|sums| sums.quantisation_error),
        }
    }
}

fn add_losses(
    sums: &mut ValidationLosses,
    network: &Network,
    objective: Objective,
    sample: &Sample,
    predicted: f32,
) {
    let square = |predicted: f32, target: f32| f64::from((predicted - target).powi(2));
    let target = objective.target(sample);
    let whole = network.evaluate_inputs(sample.features(), sample.pieces()).0 as f32;
    // Back from the share of the point to centipawns; both ends of the logistic are far away in
    // doubles.
    let predicted_share = f64::from(predicted).clamp(1e-6, 1.0 - 1e-6);
    let centipawns = (predicted_share / (1.0 - predicted_share)).ln() * f64::from(objective.scale);
    sums.blended += square(predicted, target);
    sums.scores += square(predicted, Objective { result_share: 0.0, ..objective }.target(sample));
    sums.results += square(predicted, f32::from(sample.half_points()) / 2.0);
    sums.quantised += square(logistic(whole / objective.scale), target);
    sums.quantisation_error += (centipawns - f64::from(whole)).abs().min(1000.0);
}

#[cfg(test)]
mod tests {
    use stretto::eval::network::{FEATURES, OUTPUT_ONE};
    use stretto::position::Position;
    use stretto_harness::config::Source;

    use super::super::data::DatasetSize;
    use super::super::model::Shape;
    use super::*;

    /// Returns a configuration with these settings of the optimiser.
    fn config(dir: &Path, line: &str) -> TrainConfig {
        std::fs::write(dir.join("games.vf"), "").unwrap();
        let text = format!("data: [games.vf]\nhidden: 64\nthreads: 2\ntraining: {{ {line} }}\n");
        TrainConfig::load(&Source::new(dir.join("train.yaml"), text)).unwrap()
    }

    /// Returns by how much the weights of each king bucket move in a step over positions with kings in one bucket.
    fn movement(line: &str) -> (Vec<f32>, Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path(), &format!("decay: 0, {line}"));
        let dataset = Dataset::default();
        let mut trainer = Trainer::start(&config, &dataset, dir.path(), 0).unwrap();
        let before = trainer.parameters.clone();
        let samples = [0, 2].map(|half_points| Sample::new(&Position::startpos(), 90, half_points));
        trainer.step(&samples);
        let inputs = FEATURES / KING_BUCKETS;
        let moved = |feature| {
            let places = (0..64).map(|neuron| Shape::row(feature, neuron));
            places.map(|place| (trainer.parameters.values[place] - before.values[place]).abs()).sum::<f32>()
        };
        let by_bucket =
            (0..KING_BUCKETS).map(|bucket| (0..inputs).map(|input| moved(bucket * inputs + input)).sum());
        (by_bucket.collect(), samples[0].king_buckets().to_vec())
    }

    #[test]
    fn unusable_network_to_continue_from_ends_training_before_the_first_step() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("from.network");
        let mut weights = Parameters::random(64, 1).quantised(200, OUTPUT_ONE, [7; 16]);
        let dataset = Dataset::default();
        let mut start = |change: fn(&mut Weights), scale: u32| {
            change(&mut weights);
            std::fs::write(&file, weights.to_bytes()).unwrap();
            let from = Some(file.clone());
            let config = TrainConfig { from, ..config(dir.path(), &format!("scale: {scale}")) };
            let started = Trainer::start(&config, &dataset, dir.path(), 0);
            started.map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(start(|_| {}, 200), Ok(()));
        let cut = start(|weights| weights.outputs[9] = -127, 150).unwrap_err();
        assert!(cut.starts_with("150: 1 weight of ") && cut.ends_with("; expected at least 200"), "{cut}");
        assert_eq!(start(|_| {}, 200), Ok(()));
        let refused = start(|weights| weights.scale = 0, 200).unwrap_err();
        assert!(
            refused.ends_with("from.network: the scale is 0 centipawns, expected 1 to 10000"),
            "{refused}"
        );
    }

    #[test]
    fn factoriser_teaches_all_king_buckets_and_most_the_own() {
        for (line, is_shared) in [("factoriser: false", false), ("factoriser: true", true)] {
            let (moved, seen) = movement(line);
            let (own, others): (Vec<_>, Vec<_>) =
                moved.iter().enumerate().partition(|&(bucket, _)| seen.contains(&(bucket as u8)));
            assert!(own.iter().all(|&(_, &movement)| movement > 0.0), "{moved:?}");
            assert!(others.iter().all(|&(_, &movement)| (movement > 0.0) == is_shared), "{moved:?}");
            let most = others.iter().map(|&(_, &movement)| movement).fold(0.0, f32::max);
            assert!(own.iter().all(|&(_, &movement)| movement > 1.5 * most), "{moved:?}");
        }
    }

    #[test]
    fn rate_rises_and_then_falls_to_its_final_value() {
        let dir = tempfile::tempdir().unwrap();
        let line = "epochs: 2, batch: 10, rate: 0.01, final_rate: 0.002, warm_up: 20";
        let config = config(dir.path(), line);
        let size = DatasetSize { positions: 1000, ..DatasetSize::default() };
        let dataset = Dataset { size, ..Dataset::default() };
        let trainer = Trainer::start(&config, &dataset, dir.path(), 0).unwrap();
        // 200 steps. At step 10, half of the cosine's rate.
        for (step, expected) in [(0, 0.0), (10, 0.004_975), (20, 0.009_804), (100, 0.006), (200, 0.002)] {
            let rate = trainer.rate(step);
            assert!((rate - expected).abs() < 1e-6, "step {step}: {rate}, expected {expected}");
        }
    }

    #[test]
    fn validation_losses_are_those_of_their_targets() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path(), "result_share: 0.8");
        let validation = vec![Sample::new(&Position::startpos(), 0, 2)];
        let dataset = Dataset { validation, ..Dataset::default() };
        let mut trainer = Trainer::start(&config, &dataset, dir.path(), 0).unwrap();
        // Every position is predicted as 0.8 of the point.
        let biases = trainer.parameters.shape().output_biases();
        trainer.parameters.values.fill(0.0);
        trainer.parameters.values[biases].fill(4.0_f32.ln());
        let (_, network) = trainer.network([0; 16]).unwrap();
        let losses = trainer.validate(&network);
        // The targets are a score of 0, a win, and 0.8 of the win plus 0.2 of the score.
        for (found, expected) in
            [(losses.scores, 0.09), (losses.results, 0.04), (losses.blended, 0.01), (losses.quantised, 0.01)]
        {
            assert!((found - expected).abs() < 1e-3, "{losses:?}, expected {expected}");
        }
    }
}
