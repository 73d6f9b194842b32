//! The report of `harness suite`.

use crate::measure::suite::summary::{Row, SuiteSummary, percent};
use crate::report::bars::{Bar, bars_within};
use crate::report::document::Figure;
use crate::report::{Block, Document, Report};

const HEADER: [&str; 8] = ["", "solved", "%", "95 %", "points", "depth", "nodes", "ms"];

const LEGEND: &str = "Depth, nodes and ms are means to the report from which the answer stayed right. The bars have the intervals \
of 95 % (Wilson).";

/// Builds the report: bars of the share solved, and the table.
pub(crate) fn suite_report(summary: &SuiteSummary) -> Report {
    let lines = summary.rows();
    let rows = lines.iter().map(|&(line, is_theme)| {
        let name = if is_theme { format!("· {}", line.name) } else { line.name.clone() };
        std::iter::once(name).chain(line.cells()).collect()
    });
    let subtitle = format!(
        "{} ({}), {}: {} of {} positions",
        summary.engine, summary.id_name, summary.limit, summary.total.positions, summary.all
    );
    let mut body = Document::from([
        Block::paragraph(subtitle),
        bars(&lines).into(),
        Block::table(&HEADER, rows),
        Block::paragraph(LEGEND),
    ]);
    body.extend(remarks(summary).map(Block::paragraph));
    let facts = lines.iter().filter(|(_, is_theme)| !is_theme).map(|(line, _)| {
        let share = line.share.map_or_else(String::new, |share| format!(" ({} %)", percent(share)));
        (line.name.clone(), format!("{}/{}{share}", line.solved, line.positions))
    });
    Report::new(format!("Test suite: {}", summary.engine), body).with_facts(facts)
}

/// Returns sentences about mates, skipped lines and engine failures.
fn remarks(summary: &SuiteSummary) -> impl Iterator<Item = String> {
    let faults = summary.total.faults.iter();
    let faults = faults.map(|(kind, count)| format!("{kind}: {count} positions, counted as unsolved."));
    summary.mates_text().into_iter().chain(summary.skipped_text()).chain(faults)
}

/// Draws the share of solved positions in each row.
fn bars(lines: &[(&Row, bool)]) -> Figure {
    let bar = |&(line, is_theme): &(&Row, bool)| {
        let (share, (low, high)) = (line.share?, line.interval?);
        let (name, label) = (line.name.clone(), format!("{} %", percent(share)));
        let colour = if is_theme { "var(--c5)" } else { "var(--c0)" };
        Some(Bar { name, value: share.0, low: low.0, high: high.0, label, colour })
    };
    bars_within("Shares solved", [0.0, 1.0], &lines.iter().filter_map(bar).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use maud::Render;

    use super::*;
    use stretto_stats::units::Share;

    #[test]
    fn every_row_has_a_bar_inside_the_drawing() {
        let row =
            Row { share: Some(Share(0.5)), interval: Some((Share(0.25), Share(1.0))), ..Row::default() };
        let text = bars(&[(&row, false); 3]).render().into_string();
        let places = |attribute: &str| -> Vec<f64> {
            let parts = text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
            parts.map(|place| place.parse().unwrap()).collect()
        };
        let (widths, starts) = (places(" width=\""), places("<line stroke=\"var(--ink)\" x1=\""));
        let left = places("<rect x=\"")[0];
        assert_eq!((widths.len(), starts.len()), (3, 3), "{text}");
        assert_eq!(
            (widths[0] / 2.0, widths[2]),
            (starts[0] - left, widths[0]),
            "the interval begins at a quarter"
        );
    }
}
