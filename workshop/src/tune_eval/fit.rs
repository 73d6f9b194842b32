//! Gradient descent over batches until the validation loss stops improving.
//!
//! Uses Adam (Kingma and Ba, "A Method for Stochastic Optimization", 2015), so that rarely used
//! weights converge as reliably as common ones. A normal prior holds each weight near its current
//! value; weights used in few positions stay there.

use std::time::Instant;

use stretto::eval::classical::UNITS_PER_CENTIPAWN;

use std::time::Duration;

use serde::Serialize;

use super::model::{Model, Position, Weights};
use crate::tune_eval::Training;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::random::SplitMix64;

/// The record of one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct EpochLosses {
    /// Number of the epoch, from 1.
    pub epoch: u32,
    /// Maximum number of epochs.
    pub epochs: u32,
    /// Mean training loss during the epoch.
    pub training_loss: f64,
    /// Validation loss after the epoch.
    pub validation_loss: f64,
    /// Whether the validation loss is the lowest so far.
    pub is_best: bool,
    /// Time since the start of the fit.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// Decay rates of Adam's moments.
const MEMORY: [f64; 2] = [0.9, 0.999];
/// Lower bound of the denominator, for unused weights.
const FLOOR: f64 = 1e-9;

/// A fit with its configuration.
pub(super) struct Fit {
    pub(super) model: Model,
    pub(super) training: Training,
    /// Number of games with training positions. Positions of one game are not independent, so the
    /// prior is weighed against games.
    pub(super) games: usize,
    pub(super) seed: u64,
}

/// The result of a fit.
pub(super) struct Found {
    /// Weights with the lowest validation loss.
    pub(super) weights: Weights,
    pub(super) epochs: u32,
    pub(super) best_epoch: u32,
    pub(super) is_interrupted: bool,
}

/// Adam's moments of one weight: mean gradient and mean square.
#[derive(Clone, Copy, Default)]
struct Moments([f64; 2]);

impl Moments {
    /// Updates the moments and returns the normalised step, of length about one at most.
    fn step(&mut self, gradient: f64, steps: i32) -> f64 {
        for (mean, (decay, sample)) in
            self.0.iter_mut().zip(MEMORY.into_iter().zip([gradient, gradient.powi(2)]))
        {
            *mean = decay * *mean + (1.0 - decay) * sample;
        }
        let [mean, square] = [0, 1].map(|i| self.0[i] / (1.0 - MEMORY[i].powi(steps)));
        mean / (square.sqrt() + FLOOR)
    }
}

impl Fit {
    /// Runs the fit from `prior`. The training positions are shuffled in place.
    pub(super) fn run(
        &self,
        prior: &Weights,
        training: &mut [Position],
        validation: &[Position],
        cancel: &Cancel,
        mut observe: impl FnMut(EpochLosses),
    ) -> Found {
        let started = Instant::now();
        let epochs = self.training.epochs.get();
        let mut random = SplitMix64::new(self.seed ^ 0xADA4);
        let mut weights = prior.clone();
        let mut moments = vec![[Moments::default(); 2]; weights.0.len()];
        let mut found = Found { weights: prior.clone(), epochs: 0, best_epoch: 0, is_interrupted: false };
        let mut best = self.model.loss(prior, validation);
        let mut rate = self.training.rate * f64::from(UNITS_PER_CENTIPAWN);
        let mut steps = 0;
        for epoch in 1..=epochs {
            random.shuffle(training);
            let mut loss = 0.0;
            for batch in training.chunks(self.training.batch.get()) {
                if cancel.is_cancelled() {
                    found.is_interrupted = true;
                    return found;
                }
                steps += 1;
                let batch_loss = self.step(&mut weights, prior, &mut moments, batch, rate, steps);
                loss += batch_loss * batch.len() as f64 / training.len() as f64;
            }
            rate *= self.training.decay;
            let validation_loss = self.model.loss(&weights, validation);
            let is_best = validation_loss < best;
            if is_best {
                best = validation_loss;
                found.weights.clone_from(&weights);
                found.best_epoch = epoch;
            }
            found.epochs = epoch;
            let elapsed = started.elapsed();
            observe(EpochLosses { epoch, epochs, training_loss: loss, validation_loss, is_best, elapsed });
            if epoch - found.best_epoch >= self.training.patience.get() {
                break;
            }
        }
        found
    }

    /// Runs one step; returns the loss of the batch before it.
    fn step(
        &self,
        weights: &mut Weights,
        prior: &Weights,
        moments: &mut [[Moments; 2]],
        batch: &[Position],
        rate: f64,
        steps: i32,
    ) -> f64 {
        let spread = self.training.prior_spread * f64::from(UNITS_PER_CENTIPAWN);
        let pull = 1.0 / (spread * spread * self.games as f64);
        let (loss, gradient) = self.model.gradient(weights, batch);
        for (((weight, prior), moments), gradient) in
            weights.0.iter_mut().zip(&prior.0).zip(moments).zip(gradient)
        {
            for half in 0..2 {
                let slope = gradient[half] + pull * (weight[half] - prior[half]);
                weight[half] -= rate * moments[half].step(slope, steps);
            }
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use stretto::eval::classical::{TABLES, trace};

    use super::super::model::sigmoid;
    use super::super::model::tests::boards;
    use super::*;

    /// Returns the weight indices of a table.
    fn range(name: &str) -> std::ops::Range<usize> {
        let table = TABLES.iter().find(|table| table.name == name).unwrap();
        table.start..table.start + table.weights.len()
    }

    #[test]
    fn known_weights_are_recovered() {
        let model = Model { scale: 200.0 };
        let mut hidden = Weights::played();
        for weight in range("MATERIAL").chain(range("KNIGHT_MOBILITY")).chain(range("DANGER_ATTACKERS")) {
            hidden.0[weight][0] *= 1.3;
            hidden.0[weight][1] *= 0.8;
        }
        let mut all: Vec<Position> = boards(250)
            .iter()
            .filter_map(trace)
            .map(|trace| {
                let value = Position::new(&trace, 0.5, 0.5).value(&hidden);
                let share = sigmoid(value / model.scale);
                Position::new(&trace, share, share)
            })
            .collect();
        let validation = all.split_off(all.len() - 2000);
        let training = Training {
            epochs: NonZeroU32::new(60).unwrap(),
            batch: std::num::NonZeroUsize::new(1024).unwrap(),
            rate: 1.0,
            decay: 0.93,
            prior_spread: 1e4,
            ..Training::default()
        };
        let fit = Fit { model, training, games: 250, seed: 1 };
        let prior = Weights::played();
        let found = fit.run(&prior, &mut all, &validation, &Cancel::new(), |_| {});
        let excess = |weights| model.loss(weights, &validation) - model.loss(&hidden, &validation);
        assert!(
            excess(&found.weights) < 0.1 * excess(&prior),
            "{} of {}",
            excess(&found.weights),
            excess(&prior)
        );
        // Material and mobility share the value of a knight, so only part of the change shows in
        // its material.
        let knight = range("MATERIAL").start + 1;
        let gained = found.weights.0[knight][0] - prior.0[knight][0];
        assert!(gained > 0.1 * prior.0[knight][0], "{gained}");

        let again = fit.run(&prior, &mut all.clone(), &validation, &Cancel::new(), |_| {});
        let once_more = fit.run(&prior, &mut all, &validation, &Cancel::new(), |_| {});
        assert_eq!(again.weights, once_more.weights);
    }

    #[test]
    fn narrow_prior_keeps_the_weights() {
        let mut training: Vec<Position> =
            boards(5).iter().filter_map(trace).map(|trace| Position::new(&trace, 1.0, 1.0)).collect();
        let validation = training.clone();
        let settings = Training {
            epochs: NonZeroU32::new(20).unwrap(),
            rate: 0.02,
            prior_spread: 1e-3,
            ..Training::default()
        };
        let fit = Fit { model: Model { scale: 200.0 }, training: settings, games: 5, seed: 1 };
        let prior = Weights::played();
        let found = fit.run(&prior, &mut training, &validation, &Cancel::new(), |_| {});
        let moved = found.weights.0.iter().zip(&prior.0).any(|(a, b)| (a[0] - b[0]).abs() > 1.0);
        assert!(!moved);
    }

    #[test]
    fn cancelled_fit_keeps_the_best_weights() {
        let mut training: Vec<Position> =
            boards(2).iter().filter_map(trace).map(|trace| Position::new(&trace, 1.0, 1.0)).collect();
        let validation = training.clone();
        let cancel = Cancel::new();
        let fit = Fit { model: Model { scale: 200.0 }, training: Training::default(), games: 2, seed: 1 };
        let prior = Weights::played();
        let found = fit.run(&prior, &mut training, &validation, &cancel, |_| cancel.cancel());
        assert!(found.is_interrupted && found.epochs == 1);
        assert_ne!(found.weights, prior);
    }
}
