//! The report of `harness bench`.

use maud::html;

use crate::measure::bench::{BenchEngine, BenchSummary, Comparison, Difference, Job, Quantity};
use crate::report::page::{Report, markdown_table, table};

const TITLE: &str = "Engines compared";

/// What the figures mean.
const LEGEND: &str = "Ratios to the first engine: geometric means over positions, each position with its median over the \
repetitions, with intervals of 95 % from resampling the positions. A difference is named only where the interval leaves \
out 1 and the ratio lies beyond all that the control, the first engine once more, shows by chance: what that shows is noise.";

const HEADER: [&str; 5] = ["engine", "quantity", "mean", "ratio to the first (95 %)", "difference"];

/// The line below the title.
fn subtitle(job: &Job, summary: &BenchSummary) -> String {
    format!(
        "{} positions, {}; {} of at most {} searches",
        summary.positions, job.config.searches.limits, summary.searches, summary.searches_planned
    )
}

fn rows(summary: &BenchSummary) -> Vec<Vec<String>> {
    summary.engines.iter().flat_map(rows_of).collect()
}

fn rows_of(engine: &BenchEngine) -> Vec<Vec<String>> {
    let row = |&(quantity, value): &(Quantity, f64)| {
        let comparison = engine.comparisons.iter().find(|comparison| comparison.quantity == quantity);
        let (ratio, difference) =
            comparison.map_or_else(Default::default, |comparison| told(engine, comparison));
        vec![engine.name.clone(), quantity.name().to_owned(), figure(quantity, value), ratio, difference]
    };
    engine.values.iter().map(row).collect()
}

fn figure(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Nodes | Quantity::Speed => format!("{value:.0}"),
        Quantity::Time | Quantity::ProcessorTime => format!("{:.1} ms", value / 1000.0),
        Quantity::Branching => format!("{value:.3}"),
        Quantity::FirstMoveCutoffs => format!("{:.1} %", 100.0 * value),
    }
}

fn told(engine: &BenchEngine, comparison: &Comparison) -> (String, String) {
    let ratio = comparison.ratio;
    let percent = 100.0 * (ratio.mean - 1.0);
    let difference = match comparison.difference {
        Difference::More => format!("{percent:+.2} %"),
        Difference::Less => format!("{percent:+.2} %").replace('-', "−"),
        Difference::None if engine.is_control => "noise".to_owned(),
        Difference::None => "none".to_owned(),
    };
    (format!("{:.4} ({:.4} to {:.4})", ratio.mean, ratio.low, ratio.high), difference)
}

/// The table.
pub fn bench_report(job: &Job, summary: &BenchSummary) -> Report {
    let (subtitle, rows) = (subtitle(job, summary), rows(summary));
    let body = html! {
        p { (subtitle) }
        (table(&HEADER, &rows))
        p { (LEGEND) }
    };
    let text = format!("{subtitle}\n\n{LEGEND}\n\n{}", markdown_table(&HEADER, &rows));
    Report { title: TITLE.to_owned(), facts: facts(summary), body, text }
}

/// Every engine but the first, in nodes, time and speed.
fn facts(summary: &BenchSummary) -> Vec<(String, String)> {
    let facts = summary.engines.iter().flat_map(|engine| {
        let shown = [Quantity::Nodes, Quantity::Time, Quantity::ProcessorTime, Quantity::Speed];
        let comparisons = engine.comparisons.iter();
        comparisons.filter(move |comparison| shown.contains(&comparison.quantity)).map(move |comparison| {
            let (ratio, difference) = told(engine, comparison);
            (format!("{}: {}", engine.name, comparison.quantity.name()), format!("{ratio}; {difference}"))
        })
    });
    facts.collect()
}
