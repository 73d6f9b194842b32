//! The training data set: positions of games in random order, with some games reserved for
//! validation.

use std::fs::File;
use std::io::BufReader;

use super::TrainError;
use super::gradient::logistic;
use crate::base::cancel::Cancel;
use crate::base::random::SplitMix64;
use crate::learn::data::{GameReader, Sample, Target};
use crate::learn::train::TrainConfig;

/// The samples of a training run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dataset {
    /// Training samples in random order.
    pub training: Vec<Sample>,
    /// Validation samples; no game contributes to both sets.
    pub validation: Vec<Sample>,
    /// Number of games read.
    pub games: u64,
}

/// Decouples the choice of validation games from the order of positions.
const SPLIT_SALT: u64 = 0x0005_EED0_FA11;

/// Reads the games of a configuration; `tell` periodically receives their number.
pub(crate) fn load(
    config: &TrainConfig,
    cancel: &Cancel,
    mut tell: impl FnMut(u64),
) -> Result<Dataset, TrainError> {
    let mut dataset = Dataset::default();
    let mut split = SplitMix64::new(config.seed ^ SPLIT_SALT);
    let training = config.training;
    let curve = |score: i16| logistic(f32::from(score) / training.scale as f32);
    let limit = (config.validation * u64::MAX as f64) as u64;
    for file in &config.data {
        let fail = |error| TrainError::Games { file: file.clone(), error };
        let opened = File::open(file).map_err(|error| fail(error.into()))?;
        let mut reader = GameReader::new(BufReader::with_capacity(1 << 20, opened));
        while let Some(game) = reader.next_game().map_err(fail)? {
            if cancel.is_cancelled() {
                return Err(TrainError::Cancelled);
            }
            let is_apart = split.next_u64() < limit;
            let into = if is_apart { &mut dataset.validation } else { &mut dataset.training };
            let targets = Target::of_game(&game, training.lambda as f32, curve);
            into.extend(Sample::with_targets(&game, &config.filter, &targets));
            dataset.games += 1;
            if dataset.games.is_multiple_of(TELL_INTERVAL) {
                tell(dataset.games);
            }
        }
    }
    SplitMix64::new(config.seed).shuffle(&mut dataset.training);
    Ok(dataset)
}

/// Number of games between two progress messages.
const TELL_INTERVAL: u64 = 100_000;
