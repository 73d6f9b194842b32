//! Report of `workshop tune-eval`.

use crate::tune_eval::TuneEvalSummary;
use stretto_harness::report::{Block, Report};

const TITLE: &str = "Evaluation weights fitted to games";
const HEADER: [&str; 3] = ["loss", "before", "after"];

/// Builds the report of a fit.
pub(crate) fn tune_eval_report(summary: &TuneEvalSummary) -> Report {
    let TuneEvalSummary { before, after, .. } = summary;
    let losses = [
        ("training", before.training, after.training),
        ("validation", before.validation, after.validation),
        ("validation, results only", before.validation_results, after.validation_results),
    ];
    let rows = losses
        .map(|(name, before, after)| vec![name.to_owned(), format!("{before:.6}"), format!("{after:.6}")]);
    let subtitle = format!(
        "{} training positions of {} games, {} validation positions; {} epochs, best epoch {}; scale {:.1} centipawns{}",
        summary.positions,
        summary.games,
        summary.validation_positions,
        summary.epochs,
        summary.best_epoch,
        summary.scale,
        if summary.is_interrupted { ", interrupted: best weights so far" } else { "" }
    );
    let facts = losses.map(|(name, before, after)| (name, format!("{before:.6} to {after:.6}")));
    let body = [Block::paragraph(subtitle), Block::table(&HEADER, rows)];
    Report::new(TITLE, body).with_facts(facts).with_lines(summary.remark().as_slice())
}

/// Builds the report of a fit without a result.
pub(crate) fn unfinished_report() -> Report {
    let text = "The fit has not ended and has no weights yet. After a kill, `workshop tune-eval --resume` starts it again.";
    Report::new(TITLE, [Block::paragraph(text)])
}
