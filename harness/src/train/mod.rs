//! Trains networks on games the engine played against itself.
//!
//! `data` reads the games and keeps some of them apart to judge by; `gradient` finds the slope of the loss over a batch,
//! each thread over its share; `adam` takes the step; `model` makes whole numbers of the result. Nothing in it needs more
//! than processors. The same configuration gives the same network with the same number of threads, and a run that
//! was broken off goes on from its last whole epoch as if nothing had been. The caller is the command line.

mod adam;
mod checkpoint;
mod data;
mod gradient;
mod model;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stretto::eval::network::{Fault, Network, NetworkError, Weights};
use thiserror::Error;

use crate::cancel::Cancel;
use crate::config::TrainConfig;
use crate::store::{Entry, Journal, RunFolder, StoreError, write_atomically};
use crate::training_data::{GameFileError, Sample};
use adam::{Moments, Step, advance};
use checkpoint::Checkpoint;
use gradient::{Objective, Workspace, logistic};
use model::Parameters;

pub use checkpoint::CheckpointError;
pub use data::{Lesson, load};

/// The format of the journal.
const EPOCH_VERSION: u32 = 1;
/// Batches between two looks at the clock.
const LOOK_INTERVAL: usize = 16;
/// Parameters that one thread moves at a time.
const SLICE: usize = 16_384;

/// Why no network came out.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A file of games.
    #[error("{}: {error}", file.display())]
    Games {
        /// Which.
        file: PathBuf,
        /// What is wrong with it.
        error: GameFileError,
    },
    /// Nothing to learn from, or nothing to judge by.
    #[error("{positions} positions to learn from and {validation} to judge by: more games are needed")]
    TooFew {
        /// Positions for training.
        positions: usize,
        /// Positions for validation.
        validation: usize,
    },
    /// The run folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The state to go on from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(rayon::ThreadPoolBuildError),
    /// The network to go on from.
    #[error(transparent)]
    From(#[from] NetworkError),
    /// The network to go on from is wider than the one that shall come out.
    #[error("{}: has {found} neurons a side, the configuration asks for {hidden}; they can only become more", file.display())]
    Wide {
        /// The network.
        file: PathBuf,
        /// Its neurons.
        found: usize,
        /// Those of the configuration.
        hidden: usize,
    },
    /// The weights make no sound network of whole numbers.
    #[error("the trained weights make no network: {0}")]
    Network(Fault),
    /// Stopped before there was anything to keep.
    #[error("stopped on request")]
    Cancelled,
}

/// Mean squared errors over the positions kept apart, of the expected share of the point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValidationLosses {
    /// Against the targets.
    pub blended: f64,
    /// Against the scores alone.
    pub scores: f64,
    /// Against the results alone.
    pub results: f64,
    /// Against the targets, in whole numbers.
    pub quantised: f64,
    /// How far whole numbers move the evaluation, on average. Units: centipawns.
    pub quantisation_error: f64,
}

/// How much there was to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonSize {
    /// Games.
    pub games: u64,
    /// Positions to learn from.
    pub positions: usize,
    /// Positions to judge by.
    pub validation_positions: usize,
}

impl Lesson {
    /// How much it is.
    pub fn size(&self) -> LessonSize {
        LessonSize {
            games: self.games,
            positions: self.training.len(),
            validation_positions: self.validation.len(),
        }
    }
}

/// A pass over the positions, as the journal keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    v: u32,
    /// From 1.
    pub epoch: u32,
    /// Steps so far.
    pub steps: u64,
    /// Length of the last step.
    pub rate: f64,
    /// Mean over the pass, while the weights moved.
    pub training_loss: f64,
    /// After the pass.
    pub validation: ValidationLosses,
    /// Positions a second, validation left out.
    pub speed: f64,
}

impl Entry for EpochRecord {
    fn number(&self) -> u64 {
        self.epoch.into()
    }

    fn check(&self) -> Result<(), String> {
        if self.v == EPOCH_VERSION {
            return Ok(());
        }
        Err(format!("record version {}, expected {EPOCH_VERSION}", self.v))
    }
}

/// What is heard of a training.
pub trait TrainObserver {
    /// Something the user should know.
    fn notice(&mut self, text: &str);
    /// Called now and then: how far it is, positions a second, and the mean loss since the epoch began.
    fn progress(&mut self, position: Progress);
    /// An epoch is over.
    fn epoch(&mut self, record: &EpochRecord);
}

/// How far a training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The epoch under way, from 1.
    pub epoch: u32,
    /// Share of all steps that are done.
    pub share: f64,
    /// Positions a second.
    pub speed: f64,
    /// Mean since the epoch began.
    pub loss: f64,
    /// In this session.
    pub elapsed: Duration,
    /// Until the end.
    pub to_go: Duration,
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The network.
    pub weights: Weights,
    /// All epochs.
    pub epochs: Vec<EpochRecord>,
    /// Are all epochs there?
    pub is_finished: bool,
}

/// The open files of a run.
#[derive(Debug)]
pub struct TrainFiles {
    folder: RunFolder,
    journal: Journal<EpochRecord>,
    epochs: Vec<EpochRecord>,
}

impl TrainFiles {
    /// The network of a run folder.
    pub fn network_in(folder: &Path) -> PathBuf {
        folder.join("stretto.network")
    }

    fn checkpoint_in(folder: &Path) -> PathBuf {
        folder.join("checkpoint.bin")
    }

    /// Opens the files of a folder.
    pub fn open(folder: RunFolder) -> Result<Self, StoreError> {
        let path = folder.journal();
        let mut epochs: Vec<EpochRecord> = Vec::new();
        let (journal, _) = Journal::open(&path, |record: EpochRecord| {
            if record.epoch as usize != epochs.len() + 1 {
                let what = format!("epoch {} follows epoch {}", record.epoch, epochs.len());
                return Err(StoreError::Damaged { path: path.clone(), line: epochs.len() + 1, what });
            }
            epochs.push(record);
            Ok(())
        })?;
        Ok(Self { folder, journal, epochs })
    }

    /// The run folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Epochs that are done.
    pub fn epochs(&self) -> &[EpochRecord] {
        &self.epochs
    }
}

/// The state of a training between two steps.
struct Trainer<'a> {
    config: &'a TrainConfig,
    lesson: &'a Lesson,
    parameters: Parameters,
    moments: Moments,
    steps: u64,
    /// One a thread.
    workspaces: Vec<Workspace>,
}

/// Trains on `lesson`, from where `files` are. `manifest` is the name of the training in the network's file. A stop keeps
/// all whole epochs, and the network of the last.
pub fn train(
    config: &TrainConfig,
    lesson: &Lesson,
    manifest: [u8; 16],
    files: &mut TrainFiles,
    cancel: &Cancel,
    observer: &mut (dyn TrainObserver + Send),
) -> Result<Trained, TrainError> {
    if lesson.training.is_empty() || lesson.validation.is_empty() {
        let (positions, validation) = (lesson.training.len(), lesson.validation.len());
        return Err(TrainError::TooFew { positions, validation });
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(config.threads).build();
    let threads = threads.map_err(TrainError::Threads)?;
    let mut trainer = Trainer::start(config, lesson, files)?;
    threads.install(|| trainer.run(manifest, files, cancel, observer))
}

/// The parameters before the first step.
fn begin(config: &TrainConfig) -> Result<Parameters, TrainError> {
    let Some(file) = &config.from else { return Ok(Parameters::random(config.hidden, config.seed)) };
    let weights = Weights::load(file)?;
    let scale = config.training.scale as f32;
    Parameters::of_network(&weights, config.hidden, scale, config.seed).ok_or_else(|| {
        let (file, found, hidden) = (file.clone(), weights.hidden(), config.hidden);
        TrainError::Wide { file, found, hidden }
    })
}

impl<'a> Trainer<'a> {
    /// From the beginning, or from the last checkpoint.
    fn start(
        config: &'a TrainConfig,
        lesson: &'a Lesson,
        files: &mut TrainFiles,
    ) -> Result<Self, TrainError> {
        let path = TrainFiles::checkpoint_in(files.folder.path());
        let parameters = begin(config)?;
        let count = parameters.values.len();
        let (parameters, moments, steps) = if files.epochs.is_empty() {
            (parameters, Moments::new(count), 0)
        } else {
            let found = Checkpoint::read(&path, config.hidden)?;
            // Written before the line of the journal, so that it may be one epoch ahead, but never behind.
            let steps = files.epochs.last().map_or(0, |record| record.steps);
            if found.steps != steps {
                return Err(CheckpointError::another(&path, found.steps, steps).into());
            }
            (found.parameters, found.moments, found.steps)
        };
        let shape = parameters.shape();
        let workspaces = (0..config.threads).map(|_| Workspace::new(shape)).collect();
        Ok(Self { config, lesson, parameters, moments, steps, workspaces })
    }

    fn batches(&self) -> u64 {
        self.lesson.training.len().div_ceil(self.config.training.batch.get()) as u64
    }

    fn all_steps(&self) -> u64 {
        self.batches() * u64::from(self.config.training.epochs.get())
    }

    fn objective(&self) -> Objective {
        let training = self.config.training;
        Objective { result_share: training.result_share as f32, scale: training.scale as f32 }
    }

    /// What an output of 1 is worth: what the scores say that were learnt from, since both go through the same curve.
    /// Units: centipawns.
    fn output_scale(&self) -> i32 {
        self.config.training.scale.round().max(1.0) as i32
    }

    /// The length of a step: it grows at first, then follows a cosine down to the last.
    fn rate(&self, step: u64) -> f64 {
        let training = self.config.training;
        let share = step as f64 / self.all_steps().max(1) as f64;
        let cosine = 0.5 * (1.0 + (std::f64::consts::PI * share).cos());
        let rate = training.final_rate + (training.rate - training.final_rate) * cosine;
        rate * (step as f64 / f64::from(training.warm_up.max(1))).min(1.0)
    }

    fn run(
        &mut self,
        manifest: [u8; 16],
        files: &mut TrainFiles,
        cancel: &Cancel,
        observer: &mut (dyn TrainObserver + Send),
    ) -> Result<Trained, TrainError> {
        let started = Instant::now();
        let first_step = self.steps;
        let epochs = self.config.training.epochs.get();
        let mut is_finished = true;
        for epoch in files.epochs.len() as u32 + 1..=epochs {
            let Some((training_loss, speed)) = self.epoch(epoch, cancel, (started, first_step), observer)
            else {
                is_finished = false;
                break;
            };
            let weights = self.parameters.quantised(self.output_scale(), manifest);
            let record = EpochRecord {
                v: EPOCH_VERSION,
                epoch,
                steps: self.steps,
                rate: self.rate(self.steps),
                training_loss,
                validation: self.validate(&Network::new(&weights).map_err(TrainError::Network)?),
                speed,
            };
            let folder = files.folder.path();
            Checkpoint::write(
                &TrainFiles::checkpoint_in(folder),
                &self.parameters,
                &self.moments,
                self.steps,
            )?;
            let network = TrainFiles::network_in(folder);
            write_atomically(&network, &weights.to_bytes())
                .map_err(|error| StoreError::io("write", &network, error))?;
            files.journal.append(&record)?;
            files.journal.sync()?;
            files.epochs.push(record);
            observer.epoch(&record);
        }
        if files.epochs.is_empty() {
            return Err(TrainError::Cancelled);
        }
        // A broken epoch has moved the parameters; the last whole one is in its checkpoint.
        if !is_finished {
            let path = TrainFiles::checkpoint_in(files.folder.path());
            self.parameters = Checkpoint::read(&path, self.config.hidden)?.parameters;
        }
        let weights = self.parameters.quantised(self.output_scale(), manifest);
        Ok(Trained { weights, epochs: files.epochs.clone(), is_finished })
    }

    /// One pass; its mean loss and its speed, or nothing if it was broken off.
    fn epoch(
        &mut self,
        epoch: u32,
        cancel: &Cancel,
        (started, first_step): (Instant, u64),
        observer: &mut (dyn TrainObserver + Send),
    ) -> Option<(f64, f64)> {
        let batch = self.config.training.batch.get();
        let count = self.lesson.training.len();
        let (begun, mut loss, mut seen) = (Instant::now(), 0.0, 0);
        // Every pass cuts the same order into other batches.
        let offset = (epoch as usize - 1) * batch / self.config.training.epochs.get() as usize;
        for number in 0..self.batches() as usize {
            if cancel.is_cancelled() {
                return None;
            }
            let positions = batch.min(count - number * batch);
            loss += self.step((offset + number * batch) % count, positions);
            seen += positions;
            if number % LOOK_INTERVAL == 0 {
                let (elapsed, done) = (started.elapsed(), (self.steps - first_step).max(1));
                let left = self.all_steps() - self.steps;
                observer.progress(Progress {
                    epoch,
                    share: self.steps as f64 / self.all_steps() as f64,
                    speed: seen as f64 / begun.elapsed().as_secs_f64().max(1e-9),
                    loss: loss / seen as f64,
                    elapsed,
                    to_go: elapsed.mul_f64(left as f64 / done as f64),
                });
            }
        }
        Some((loss / seen as f64, seen as f64 / begun.elapsed().as_secs_f64().max(1e-9)))
    }

    /// One step over so many positions from `first` on, around the end; the sum of their losses.
    fn step(&mut self, first: usize, positions: usize) -> f64 {
        self.steps += 1;
        let all = &self.lesson.training;
        let (objective, parameters) = (self.objective(), &self.parameters.values);
        let share = positions.div_ceil(self.workspaces.len());
        self.workspaces.par_iter_mut().enumerate().for_each(|(thread, work)| {
            work.loss = 0.0;
            let (begin, end) = ((thread * share).min(positions), ((thread + 1) * share).min(positions));
            let (begin, end) = (first + begin, first + end);
            let count = all.len();
            // At most once around.
            work.add(parameters, objective, &all[begin.min(count)..end.min(count)]);
            work.add(parameters, objective, &all[begin.max(count) - count..end.max(count) - count]);
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

    /// Judges by the positions kept apart, as they are and in whole numbers.
    fn validate(&mut self, network: &Network) -> ValidationLosses {
        let (objective, parameters) = (self.objective(), &self.parameters.values);
        let all = &self.lesson.validation;
        let share = all.len().div_ceil(self.workspaces.len());
        let sums: Vec<ValidationLosses> = self
            .workspaces
            .par_iter_mut()
            .zip(all.par_chunks(share))
            .map(|(work, samples)| {
                let mut sums = ValidationLosses::default();
                work.judge(parameters, samples, |sample, said| {
                    add_losses(&mut sums, network, objective, sample, said);
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
    said: f32,
) {
    let square = |said: f32, target: f32| f64::from((said - target).powi(2));
    let target = objective.target(sample);
    let whole = network.evaluate_inputs(sample.features(), sample.pieces()).0 as f32;
    // Back from the share of the point to centipawns; both ends of the logistic are far away in doubles.
    let said_share = f64::from(said).clamp(1e-6, 1.0 - 1e-6);
    let centipawns = (said_share / (1.0 - said_share)).ln() * f64::from(objective.scale);
    sums.blended += square(said, target);
    sums.scores += square(said, Objective { result_share: 0.0, ..objective }.target(sample));
    sums.results += square(said, f32::from(sample.half_points()) / 2.0);
    sums.quantised += square(logistic(whole / objective.scale), target);
    sums.quantisation_error += (centipawns - f64::from(whole)).abs().min(1000.0);
}
