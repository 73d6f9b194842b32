//! How a training shows itself.

use std::path::Path;

use serde_json::json;

use super::screen::Screen;
use super::{clock_time, length_bar};
use crate::config::TrainConfig;
use crate::train::{EpochRecord, Progress, TrainObserver};

/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

/// Where a training shows itself.
#[derive(Debug)]
pub struct TrainDisplay(Screen);

impl TrainDisplay {
    /// A display for this run.
    pub fn new(config: &TrainConfig) -> Self {
        let training = &config.training;
        let header = format!(
            "{} neurons | {} epochs, {} positions a step | {} threads",
            config.hidden, training.epochs, training.batch, config.threads
        );
        Self(Screen::new(header, false))
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, epochs_before: usize) {
        let before = (epochs_before > 0).then(|| format!("after {epochs_before} epochs"));
        self.0.start(run, json!({}), before);
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        self.0.abandon();
    }
}

impl TrainObserver for TrainDisplay {
    fn notice(&mut self, text: &str) {
        self.0.notice(text);
    }

    fn progress(&mut self, progress: Progress) {
        if !self.0.is_due(progress.elapsed.as_millis() as u64) {
            return;
        }
        let line = format!(
            "epoch {} | loss {:.6} | {:.0} thousand positions a second | elapsed {}, to go about {}",
            progress.epoch,
            progress.loss,
            progress.speed / 1e3,
            clock_time(progress.elapsed),
            clock_time(progress.to_go)
        );
        let steps = (progress.share * BAR_STEPS as f64) as u64;
        self.0.show(|| format!("{}\n{line}", length_bar(steps, BAR_STEPS, "thousandths")), || line.clone());
    }

    fn epoch(&mut self, record: &EpochRecord) {
        let validation = record.validation;
        self.notice(&format!(
            "epoch {:3}  training {:.6}  validation {:.6}  quantised {:.6}  {:.0} thousand positions a second",
            record.epoch,
            record.training_loss,
            validation.blended,
            validation.quantised,
            record.speed / 1e3
        ));
    }
}
