//! The report of `harness tune-eval`.

use maud::html;

use super::page::{Report, markdown_table, table};
use crate::tune_eval::TuneEvalSummary;

const TITLE: &str = "Weights fitted to games";
const HEADER: [&str; 3] = ["loss", "before", "after"];

/// What a fit gained.
pub fn tune_eval_report(summary: &TuneEvalSummary) -> Report {
    let TuneEvalSummary { before, after, .. } = summary;
    let losses = [
        ("training", before.training, after.training),
        ("validation", before.validation, after.validation),
        ("validation, results alone", before.validation_results, after.validation_results),
    ];
    let rows = losses
        .map(|(name, before, after)| vec![name.to_owned(), format!("{before:.6}"), format!("{after:.6}")]);
    let subtitle = format!(
        "{} positions of {} games, {} kept apart to judge; {} epochs, the best is {}; the curve's scale is {:.1} centipawns",
        summary.positions,
        summary.games,
        summary.validation_positions,
        summary.epochs,
        summary.best_epoch,
        summary.scale
    );
    let facts = losses.map(|(name, before, after)| (name.to_owned(), format!("{before:.6} to {after:.6}")));
    Report {
        title: TITLE.to_owned(),
        facts: facts.to_vec(),
        body: html! { p { (subtitle) } (table(&HEADER, &rows)) },
        text: format!("{subtitle}\n\n{}", markdown_table(&HEADER, &rows)),
    }
}
