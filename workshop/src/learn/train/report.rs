//! Report of `workshop train`.

use crate::learn::train::{DatasetSize, EpochRecord, TrainConfig};
use stretto_harness::report::trend::{Line, Trend};
use stretto_harness::report::{Block, Document, Report};

const TITLE: &str = "Network training";

/// Description of the columns.
const LEGEND: &str = "Losses are mean squared errors of the predicted share of the point. Training: mean over the epoch. \
Validation: over the positions of reserved games, against the blended targets, the scores only, the \
results only, and, for the quantised network, the blended targets. Quantisation: mean absolute difference of the \
evaluation by quantisation, in centipawns.";

const HEADER: [&str; 9] = [
    "epoch",
    "rate",
    "training",
    "validation",
    "scores",
    "results",
    "quantised",
    "quantisation",
    "k positions/s",
];

/// Returns the line below the title.
fn subtitle(config: &TrainConfig, size: Option<DatasetSize>) -> String {
    let size =
        size.map_or_else(String::new, |DatasetSize { games, positions, validation_positions, .. }| {
            format!(", {positions} training and {validation_positions} validation positions of {games} games")
        });
    format!("{} hidden neurons per side{size}, {} epochs planned", config.hidden(), config.training.epochs)
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
            line("quantised", |record| record.validation.quantised),
        ],
        band: Vec::new(),
        marks: Vec::new(),
    }
}

/// Builds the report with curve and table; `size` is the size of the data set, if known.
pub(crate) fn train_report(
    config: &TrainConfig,
    size: Option<DatasetSize>,
    epochs: &[EpochRecord],
) -> Report {
    let mut body = Document::from([Block::paragraph(subtitle(config, size))]);
    body.extend(losses(epochs).draw());
    body.extend([Block::paragraph(LEGEND), Block::table(&HEADER, rows(epochs))]);
    let last = epochs.last().map(|record| format!("{:.6}", record.validation.blended));
    let facts = [Some(("epochs", epochs.len().to_string())), last.map(|loss| ("validation loss", loss))];
    Report::new(TITLE, body).with_facts(facts.into_iter().flatten())
}
