//! The report of `harness ablate`.

use maud::{Markup, html};

use super::page::{markdown_table, page, table};
use crate::ablation::{Ablation, Effect, Job};
use crate::bench::{BenchSummary, Comparison, Difference, Quantity};

const TITLE: &str = "What each switch is worth";

/// What the figures mean.
const LEGEND: &str = "How many times the nodes, the time and the speed of the engine as it is, with one switch turned: geometric means \
over positions with intervals of 95 % from resampling the positions. In brackets where the interval leaves room for 1, or \
where the engine as it is shows as much beside itself. For a pair, the interaction is how many times more nodes it takes than its two \
switches multiplied.";

const HEADER: [&str; 6] = ["setting", "nodes", "time", "nodes/s", "first-move cutoffs", "interaction"];

/// Width of the bars, and of the whole drawing. Units: pixels.
const BAR: f64 = 300.0;
const WIDTH: f64 = 760.0;
const ROW: f64 = 18.0;
/// Where bars begin: the names stand before.
const LEFT: f64 = 260.0;

fn subtitle(job: &Job, summary: &BenchSummary) -> String {
    format!(
        "{} positions, {}; {} of {} searches",
        summary.positions, job.config.limits, summary.searches, summary.searches_planned
    )
}

fn cell(comparison: Option<&Comparison>) -> String {
    let Some(comparison) = comparison else { return String::new() };
    let ratio = comparison.ratio;
    let text = format!("{:.3} ({:.3} to {:.3})", ratio.mean, ratio.low, ratio.high);
    if comparison.difference == Difference::None { format!("[{text}]") } else { text }
}

fn row(effect: &Effect) -> Vec<String> {
    let quantities = [Quantity::Nodes, Quantity::Time, Quantity::Speed, Quantity::FirstMoveCutoffs];
    let interaction = effect.interaction.map_or_else(String::new, |times| format!("{times:.3}"));
    [effect.variant.name()]
        .into_iter()
        .chain(quantities.map(|quantity| cell(effect.of(quantity))))
        .chain([interaction])
        .collect()
}

fn rows(ablation: &Ablation) -> Vec<Vec<String>> {
    let control = Effect {
        variant: crate::ablation::Variant { switches: Vec::new() },
        comparisons: ablation.control.clone(),
        interaction: None,
    };
    let mut last = row(&control);
    "as it is, once more".clone_into(&mut last[0]);
    ablation.effects.iter().map(row).chain([last]).collect()
}

/// The report as Markdown.
pub fn ablation_markdown(job: &Job, ablation: &Ablation, summary: &BenchSummary) -> String {
    let table = markdown_table(&HEADER, &rows(ablation));
    format!("# {TITLE}\n\n{}\n\n{LEGEND}\n\n{table}", subtitle(job, summary))
}

/// The report as a page.
pub fn ablation_html(job: &Job, ablation: &Ablation, summary: &BenchSummary) -> String {
    page(
        TITLE,
        &html! {
            p { (subtitle(job, summary)) }
            (bars(ablation))
            (table(&HEADER, &rows(ablation)))
            p { (LEGEND) }
        },
    )
}

/// The nodes of each setting as bars from 1, with their intervals.
fn bars(ablation: &Ablation) -> Markup {
    let drawn: Vec<(String, Comparison)> = ablation
        .effects
        .iter()
        .filter_map(|effect| Some((effect.variant.name(), *effect.of(Quantity::Nodes)?)))
        .collect();
    let widest = drawn
        .iter()
        .map(|(_, comparison)| comparison.ratio.high.ln().abs().max(comparison.ratio.low.ln().abs()))
        .fold(0.01, f64::max);
    let height = ROW * drawn.len() as f64 + 30.0;
    let middle = LEFT + BAR / 2.0;
    let place = |ratio: f64| (10.0 * (middle + ratio.ln() / widest * BAR / 2.0)).round() / 10.0;
    html! {
        figure {
            svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label="Nodes beside the engine as it is" {
                text x=(LEFT) y="14" { "nodes beside the engine as it is" }
                line.axis x1=(middle) y1="20" x2=(middle) y2=(height) {}
                @for (index, (name, comparison)) in drawn.iter().enumerate() {
                    @let y = 34.0 + ROW * index as f64;
                    @let (low, high) = (place(comparison.ratio.low), place(comparison.ratio.high));
                    @let end = place(comparison.ratio.mean);
                    @let colour = if comparison.difference == Difference::None { "var(--faint)" } else { "var(--c0)" };
                    text x=(LEFT - 8.0) y=(y) text-anchor="end" { (name) }
                    rect x=(end.min(middle)) y=(y - 10.0) width=((10.0 * (end - middle).abs()).round() / 10.0) height="10" fill=(colour) {}
                    line stroke="var(--ink)" x1=(low) y1=(y - 5.0) x2=(high) y2=(y - 5.0) {}
                    text x=(LEFT + BAR + 12.0) y=(y) { (format!("{:.3}", comparison.ratio.mean)) }
                }
            }
        }
    }
}
