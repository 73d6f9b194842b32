//! How a training shows itself.

use std::path::Path;
use std::time::Instant;

use indicatif::ProgressBar;

use super::{LIVE_INTERVAL, PLAIN_INTERVAL, clock_time, length_bar, live_view, say};
use crate::config::TrainConfig;
use crate::train::{EpochRecord, Progress, TrainObserver};

/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

/// Where a training shows itself.
#[derive(Debug)]
pub struct TrainDisplay {
    live: Option<ProgressBar>,
    header: String,
    last_shown: Instant,
}

impl TrainDisplay {
    /// A display for this run.
    pub fn new(config: &TrainConfig) -> Self {
        let training = &config.training;
        let header = format!(
            "{} neurons | {} epochs, {} positions a step | {} threads",
            config.hidden, training.epochs, training.batch, config.threads
        );
        Self { live: live_view(), header, last_shown: Instant::now() }
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, epochs_before: usize) {
        if self.live.is_none() {
            say(&self.header);
        }
        say(&format!("run folder: {}", run.display()));
        if epochs_before > 0 {
            say(&format!("resumed after {epochs_before} epochs"));
        }
    }

    /// Removes the live view, for other text to follow.
    pub fn abandon(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish_and_clear();
        }
    }
}

impl TrainObserver for TrainDisplay {
    fn notice(&mut self, text: &str) {
        match &self.live {
            Some(live) => live.suspend(|| say(text)),
            None => say(text),
        }
    }

    fn progress(&mut self, progress: Progress) {
        let interval = if self.live.is_some() { LIVE_INTERVAL } else { PLAIN_INTERVAL };
        if self.last_shown.elapsed() < interval {
            return;
        }
        self.last_shown = Instant::now();
        let line = format!(
            "epoch {} | loss {:.6} | {:.0} thousand positions a second | elapsed {}, to go about {}",
            progress.epoch,
            progress.loss,
            progress.speed / 1e3,
            clock_time(progress.elapsed),
            clock_time(progress.to_go)
        );
        match &self.live {
            Some(live) => {
                let bar = length_bar((progress.share * BAR_STEPS as f64) as u64, BAR_STEPS, "thousandths");
                live.set_message(format!("{}\n{bar}\n{line}", self.header));
                live.tick();
            }
            None => say(&line),
        }
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
