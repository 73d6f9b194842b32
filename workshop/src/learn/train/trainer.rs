//! The state of a training between two steps, and how an epoch moves it.

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use stretto::eval::network::{Network, Weights};

use super::adam::{Moments, Step, advance};
use super::checkpoint::Checkpoint;
use super::gradient::{Objective, Workspace, logistic};
use super::model::Parameters;
use super::shards::Batches;
use super::{Dataset, TrainConfig, TrainError, ValidationLosses};
use crate::learn::data::Sample;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::run::StoreError;

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
    pub(super) steps: u64,
    /// Gradients, one for each thread.
    workspaces: Vec<Workspace>,
    /// When this session began, and after how many steps.
    started: (Instant, u64),
}

/// Loads the network to continue from, if there is one.
///
/// Errors: it cannot be read, or has more neurons than the configuration.
pub(super) fn initial_network(config: &TrainConfig) -> Result<Option<Weights>, TrainError> {
    let Some(file) = &config.from else { return Ok(None) };
    let weights = Weights::load(file)?;
    let (found, hidden) = (weights.hidden(), config.hidden());
    if found > hidden {
        return Err(TrainError::Wide { file: file.clone(), found, hidden });
    }
    Ok(Some(weights))
}

/// Returns the parameters before the first step.
fn begin(config: &TrainConfig) -> Result<Parameters, TrainError> {
    let (hidden, seed) = (config.hidden(), config.seed);
    let Some(weights) = initial_network(config)? else { return Ok(Parameters::random(hidden, seed)) };
    let parameters = Parameters::of_network(&weights, hidden, config.training.scale as f32, seed);
    Ok(parameters.expect("a network with more neurons is an error"))
}

impl<'a> Trainer<'a> {
    /// Starts from the beginning, or after `steps` steps from the checkpoint in the file `path`.
    pub(super) fn start(
        config: &'a TrainConfig,
        dataset: &'a Dataset,
        path: &Path,
        steps: u64,
    ) -> Result<Self, TrainError> {
        let parameters = begin(config)?;
        let (parameters, moments) = if steps == 0 {
            let count = parameters.values.len();
            (parameters, Moments::new(count))
        } else {
            let found = Checkpoint::find(path, config.hidden(), steps)?;
            (found.parameters, found.moments)
        };
        let shape = parameters.shape();
        let workspaces = (0..config.threads()).map(|_| Workspace::new(shape)).collect();
        let started = (Instant::now(), steps);
        Ok(Self { config, dataset, parameters, moments, steps, workspaces, started })
    }

    /// Keeps the state in the file `path`.
    pub(super) fn write_checkpoint(&self, path: &Path) -> Result<(), StoreError> {
        Checkpoint::write(path, &self.parameters, &self.moments, self.steps)
    }

    /// Returns the network of the present parameters, in whole numbers.
    pub(super) fn weights(&self, manifest: [u8; 16]) -> Weights {
        self.parameters.quantised(self.output_scale(), manifest)
    }

    fn batches(&self) -> u64 {
        self.dataset.positions.div_ceil(self.config.training.batch.get()) as u64
    }

    fn all_steps(&self) -> u64 {
        self.batches() * u64::from(self.config.training.epochs.get())
    }

    /// Whether the king buckets still share their weights.
    fn shares_buckets(&self) -> bool {
        let training = self.config.training;
        let default = if self.config.from.is_none() { training.epochs.get() / 2 } else { 0 };
        self.steps <= self.batches() * u64::from(training.shared_epochs.unwrap_or(default))
    }

    fn objective(&self) -> Objective {
        let training = self.config.training;
        Objective { result_share: training.result_share as f32, scale: training.scale as f32 }
    }

    /// Returns the value of an output of 1: the scale of the scores, since both go through the same
    /// curve.
    /// Units: centipawns.
    fn output_scale(&self) -> i32 {
        self.config.training.scale.round().max(1.0) as i32
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
    ) -> Result<Option<(f64, f64)>, TrainError> {
        let (started, first_step) = self.started;
        let batch = self.config.training.batch.get();
        let (begun, mut loss, mut seen) = (Instant::now(), 0.0, 0);
        let Dataset { folder, shards, .. } = self.dataset;
        let batches = Batches::start(folder, shards, batch, self.config.seed, epoch);
        let batches = batches.map_err(|error| TrainError::shard(folder, error.to_string()))?;
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
        let shares_buckets = self.shares_buckets();
        self.workspaces.par_iter_mut().enumerate().for_each(|(thread, work)| {
            work.loss = 0.0;
            let (begin, end) = ((thread * share).min(positions), ((thread + 1) * share).min(positions));
            work.add(parameters, objective, &samples[begin..end]);
            if shares_buckets {
                work.share_between_buckets();
            }
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
        self.parameters
            .values
            .par_chunks_mut(SLICE)
            .zip(self.moments.means.par_chunks_mut(SLICE))
            .zip(self.moments.squares.par_chunks_mut(SLICE))
            .zip(by_slice.par_iter_mut())
            .for_each(|(((parameters, means), squares), gradients)| {
                advance(step, parameters, means, squares, gradients);
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
