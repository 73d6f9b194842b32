//! The report of `harness train`.

use maud::html;

use super::page::{Report, markdown_table, table};
use super::trend::{Line, Trend};
use crate::config::TrainConfig;
use crate::train::{EpochRecord, LessonSize};

const TITLE: &str = "A network's training";

/// What the columns mean.
const LEGEND: &str = "Losses are mean squared errors of the expected share of the point. Training: over the epoch, while the \
weights moved. Validation: over the positions of games kept apart, against the blended targets, the scores alone, the \
results alone, and the targets again with the network in whole numbers. Quantisation: how far whole numbers move the \
evaluation on average, in centipawns.";

const HEADER: [&str; 9] = [
    "epoch",
    "rate",
    "training",
    "validation",
    "scores",
    "results",
    "whole numbers",
    "quantisation",
    "thousand positions/s",
];

/// The line below the title.
fn subtitle(config: &TrainConfig, size: Option<LessonSize>) -> String {
    let size = size.map_or_else(String::new, |LessonSize { games, positions, validation_positions }| {
        format!(
            ", {positions} positions of {games} games to learn from and {validation_positions} to judge by"
        )
    });
    format!("{} hidden neurons a side{size}, {} epochs planned", config.hidden, config.training.epochs)
}

fn rows(epochs: &[EpochRecord]) -> Vec<Vec<String>> {
    epochs
        .iter()
        .map(|record| {
            let validation = record.validation;
            let losses = [
                record.training_loss,
                validation.blended,
                validation.scores,
                validation.results,
                validation.quantised,
            ];
            [record.epoch.to_string(), format!("{:.2e}", record.rate)]
                .into_iter()
                .chain(losses.map(|loss| format!("{loss:.6}")))
                .chain([
                    format!("{:.2}", validation.quantisation_error),
                    format!("{:.0}", record.speed / 1e3),
                ])
                .collect()
        })
        .collect()
}

fn losses(epochs: &[EpochRecord]) -> Trend {
    let line = |name: &str, of: fn(&EpochRecord) -> f64| Line {
        name: name.to_owned(),
        points: epochs.iter().map(|record| (record.epoch.into(), of(record))).collect(),
    };
    Trend {
        title: "Loss by epoch".to_owned(),
        x_title: "epoch",
        lines: vec![
            line("validation", |record| record.validation.blended),
            line("training", |record| record.training_loss),
            line("whole numbers", |record| record.validation.quantised),
        ],
        band: Vec::new(),
        marks: Vec::new(),
    }
}

/// Curve and table; `size` is what there was to learn from, where that is known.
pub fn train_report(config: &TrainConfig, size: Option<LessonSize>, epochs: &[EpochRecord]) -> Report {
    let (subtitle, rows) = (subtitle(config, size), rows(epochs));
    let body = html! {
        p { (subtitle) }
        (losses(epochs).draw())
        p { (LEGEND) }
        (table(&HEADER, &rows))
    };
    let text = format!("{subtitle}\n\n{LEGEND}\n\n{}", markdown_table(&HEADER, &rows));
    let last = epochs.last().map(|record| format!("{:.6}", record.validation.blended));
    let facts = [Some(("epochs", epochs.len().to_string())), last.map(|loss| ("validation loss", loss))];
    let facts = facts.into_iter().flatten().map(|(name, value)| (name.to_owned(), value));
    Report { title: TITLE.to_owned(), facts: facts.collect(), body, text }
}
