//! What is learnt: the positions of games, in random order, with some games kept apart to judge by.

use std::fs::File;
use std::io::BufReader;

use super::TrainError;
use super::gradient::logistic;
use crate::cancel::Cancel;
use crate::config::TrainConfig;
use crate::openings::random::SplitMix64;
use crate::training_data::{GameReader, Prospect, Sample};

/// The positions of a training.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// To learn from, in the order in which they are taken.
    pub training: Vec<Sample>,
    /// To judge by; no game has positions in both.
    pub validation: Vec<Sample>,
    /// Games read.
    pub games: u64,
}

/// Keeps the choice of games apart from the order of positions.
const SPLIT_SALT: u64 = 0x0005_EED0_FA11;

/// Reads the games of a configuration; `tell` hears now and then how many.
pub fn load(config: &TrainConfig, cancel: &Cancel, mut tell: impl FnMut(u64)) -> Result<Lesson, TrainError> {
    let mut lesson = Lesson::default();
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
            let into = if is_apart { &mut lesson.validation } else { &mut lesson.training };
            let prospects = Prospect::of_game(&game, training.lambda as f32, curve);
            into.extend(Sample::with_prospects(&game, &config.filter, &prospects));
            lesson.games += 1;
            if lesson.games.is_multiple_of(TELL_INTERVAL) {
                tell(lesson.games);
            }
        }
    }
    SplitMix64::new(config.seed).shuffle(&mut lesson.training);
    Ok(lesson)
}

/// Games between two words about them.
const TELL_INTERVAL: u64 = 100_000;
