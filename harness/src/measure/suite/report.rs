//! The report of `harness suite`.

use maud::html;

use crate::measure::suite::summary::{Row, SuiteSummary, percent};
use crate::report::document::Figure;
use crate::report::{Block, Document, Report};
use stretto_stats::units::Share;

const HEADER: [&str; 8] = ["", "solved", "%", "95 %", "points", "depth", "nodes", "ms"];

const LEGEND: &str = "Depth, nodes and ms are means to the report from which the answer stayed right. The bars have the intervals \
of 95 % (Wilson).";

/// Width of a bar. Units: pixels.
const WIDTH: f64 = 760.0;
const ROW: f64 = 20.0;
const LEFT: f64 = 220.0;
const BAR: f64 = 420.0;

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
    let height = ROW * lines.len() as f64 + 10.0;
    let place = |share: Share| (10.0 * (LEFT + BAR * share.0)).round() / 10.0;
    let content = html! {
        line.axis x1=(LEFT) y1="0" x2=(LEFT) y2=(height) {}
        line.axis x1=(LEFT + BAR) y1="0" x2=(LEFT + BAR) y2=(height) {}
        @for (index, (line, is_theme)) in lines.iter().enumerate() {
            @let y = 16.0 + ROW * index as f64;
            text x=(LEFT - 8.0) y=(y) text-anchor="end" { (line.name) }
            @if let (Some(share), Some((low, high))) = (line.share, line.interval) {
                rect x=(LEFT) y=(y - 11.0) width=(((10.0 * BAR * share.0).round()) / 10.0) height="12"
                    fill=(if *is_theme { "var(--c5)" } else { "var(--c0)" }) {}
                line stroke="var(--ink)" x1=(place(low)) y1=(y - 5.0) x2=(place(high)) y2=(y - 5.0) {}
                text x=(LEFT + BAR + 12.0) y=(y) { (percent(share)) " %" }
            }
        }
    };
    Figure::new("Shares solved", WIDTH, height, content)
}

#[cfg(test)]
mod tests {
    use maud::Render;

    use super::*;

    #[test]
    fn every_row_has_a_bar_inside_the_drawing() {
        let row =
            Row { share: Some(Share(0.5)), interval: Some((Share(0.25), Share(1.0))), ..Row::default() };
        let text = bars(&[(&row, false); 3]).render().into_string();
        let places = |attribute: &str| -> Vec<f64> {
            let parts = text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next());
            parts.map(|place| place.parse().unwrap()).collect()
        };
        assert_eq!(places(" width=\""), [BAR / 2.0; 3]);
        assert_eq!(places("<line stroke=\"var(--ink)\" x1=\""), [LEFT + BAR / 4.0; 3]);
        let height = places("viewBox=\"0 0 760 ")[0];
        let lowest = places(" y=\"").into_iter().fold(0.0, f64::max);
        assert!((0.0..ROW).contains(&(height - lowest)), "{text}");
    }
}
