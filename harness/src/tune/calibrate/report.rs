//! The report of `harness calibrate`.

use maud::html;

use super::verdict::{WANTED_CORRELATION, WANTED_COST};
use super::{CalibratedSetting, Calibration};
use crate::measure::equivalence::Interval;
use crate::report::Report;
use crate::report::bars::signed;
use crate::report::page::{markdown_table, table, without_empty_columns};
use crate::stats::correlation::Bounded;

const TITLE: &str = "Regret against games";

const HEADER: [&str; 5] = ["setting", "Elo by games", "gain, %", "Elo by the ladder", "Elo by regret"];

const FIGURES: [&str; 2] = ["figure", "value"];

/// Builds the report: a row for each setting, the figures, and the verdict.
pub(super) fn calibration_report(found: &Calibration) -> Report {
    let rows: Vec<Vec<String>> = found.settings.iter().map(row).collect();
    let (header, rows) = without_empty_columns(&HEADER, &rows);
    let (figures, legend) = (figures(found), legend());
    let body = html! {
        p { (found.sentence) "." }
        (table(&header, &rows))
        (table(&FIGURES, &figures))
        p { (legend) }
    };
    let text = format!(
        "{}.\n\n{}\n{}\n{legend}\n",
        found.sentence,
        markdown_table(&header, &rows),
        markdown_table(&FIGURES, &figures)
    );
    let facts = figures.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    let report = Report { title: TITLE.to_owned(), facts, lead: html! {}, body, text };
    report.with_lines(&remarks(found))
}

fn legend() -> String {
    format!(
        "Elo by games: main effect in the screening with its individual 95 % interval. Gain: win probability gained over the \
         first setting. Elo by the ladder: as the regret run estimates it. Elo by regret: by the line through these settings, with \
         the error of the gain and the scatter. Correlation: Pearson's with Fisher's interval. Errors of both runs weaken it \
         (attenuation); corrected, it is divided by the largest correlation that they let one observe, whose chi-square limits widen \
         the interval. Slope: York's line with the errors of both runs and the scatter of Elo about the line, 95 % interval by its sum \
         of squares. Cost: nodes of the whole run, judge included, per setting. At equal error: nodes of regret for the error in Elo \
         of the screening, over those of the screening; interval of the slope. Regret predicts Elo at a \
         third of the cost if the corrected correlation is at least {WANTED_CORRELATION:.2} (half of the variance) and the cost at \
         equal error at most {WANTED_COST:.2}, both with the whole interval."
    )
}

fn figures(found: &Calibration) -> Vec<Vec<String>> {
    let or = |text: Option<String>, without: &str| text.unwrap_or_else(|| without.to_owned());
    let slope = found.line.map(|line| match line.interval {
        Some((low, high)) => format!("{:.0} ({low:.0} to {high:.0})", line.slope),
        None => format!("{:.0} (unbounded)", line.slope),
    });
    let misfit = found.line.map(|line| format!("{:.1} for {} settings", line.misfit, found.settings.len()));
    let ratio = |one: Option<f64>, other: Option<f64>| Some(format!("{:.2}", one? / other?));
    let mut rows = vec![
        (
            "correlation, observed",
            or(found.correlation.map(shown), "n/a (fewer than four settings or no spread)"),
        ),
        ("correlation that errors allow", or(found.ceiling.map(shown), "n/a (all spread is error)")),
        ("correlation, corrected", or(found.corrected.map(shown), "n/a")),
        ("slope, Elo per % of gain", or(slope, "n/a")),
    ];
    if let Some(slope) = found.ladder_slope {
        rows.push(("slope by the ladder", format!("{slope:.0}")));
    }
    rows.extend([
        ("intercept, Elo", or(found.line.map(|line| signed(line.intercept)), "n/a")),
        (
            "scatter about the line beyond the errors, Elo",
            or(found.line.map(|line| format!("{:.0}", line.scatter)), "n/a"),
        ),
        ("squared distances from the line over errors and scatter", or(misfit, "n/a")),
        (
            "cost of regret, nodes per setting",
            or(
                found.regret_cost.map(nodes),
                "unknown: the judge has no limit of nodes, or a setting reports none",
            ),
        ),
        (
            "cost of games, nodes per setting",
            or(found.screen_cost.map(nodes), "unknown: the games have no nodes"),
        ),
        ("cost, regret over games", or(ratio(found.regret_cost, found.screen_cost), "n/a")),
        ("cost at equal error, regret over games", or(found.cost_at_equal_error.map(shown), "n/a")),
    ]);
    rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect()
}

/// Returns lines on the A/A check and on settings without a partner.
fn remarks(found: &Calibration) -> Vec<String> {
    let mut lines: Vec<String> = found
        .same
        .iter()
        .map(|(name, gain)| {
            let half = gain.half_width.unwrap_or_default();
            let is_different = gain.value.abs() > half;
            let end =
                if is_different { "differs from 0 (expected in 5 % of fair checks)" } else { "as expected" };
            format!("A/A: {name} equals the first setting and gains {:.3} ± {half:.3} %, {end}", gain.value)
        })
        .collect();
    if found.same.is_empty() {
        lines.push("The regret run has no A/A setting, which equals the first one".to_owned());
    }
    if !found.unmatched.is_empty() {
        lines.push(format!("Not measured by the screening: {}", found.unmatched.join(", ")));
    }
    lines
}

fn row(setting: &CalibratedSetting) -> Vec<String> {
    let name = if setting.name == setting.title {
        setting.name.clone()
    } else {
        format!("{} ({})", setting.name, setting.title)
    };
    let half = setting.gain.half_width.unwrap_or_default();
    vec![
        name,
        format!("{} ± {:.0}", signed(setting.games), setting.games_half),
        format!("{:.3} ± {half:.3}", setting.gain.value),
        setting.ladder.map_or_else(String::new, |Interval { value, low, high }| {
            format!("{} ({} to {})", signed(value), signed(low), signed(high))
        }),
        setting.predicted.map_or_else(String::new, |(value, half)| format!("{} ± {half:.0}", signed(value))),
    ]
}

/// Formats `0.62 (0.25 to 0.83)`.
fn shown(Bounded { value, low, high }: Bounded) -> String {
    format!("{value:.2} ({low:.2} to {high:.2})")
}

/// Formats nodes in millions.
fn nodes(count: f64) -> String {
    format!("{:.1} million", count / 1e6)
}
