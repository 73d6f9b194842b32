//! Fits the weights of the classical evaluation to games.
//!
//! Texel tuning (Österlund, 2014): the evaluation of a quiet position, through a logistic curve, should be the
//! result of its game. What makes it fast is the trace of the engine's own terms: a position becomes a short list
//! of counts, and the evaluation a formula of the weights whose gradient is known (`model`). `games` reads, `select`
//! picks positions, `scale` fits the curve, `fit` the weights, `outcome` the chances behind a score, and `source`
//! writes the weights as the engine's source has them. The caller is `cli`.

mod fit;
mod games;
mod model;
mod outcome;
mod scale;
mod select;
mod source;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cancel::Cancel;
use crate::config::TuneEvalConfig;
use crate::openings::random::SplitMix64;
use fit::Fit;
use model::{Model, Position, Weights};

pub use games::{GamesError, ReadGames, ScoredGame, ScoredMove, read_games};
pub use outcome::OutcomeFit;
pub use source::render;

/// Why nothing was fitted.
#[derive(Debug, Error)]
pub enum TuneEvalError {
    /// A file is no PGN, or not one of legal moves.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(rayon::ThreadPoolBuildError),
    /// Nothing to learn from, or nothing to judge by.
    #[error("{positions} positions to learn from and {validation} to judge by: more games are needed")]
    TooFew {
        /// Positions for training.
        positions: usize,
        /// Positions for validation.
        validation: usize,
    },
    /// Stopped before there was anything to show.
    #[error("stopped on request")]
    Cancelled,
}

/// What is heard of a fit under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TuneEvalEvent {
    /// The games are read.
    Read {
        /// Games with a result.
        games: usize,
        /// Games without one, left out.
        unfinished: usize,
    },
    /// The positions are picked and taken apart.
    Picked {
        /// For training.
        positions: usize,
        /// For validation.
        validation: usize,
    },
    /// The curve is fitted.
    Scaled {
        /// Units: centipawns.
        scale: f64,
        /// Before the fit, on the positions for validation.
        validation_loss: f64,
    },
    /// A pass is over.
    Epoch(Epoch),
}

/// One pass over the positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// From 1.
    pub epoch: u32,
    /// The most there will be.
    pub epochs: u32,
    /// Mean over the pass, while the weights moved.
    pub training_loss: f64,
    /// After the pass.
    pub validation_loss: f64,
    /// Is that the best so far?
    pub is_best: bool,
    /// Since the fit began.
    #[serde(skip)]
    pub elapsed: Duration,
}

/// Mean losses (cross entropy of the expected score). Units: nats per position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// On the positions trained on, against their blended targets.
    pub training: f64,
    /// On those kept apart, against their blended targets.
    pub validation: f64,
    /// On those kept apart, against the results alone.
    pub validation_results: f64,
}

/// What came out, as `summary.json` keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneEvalSummary {
    /// Was the fit stopped before its end?
    pub is_interrupted: bool,
    /// What was asked for.
    pub config: TuneEvalConfig,
    /// Games with a result.
    pub games: usize,
    /// Games without one, left out.
    pub unfinished_games: usize,
    /// BLAKE3 of the files, in the order of the configuration.
    pub blake3: Vec<String>,
    /// Positions trained on.
    pub positions: usize,
    /// Positions kept apart.
    pub validation_positions: usize,
    /// Of the logistic curve of the evaluation. Units: centipawns.
    pub scale: f64,
    /// Of the curve of the recorded scores, where there are any. Units: centipawns.
    pub recorded_scale: Option<f64>,
    /// Passes made.
    pub epochs: u32,
    /// The pass whose weights are kept; 0 if none was better than the start.
    pub best_epoch: u32,
    /// With the weights that the harness was built with.
    pub before: Losses,
    /// With the new ones, rounded as they are written.
    pub after: Losses,
    /// Chances of win, draw and loss behind a recorded score.
    pub outcome: Option<OutcomeFit>,
    /// How long the fit took. Units: seconds.
    pub seconds: f64,
}

/// The fruit of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// How it came about.
    pub summary: TuneEvalSummary,
    /// The new `weights.rs`.
    pub weights: String,
}

/// Runs a whole job; `observe` hears how it goes. A stop while the weights are fitted keeps the best so far.
pub fn tune_eval(
    config: &TuneEvalConfig,
    cancel: &Cancel,
    mut observe: impl FnMut(TuneEvalEvent) + Send,
) -> Result<Tuned, TuneEvalError> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(config.concurrency).build();
    let threads = threads.map_err(TuneEvalError::Threads)?;
    threads.install(|| {
        let read = read_games(&config.games, cancel)?;
        observe(TuneEvalEvent::Read { games: read.games.len(), unfinished: read.unfinished });
        tune_on(config, cancel, &read, &mut observe)
    })
}

/// The chances behind the scores that the moves of PGN files record, and how many games there are; `None` with too few
/// scores.
pub fn fit_outcome(files: &[PathBuf], cancel: &Cancel) -> Result<(usize, Option<OutcomeFit>), GamesError> {
    let read = read_games(files, cancel)?;
    Ok((read.games.len(), outcome::Histogram::of(&read.games).fit()))
}

fn tune_on(
    config: &TuneEvalConfig,
    cancel: &Cancel,
    read: &ReadGames,
    observe: &mut impl FnMut(TuneEvalEvent),
) -> Result<Tuned, TuneEvalError> {
    let started = Instant::now();
    let recorded = outcome::Histogram::of(&read.games);
    let recorded_scale = recorded.scale();
    let (mut training, validation) = split(config, &read.games, cancel, recorded_scale)?;
    observe(TuneEvalEvent::Picked { positions: training.len(), validation: validation.len() });
    if training.is_empty() || validation.is_empty() {
        return Err(TuneEvalError::TooFew { positions: training.len(), validation: validation.len() });
    }

    let prior = Weights::played();
    let scale = config.scale.unwrap_or_else(|| scale::of_positions(&training, &prior));
    let model = Model { scale };
    let losses = |weights: &Weights, training: &[Position]| Losses {
        training: model.loss(weights, training),
        validation: model.loss(weights, &validation),
        validation_results: model.loss_on_results(weights, &validation),
    };
    let before = losses(&prior, &training);
    observe(TuneEvalEvent::Scaled { scale, validation_loss: before.validation });

    let fit = Fit { model, training: config.training, games: read.games.len(), seed: config.seed };
    let found = fit.run(&prior, &mut training, &validation, cancel, |epoch| {
        observe(TuneEvalEvent::Epoch(epoch));
    });
    let rounded = found.weights.rounded();
    let after = losses(&Weights::from_rounded(&rounded), &training);
    let summary = TuneEvalSummary {
        is_interrupted: found.is_interrupted,
        config: config.clone(),
        games: read.games.len(),
        unfinished_games: read.unfinished,
        blake3: read.blake3.clone(),
        positions: training.len(),
        validation_positions: validation.len(),
        scale,
        recorded_scale,
        epochs: found.epochs,
        best_epoch: found.best_epoch,
        before,
        after,
        outcome: recorded.fit(),
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Tuned { summary, weights: render(&rounded) })
}

/// Positions for training and for validation, split by games so that neighbours in a game never judge each other.
fn split(
    config: &TuneEvalConfig,
    games: &[ScoredGame],
    cancel: &Cancel,
    recorded_scale: Option<f64>,
) -> Result<(Vec<Position>, Vec<Position>), TuneEvalError> {
    let picked: Vec<Vec<select::Picked>> = games
        .par_iter()
        .enumerate()
        .map(
            |(index, game)| {
                if cancel.is_cancelled() { Vec::new() } else { select::pick(config, index as u64, game) }
            },
        )
        .collect();
    if cancel.is_cancelled() {
        return Err(TuneEvalError::Cancelled);
    }
    let mut random = SplitMix64::new(config.seed ^ 0x5711_17ED);
    let mut seen = std::collections::HashSet::new();
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    let limit = (config.validation * u64::MAX as f64) as u64;
    for game in picked {
        let into = if random.next_u64() < limit { &mut validation } else { &mut training };
        for picked in game {
            if seen.insert(picked.key) {
                into.push(picked.into_position(config.blend, recorded_scale));
            }
        }
    }
    Ok((training, validation))
}
