//! The display of `train`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::EpochRecord;
use super::run::{TrainPlay, network_in};
use super::study::{TrainState, TrainSummary};
use super::trainer::Position;
use stretto_harness::base::wording::counted;
use stretto_harness::report::Report;
use stretto_harness::run::console::{Screen, clock_time, length_bar};
use stretto_harness::run::executor::{Play, Progress, View};

/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

impl View for TrainPlay {
    fn header(&self) -> String {
        let config = &self.study().config;
        let training = &config.training;
        format!(
            "{} neurons | {}, {} positions a step | {}",
            config.hidden(),
            counted(training.epochs.get() as usize, "epoch"),
            training.batch,
            counted(config.threads(), "thread")
        )
    }

    fn started(&self, state: &TrainState) -> (Value, Option<String>) {
        let epochs = state.epochs.len();
        let body = json!({ "epochs": self.study().config.training.epochs, "epochs_before": epochs });
        (body, (epochs > 0).then(|| format!("after {}", counted(epochs, "epoch"))))
    }

    fn show_record(&self, screen: &Screen, record: &EpochRecord, _fault: Option<&Path>) {
        let validation = record.validation;
        screen.notice(&format!(
            "epoch {:3}  training {:.6}  validation {:.6}  quantised {:.6}  {:.0} thousand positions/s",
            record.epoch,
            record.training_loss,
            validation.blended,
            validation.quantised,
            record.speed / 1e3
        ));
    }

    /// Milliseconds trained: an epoch may take hours, and a line is due meanwhile.
    fn units(&self, _state: &TrainState) -> u64 {
        self.position().map_or(0, |position| position.elapsed.as_millis() as u64)
    }

    fn live(&self, progress: &Progress<'_, TrainState>) -> String {
        let share = self.position().map_or(0.0, |position| position.share);
        let steps = (share * BAR_STEPS as f64) as u64;
        format!("{}\n{}", length_bar(steps, BAR_STEPS, "thousandths"), self.details(progress))
    }

    fn text(&self, state: &TrainState, _summary: &TrainSummary, report: &Report, folder: &Path) -> String {
        let mut text = report.printed();
        if !state.epochs.is_empty() {
            // Writing to a string cannot fail.
            let network = network_in(folder);
            let place = if network.is_file() { "network written to" } else { "network is missing:" };
            let _ = write!(text, "\n{place} {}\n", network.display());
        }
        text
    }

    fn details(&self, _progress: &Progress<'_, TrainState>) -> String {
        self.position().map_or_else(String::new, |position| position_line(&position))
    }
}

/// Formats `epoch 3 | loss 0.012345 | 800 thousand positions/s | elapsed 0:00:10, ETA 0:00:20`.
fn position_line(position: &Position) -> String {
    format!(
        "epoch {} | loss {:.6} | {:.0} thousand positions/s | elapsed {}, ETA {}",
        position.epoch,
        position.loss,
        position.speed / 1e3,
        clock_time(position.elapsed),
        clock_time(position.to_go)
    )
}
