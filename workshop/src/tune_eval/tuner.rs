//! A complete fit: games, positions, scale, weights and the summary.

use std::time::Instant;

use anyhow::{Context, anyhow};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::fit::{EpochLosses, Fit};
use super::games::{ReadGames, ScoredGame, read_games};
use super::model::{Model, Position, Weights};
use super::{TuneEvalConfig, outcome, render, scale, select};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_harness::base::random::SplitMix64;

/// The likely cause of a failed fit.
pub(crate) const POINT_OF_VIEW: &str = "are the scores those of the side to move?";

/// A progress event of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TuneEvalEvent {
    /// The games have been read.
    Read {
        /// Number of games with a result.
        games: usize,
        /// Number of skipped games without a result.
        unfinished: usize,
    },
    /// The games have too few scores for `blend`.
    FewScores {
        /// Number of recorded scores that count.
        scores: u64,
    },
    /// The positions have been selected and split.
    Picked {
        /// Number of training positions.
        positions: usize,
        /// Number of validation positions.
        validation: usize,
    },
    /// The scale has been fitted.
    Scaled {
        /// Scale of the logistic curve. Units: centipawns.
        scale: f64,
        /// Validation loss before the fit.
        validation_loss: f64,
    },
    /// An epoch has finished.
    Epoch(EpochLosses),
}

/// Mean cross entropies of the expected score. Units: nats per position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Losses {
    /// On the training positions, against the blended targets.
    pub training: f64,
    /// On the validation positions, against the blended targets.
    pub validation: f64,
    /// On the validation positions, against the results only.
    pub validation_results: f64,
}

/// The content of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TuneEvalSummary {
    /// Whether the fit was cancelled.
    pub is_interrupted: bool,
    /// Configuration of the fit.
    pub config: TuneEvalConfig,
    /// Number of games with a result.
    pub games: usize,
    /// Number of skipped games without a result.
    pub unfinished_games: usize,
    /// BLAKE3 hashes of the files, in the order of the configuration.
    pub blake3: Vec<String>,
    /// Number of training positions.
    pub positions: usize,
    /// Number of validation positions.
    pub validation_positions: usize,
    /// Scale of the logistic curve of the evaluation. Units: centipawns.
    pub scale: f64,
    /// Scale of the curve of the recorded scores, if there are any. Units: centipawns.
    pub recorded_scale: Option<f64>,
    /// Number of epochs done.
    pub epochs: u32,
    /// Epoch whose weights are kept; 0 if none improved on the initial weights.
    pub best_epoch: u32,
    /// Losses with the current engine weights.
    pub before: Losses,
    /// Losses with the fitted weights, rounded as written.
    pub after: Losses,
    /// Duration of the fit. Units: seconds.
    pub seconds: f64,
}

impl TuneEvalSummary {
    /// Returns a remark if the games had too few scores for `blend`.
    pub(crate) fn remark(&self) -> Option<String> {
        ignores_blend(&self.config, self.recorded_scale)
            .then(|| "too few recorded scores: `blend` had no effect, the targets are the results".to_owned())
    }
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tuned {
    /// Summary of the fit.
    pub summary: TuneEvalSummary,
    /// Content of the new `weights.rs`.
    pub weights: String,
}

/// Runs a complete fit; `observe` receives progress events. Cancellation during the fit keeps the
/// best weights so far.
pub(crate) fn tune_eval(
    config: &TuneEvalConfig,
    cancel: &Cancel,
    mut observe: impl FnMut(TuneEvalEvent) + Send,
) -> Result<Tuned, Stop> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(config.threads()).build();
    let threads = threads.context("cannot start threads")?;
    threads.install(|| {
        let read = read_games(&config.games, cancel)?;
        observe(TuneEvalEvent::Read { games: read.games.len(), unfinished: read.unfinished });
        tune_on(config, cancel, &read, &mut observe)
    })
}

fn tune_on(
    config: &TuneEvalConfig,
    cancel: &Cancel,
    read: &ReadGames,
    observe: &mut impl FnMut(TuneEvalEvent),
) -> Result<Tuned, Stop> {
    let started = Instant::now();
    let recorded = outcome::recorded_scores(&read.games);
    let recorded_scale = outcome::scale_of_recorded(&recorded);
    if let Some(scale) = recorded_scale.filter(|&scale| config.blend > 0.0 && !scale::is_inside(scale)) {
        return Err(anyhow!(
            "the fitted scale of the recorded scores is {scale:.0} centipawns, an end of its range: {POINT_OF_VIEW}"
        )
        .into());
    }
    if ignores_blend(config, recorded_scale) {
        observe(TuneEvalEvent::FewScores { scores: recorded.len() as u64 });
    }
    let Split { mut training, validation, training_games } =
        split(config, &read.games, cancel, recorded_scale)?;
    observe(TuneEvalEvent::Picked { positions: training.len(), validation: validation.len() });
    if training.is_empty() || validation.is_empty() {
        let (positions, validation) = (training.len(), validation.len());
        return Err(anyhow!(
            "{positions} training and {validation} validation positions: expected at least one of each, add more games"
        )
        .into());
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

    let fit = Fit { model, training: config.training, games: training_games, seed: config.seed };
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
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Tuned { summary, weights: render(&rounded) })
}

/// Whether `blend` has no effect, because there are too few recorded scores for their scale.
fn ignores_blend(config: &TuneEvalConfig, recorded_scale: Option<f64>) -> bool {
    config.blend > 0.0 && recorded_scale.is_none()
}

/// The positions of a fit.
struct Split {
    training: Vec<Position>,
    validation: Vec<Position>,
    /// Number of games whose positions are in `training`.
    training_games: usize,
}

/// Selects training and validation positions, split by games so that no game contributes to both.
fn split(
    config: &TuneEvalConfig,
    games: &[ScoredGame],
    cancel: &Cancel,
    recorded_scale: Option<f64>,
) -> Result<Split, Stop> {
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
        return Err(Stop::Cancelled);
    }
    let mut random = SplitMix64::new(config.seed ^ 0x5711_17ED);
    let mut seen = std::collections::HashSet::new();
    let mut found = Split { training: Vec::new(), validation: Vec::new(), training_games: 0 };
    let limit = (config.validation * u64::MAX as f64) as u64;
    for game in picked {
        let is_validation = random.next_u64() < limit;
        found.training_games += usize::from(!is_validation);
        let into = if is_validation { &mut found.validation } else { &mut found.training };
        for picked in game {
            if seen.insert(picked.key) {
                into.push(picked.into_position(config.blend, recorded_scale));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use stretto_harness::config::Source;

    #[test]
    fn cancelled_reading_of_games_is_a_cancelled_fit() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("games.pgn"), "1. e4 {+0.20/4 0.001s} e5 1-0\n").unwrap();
        let source = Source::new(dir.path().join("tune.yaml"), "games: [games.pgn]\n".to_owned());
        let config = TuneEvalConfig::load(&source).unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        let found = tune_eval(&config, &cancel, |_| {});
        assert!(matches!(found, Err(Stop::Cancelled)), "{found:?}");
    }
}
