//! The report of `harness equivalence`.

use crate::measure::equivalence::{EquivalenceConfig, EquivalenceSummary, Interval, Level, ThreadValue};
use crate::play::limit_check::violation_lines;
use crate::report::chart::{Chart, Point, Series};
use crate::report::{Block, Document, Report};
use stretto_stats::summary::elo_text;

const TITLE: &str = "Node odds of threads";

const LEGEND: &str = "Columns \"x F\": Elo with 95 % interval of the engine with many threads against itself with one thread, when \
all threads together get F times the nodes. Equal at: the factor of equal strength, from a line fitted to the Elo over the \
logarithm of the factor; a match without ± is left out of the fit. Speedup: threads divided by this factor, the speedup if every thread were as fast as a single one. \
Empty cells: the matches do not bound the value, or it lies outside their factors.";

fn header(config: &EquivalenceConfig) -> Vec<String> {
    let factors = config.factors.iter().map(|factor| format!("x {factor}"));
    let ends = ["equal at", "speedup"].map(str::to_owned);
    std::iter::once("threads".to_owned()).chain(factors).chain(ends).collect()
}

/// Formats the Elo of a match; empty before the first pair.
fn elo(level: &Level) -> String {
    let is_empty = level.elo.is_none() && level.elo_interval.is_none();
    if is_empty { String::new() } else { elo_text(level.elo, level.elo_interval) }
}

/// Returns the speedup at a number of threads, and the Elo at each factor.
fn facts(value: &ThreadValue) -> Vec<(String, String)> {
    let threads = value.threads;
    let speedup = (format!("{threads} threads: speedup"), show(value.speedup));
    let level = |level: &Level| (format!("{threads} threads, x {}: Elo", level.factor), elo(level));
    std::iter::once(speedup).chain(value.levels.iter().map(level)).collect()
}

/// Returns the matches that the fit of a number of threads leaves out; `None` without any.
fn left_out(value: &ThreadValue) -> Option<String> {
    let factors = value.levels.iter().filter(|level| level.is_left_out());
    let factors: Vec<String> = factors.map(|level| format!("x {}", level.factor)).collect();
    (!factors.is_empty())
        .then(|| format!("left out of the fit of {} threads: {}", value.threads, factors.join(", ")))
}

fn row(value: &ThreadValue, columns: usize) -> Vec<String> {
    let mut row = vec![value.threads.to_string()];
    row.extend(value.levels.iter().map(elo));
    // A running measurement lacks its last matches.
    row.resize(1 + columns, String::new());
    row.extend([value.factor, value.speedup].map(show));
    row
}

/// Formats `1.42 (1.31 to 1.55)`.
fn show(interval: Option<Interval>) -> String {
    let Some(Interval { value, low, high }) = interval else { return String::new() };
    format!("{value:.2} ({low:.2} to {high:.2})")
}

/// Builds the report: the curve of speedups and the table of Elo.
pub(crate) fn equivalence_report(config: &EquivalenceConfig, summary: &EquivalenceSummary) -> Report {
    let rows = summary.by_threads.iter().map(|value| row(value, config.factors.len()));
    let nodes = config.engine.limits.nodes.map_or(0, std::num::NonZero::get);
    let games = config.any_match().games.unwrap_or(0);
    let subtitle = format!("{}: {nodes} nodes per move, {games} games at each factor", config.engine.name);
    let mut body = Document::from([Block::paragraph(subtitle)]);
    body.extend(chart(config, summary).draw());
    body.extend([Block::paragraph(LEGEND), Block::table(&header(config), rows)]);
    let facts = summary.by_threads.iter().flat_map(facts);
    let lines = summary.by_threads.iter().filter_map(left_out);
    let lines = lines.chain(violation_lines(&summary.limit_violations)).chain(summary.repeated.text());
    Report::new(TITLE, body).with_facts(facts).with_lines(&lines.collect::<Vec<_>>())
}

/// Draws the speedup over the number of threads.
fn chart(config: &EquivalenceConfig, summary: &EquivalenceSummary) -> Chart {
    let point = |result: &ThreadValue| {
        let Interval { value, low, high } = result.speedup?;
        Some(Point { x: f64::from(result.threads), y: value, low, high })
    };
    // The speedup of one thread is 1 by definition.
    let alone = Point { x: 1.0, y: 1.0, low: 1.0, high: 1.0 };
    let points = std::iter::once(alone).chain(summary.by_threads.iter().filter_map(point)).collect();
    Chart {
        title: "speedup at equal strength".to_owned(),
        x_title: "threads",
        series: vec![Series { name: config.engine.name.clone(), points }],
        ideal: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_stats::elo::Estimate;
    use stretto_stats::units::Elo;

    #[test]
    fn matches_without_an_error_are_named() {
        let level = |factor: f64, half_width: Option<Elo>| {
            let elo = Some(Estimate { value: Elo(-12.0), half_width });
            Level { factor, games: 10, pairs: 5, score: None, elo, elo_interval: None }
        };
        let of =
            |levels: Vec<Level>| left_out(&ThreadValue { threads: 4, levels, factor: None, speedup: None });
        let [known, unknown] = [level(1.0, Some(Elo(9.0))), level(0.4, None)];
        assert_eq!(of(vec![known]), None);
        let expected = "left out of the fit of 4 threads: x 0.4, x 3";
        assert_eq!(of(vec![unknown, known, level(3.0, None)]).as_deref(), Some(expected));
    }

    #[test]
    fn facts_have_the_elo_at_each_factor() {
        let elo = Some(Estimate { value: Elo(-12.0), half_width: Some(Elo(5.0)) });
        let level = Level { factor: 1.5, games: 10, pairs: 5, score: None, elo, elo_interval: None };
        let levels = vec![level];
        let found = facts(&ThreadValue { threads: 4, levels, factor: None, speedup: None });
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["4 threads: speedup", "4 threads, x 1.5: Elo"]);
        assert!(found[1].1.contains("12"), "{found:?}");
    }
}
