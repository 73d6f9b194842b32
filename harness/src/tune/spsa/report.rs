//! Report of `harness tune`.

use crate::base::wording::{counted, listed};
use crate::play::matches::MatchSummary;
use crate::report::trend::{Line, Mark, Trend, thinned};
use crate::report::{Block, Document, Report};
use crate::tune::spsa::lines::TuneLines;
use crate::tune::spsa::{Spsa, UNTESTED};

const TEST: &str = "Test of the result against the start values";

const LINES: &str = "Lines with the result";
const ALL: &str = "All parameters";
const CHANGED: &str = "Changed parameters";
const LINES_LEGEND: &str = "Name, type (OpenBench only), value, minimum, maximum, perturbation and learning rate in the last iteration. \
Values are rounded, and those that differ from the start are listed once more.";

const LEGEND: &str = "Each iteration plays several pairs of games with all parameters perturbed in one direction against the opposite \
one and moves the parameters uphill. The result is the mean over the last quarter of the iterations. The path shows \
the noise; only a test shows the gain of the result.";

const HEADER: [&str; 6] = ["parameter", "start", "current", "result", "range", "move / step"];

/// Rounds to hundredths; a small negative value becomes 0, not -0.
fn rounded(value: f64) -> f64 {
    (100.0 * value).round() / 100.0 + 0.0
}

/// Returns the table rows, largest move first.
fn rows(spsa: &Spsa) -> Vec<Vec<String>> {
    let parameters = spsa.parameters.iter().zip(spsa.values()).zip(spsa.result());
    let mut rows: Vec<(f64, Vec<String>)> = parameters
        .map(|((parameter, now), result)| {
            let steps = (result - parameter.start) / parameter.step;
            let cells = vec![
                parameter.name.clone(),
                format!("{}", parameter.start),
                format!("{:.2}", rounded(*now)),
                format!("{:.2}", rounded(result)),
                format!("{} to {}", parameter.range.0, parameter.range.1),
                format!("{:+.2}", rounded(steps)),
            ];
            (steps.abs(), cells)
        })
        .collect();
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    rows.into_iter().map(|(_, cells)| cells).collect()
}

/// Draws the path of one parameter.
fn path(spsa: &Spsa, index: usize) -> Trend {
    let parameter = &spsa.parameters[index];
    let places = thinned(spsa.path.len());
    let points =
        places.into_iter().map(|iteration| (iteration as f64, spsa.path[iteration][index])).collect();
    Trend {
        title: parameter.name.clone(),
        x_title: "iteration",
        lines: vec![Line { name: parameter.name.clone(), points }],
        band: Vec::new(),
        marks: vec![Mark { y: parameter.start, name: "start".to_owned() }],
    }
}

/// Builds the report with table, paths and the test of the result, if there is one.
pub(crate) fn tune_report(spsa: &Spsa, test: Option<&MatchSummary>) -> Report {
    let is_over = spsa.done() == spsa.iterations();
    let unmoved = (is_over && spsa.is_unmoved()).then(|| format!("{UNTESTED}\n"));
    let names: Vec<&str> = spsa.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let done = format!("{} of {}", spsa.done(), spsa.iterations());
    let end =
        test.map_or_else(|| format!("{done} iterations"), |test| format!("test {}", test.verdict_text()));
    let title = format!("SPSA tuning of {}: {end}", listed(&names));
    let mut body = Document::from([
        Block::paragraph(format!("{}, {done} iterations", counted(names.len(), "parameter"))),
        Block::table(&HEADER, rows(spsa)),
        Block::paragraph(LEGEND),
    ]);
    if let Some(verdict) = test.map(MatchSummary::report).or(unmoved) {
        body.extend([Block::heading(TEST), Block::Code(verdict)]);
    }
    let lines = TuneLines::of(spsa);
    let changed = lines.text(true);
    body.extend([Block::heading(LINES), Block::paragraph(LINES_LEGEND)]);
    body.push(Block::Copies(if changed.is_empty() {
        vec![(ALL.to_owned(), lines.text(false))]
    } else {
        vec![(ALL.to_owned(), lines.text(false)), (CHANGED.to_owned(), changed)]
    }));
    body.extend((0..spsa.parameters.len()).filter_map(|index| path(spsa, index).draw()));
    let facts = [Some(("iterations", done)), test.map(|test| ("test", test.verdict_text()))];
    Report::new(title, body).with_facts(facts.into_iter().flatten()).with_blocks(lines)
}
