//! The report of `harness bench`.

use maud::html;

use super::page::{markdown_table, page, table};
use crate::bench::{BenchEngine, BenchSummary, Comparison, Difference, Job, Quantity};

const TITLE: &str = "Engines compared";

/// What the figures mean.
const LEGEND: &str = "Ratios to the first engine: geometric means over positions, each position with its median over the \
repetitions, with intervals of 95 % from resampling the positions. A difference is named only where the interval leaves \
out 1 and the ratio lies beyond all that the control, the first engine once more, shows by chance.";

const HEADER: [&str; 5] = ["engine", "quantity", "mean", "ratio to the first (95 %)", "difference"];

/// The line below the title.
fn subtitle(job: &Job, summary: &BenchSummary) -> String {
    format!(
        "{} positions, {}; {} of at most {} searches",
        summary.positions, job.config.limits, summary.searches, summary.searches_planned
    )
}

fn rows(summary: &BenchSummary) -> Vec<Vec<String>> {
    summary.engines.iter().flat_map(rows_of).collect()
}

fn rows_of(engine: &BenchEngine) -> Vec<Vec<String>> {
    let row = |&(quantity, value): &(Quantity, f64)| {
        let comparison = engine.comparisons.iter().find(|comparison| comparison.quantity == quantity);
        let (ratio, difference) = comparison.map_or_else(Default::default, told);
        vec![engine.name.clone(), quantity.name().to_owned(), figure(quantity, value), ratio, difference]
    };
    engine.values.iter().map(row).collect()
}

fn figure(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Nodes | Quantity::Speed => format!("{value:.0}"),
        Quantity::Time => format!("{:.1} ms", value / 1000.0),
        Quantity::Branching => format!("{value:.3}"),
        Quantity::FirstMoveCutoffs => format!("{:.1} %", 100.0 * value),
    }
}

fn told(comparison: &Comparison) -> (String, String) {
    let ratio = comparison.ratio;
    let percent = 100.0 * (ratio.mean - 1.0);
    let difference = match comparison.difference {
        Difference::More => format!("{percent:+.2} %"),
        Difference::Less => format!("{percent:+.2} %").replace('-', "−"),
        Difference::None => "none".to_owned(),
    };
    (format!("{:.4} ({:.4} to {:.4})", ratio.mean, ratio.low, ratio.high), difference)
}

/// The report as Markdown.
pub fn bench_markdown(job: &Job, summary: &BenchSummary) -> String {
    format!(
        "# {TITLE}\n\n{}\n\n{LEGEND}\n\n{}",
        subtitle(job, summary),
        markdown_table(&HEADER, &rows(summary))
    )
}

/// The report as a page.
pub fn bench_html(job: &Job, summary: &BenchSummary) -> String {
    page(
        TITLE,
        &html! {
            p { (subtitle(job, summary)) }
            (table(&HEADER, &rows(summary)))
            p { (LEGEND) }
        },
    )
}
