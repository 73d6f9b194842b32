//! The report of `harness train`.

use maud::html;

use super::page::{markdown_table, page, table};
use super::trend::{Line, Trend};
use crate::config::TrainConfig;
use crate::train::{EpochRecord, Lesson};

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
fn subtitle(config: &TrainConfig, lesson: &Lesson) -> String {
    format!(
        "{} hidden neurons a side, {} positions of {} games to learn from and {} to judge by, {} epochs planned",
        config.hidden,
        lesson.training.len(),
        lesson.games,
        lesson.validation.len(),
        config.training.epochs
    )
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

/// The report as Markdown.
pub fn train_markdown(config: &TrainConfig, lesson: &Lesson, epochs: &[EpochRecord]) -> String {
    let table = markdown_table(&HEADER, &rows(epochs));
    format!("# {TITLE}\n\n{}\n\n{LEGEND}\n\n{table}", subtitle(config, lesson))
}

/// The report as a page.
pub fn train_html(config: &TrainConfig, lesson: &Lesson, epochs: &[EpochRecord]) -> String {
    page(
        TITLE,
        &html! {
            p { (subtitle(config, lesson)) }
            (losses(epochs).draw())
            p { (LEGEND) }
            (table(&HEADER, &rows(epochs)))
        },
    )
}
