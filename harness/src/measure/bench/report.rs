//! The report of `harness bench`.

use crate::base::wording::counted;
use crate::measure::bench::{BenchEngine, BenchSummary, Difference, EngineComparison, Job, Quantity};
use crate::report::{Block, Report};
use stretto_stats::factor::{LARGE, ratio_text};

const TITLE: &str = "Comparison of engines on fixed positions";

const LEGEND: &str = "Means are geometric means over positions; each position counts with its median over the repetitions. \
Ratios refer to the first engine. The 95 % confidence intervals are t intervals over the positions.";

const CONTROL_LEGEND: &str = "The control is the first engine, measured a second time: its ratio shows the noise of the \
measurement. A difference is reported if the interval excludes 1 and the ratio is farther from 1 than the interval of the \
control. Otherwise the column reads \"none\".";

const NO_CONTROL_LEGEND: &str =
    "A difference is reported if the interval excludes 1; otherwise the column reads \"none\".";

const HEADER: [&str; 5] = ["engine", "quantity", "mean", "ratio to first engine (95 % CI)", "difference"];

fn rows_of(engine: &BenchEngine) -> Vec<Vec<String>> {
    let row = |&(quantity, value): &(Quantity, f64)| {
        let comparison = engine.comparisons.iter().find(|comparison| comparison.quantity == quantity);
        let (ratio, difference) =
            comparison.map_or_else(Default::default, |comparison| show_comparison(engine, comparison));
        vec![engine.name.clone(), quantity.name().to_owned(), figure(quantity, value), ratio, difference]
    };
    engine.values.iter().map(row).collect()
}

fn figure(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Nodes | Quantity::Speed | Quantity::Instructions => format!("{value:.0}"),
        Quantity::Time | Quantity::ProcessorTime => format!("{:.1} ms", value / 1000.0),
        Quantity::Branching => format!("{value:.3}"),
        Quantity::FirstMoveCutoffs => format!("{:.1} %", 100.0 * value),
    }
}

fn show_comparison(engine: &BenchEngine, comparison: &EngineComparison) -> (String, String) {
    let ratio = comparison.ratio;
    let percent = 100.0 * (ratio.mean - 1.0);
    let difference = match comparison.difference {
        Difference::More if ratio.mean >= LARGE => format!("{} times", ratio_text(ratio.mean, 0)),
        Difference::More => format!("{percent:+.2} %"),
        Difference::Less => format!("{percent:+.2} %").replace('-', "−"),
        Difference::None if engine.is_control => "noise".to_owned(),
        Difference::None => "none".to_owned(),
    };
    (ratio.text(4), difference)
}

/// Builds the report: one table with a row for each engine and quantity.
pub(crate) fn bench_report(job: &Job, summary: &BenchSummary) -> Report {
    let rows = summary.engines.iter().flat_map(rows_of);
    let subtitle = format!(
        "{}, {}; {} of at most {} searches",
        counted(summary.positions, "position"),
        job.config.searches.limits,
        summary.searches,
        summary.searches_planned
    );
    let differences = if job.config.has_control { CONTROL_LEGEND } else { NO_CONTROL_LEGEND };
    let legend = format!("{LEGEND} {differences}");
    let body = [Block::paragraph(subtitle), Block::table(&HEADER, rows), Block::paragraph(legend)];
    Report::new(TITLE, body).with_facts(facts(summary))
}

/// Returns nodes and speed of each engine, and the comparisons of all but the first.
fn facts(summary: &BenchSummary) -> Vec<(String, String)> {
    let facts = summary.engines.iter().flat_map(|engine| {
        let left_out = [Quantity::Branching, Quantity::FirstMoveCutoffs];
        let mean = |&(quantity, value): &(Quantity, f64)| {
            let name = format!("{}: mean {}", engine.name, quantity.name());
            [Quantity::Nodes, Quantity::Speed].contains(&quantity).then(|| (name, figure(quantity, value)))
        };
        let means = engine.values.iter().filter_map(mean).filter(|_| !engine.is_control);
        let comparisons = engine.comparisons.iter();
        let comparisons = comparisons.filter(|comparison| !left_out.contains(&comparison.quantity));
        let ratios = comparisons.map(|comparison| {
            let (ratio, difference) = show_comparison(engine, comparison);
            (format!("{}: {}", engine.name, comparison.quantity.name()), format!("{ratio}; {difference}"))
        });
        means.chain(ratios).collect::<Vec<_>>()
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunState;

    #[test]
    fn large_differences_have_three_digits_and_no_per_cent() {
        let engine = BenchEngine {
            name: "a".to_owned(),
            id_name: String::new(),
            is_control: false,
            values: Vec::new(),
            comparisons: Vec::new(),
        };
        let shown = |mean: f64| {
            let ratio =
                stretto_stats::factor::Factor { mean, low: 0.8 * mean, high: 1.25 * mean, positions: 9 };
            let difference = if mean > 1.0 { Difference::More } else { Difference::Less };
            show_comparison(&engine, &EngineComparison { quantity: Quantity::Time, ratio, difference })
        };
        assert_eq!(shown(848.07), ("848 (678 to 1060)".to_owned(), "848 times".to_owned()));
        assert_eq!(shown(2.5), ("2.5000 (2.0000 to 3.1250)".to_owned(), "+150.00 %".to_owned()));
        assert_eq!(shown(0.01).1, "−99.00 %");
    }

    #[test]
    fn facts_have_nodes_and_speed_of_each_engine_but_the_control() {
        let engine = |name: &str, is_control: bool| BenchEngine {
            name: name.to_owned(),
            id_name: String::new(),
            is_control,
            values: vec![(Quantity::Nodes, 1000.0), (Quantity::Time, 9.0), (Quantity::Speed, 123_456.0)],
            comparisons: Vec::new(),
        };
        let summary = BenchSummary {
            v: 1,
            state: RunState::Finished,
            positions: 1,
            searches: 2,
            searches_planned: 2,
            engines: vec![engine("a", false), engine("a, again", true)],
        };
        let expected = [("a: mean nodes", "1000"), ("a: mean nodes/s", "123456")];
        assert_eq!(facts(&summary), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
