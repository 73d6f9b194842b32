//! The report of `harness regret`.

use maud::html;

use super::RegretConfig;
use super::mean::Mean;
use super::summary::{RegretSummary, SettingRegret};
use super::votes::{FormulaGain, VoteFit};
use crate::measure::equivalence::Interval;
use crate::report::Report;
use crate::report::bars::{Bar, bars};
use crate::report::page::{markdown_table, table, without_empty_columns};

const TITLE: &str = "Regret of moves";

const LEGEND: &str = "Regret: win probability lost against the best move that any setting found, as the judge scores it, in percent, \
with the half-width of its 95 % interval. Gain: win probability gained over the first setting on the same positions. Equal nodes: \
nodes at which the settings of the ladder have this regret. Elo: from the gain, at the Elo per doubling of the configuration. The \
intervals of both contain the error of the ladder (bootstrap over positions); empty cells: the ladder does not bound the value.";

const HEADER: [&str; 7] = ["setting", "nodes", "other moves", "regret, %", "gain, %", "equal nodes", "Elo"];

const VOTE_LEGEND: &str = "A vote weighs (score - worst score + base) x depth^d x share^s x age^a: share of the thread's nodes below \
its move, and depths for which the move has been its best. Gain: win probability gained over the present formula, base 10 and d 1, on all \
positions. The best of many formulas is partly lucky: see the held-out gain, of the best formula of each half on the other half.";

const VOTE_HEADER: [&str; 6] = ["base", "d", "s", "a", "other moves", "gain, %"];

/// Number of formulas shown.
const FORMULAS: usize = 10;

/// Builds the report: a bar and a row for each setting, and a table of formulas of the vote for each
/// setting that prints ballots.
pub(super) fn regret_report(config: &RegretConfig, summary: &RegretSummary) -> Report {
    let rows: Vec<Vec<String>> = summary.settings.iter().map(|setting| row(setting, summary)).collect();
    let (header, rows) = without_empty_columns(&HEADER, &rows);
    let subtitle = subtitle(config, summary);
    let drawn: Vec<Bar> = summary.settings.iter().skip(1).filter_map(bar).collect();
    let body = html! {
        p { (subtitle) }
        (bars("win probability gained over the first setting, percent", &drawn))
        p { (LEGEND) }
        (table(&header, &rows))
        @for fit in &summary.votes {
            h2 { (vote_title(fit)) }
            p { (vote_subtitle(fit)) }
            p { (VOTE_LEGEND) }
            (table(&VOTE_HEADER, &vote_rows(fit)))
        }
    };
    let votes = summary.votes.iter().map(|fit| {
        let (title, subtitle) = (vote_title(fit), vote_subtitle(fit));
        let table = markdown_table(&VOTE_HEADER, &vote_rows(fit));
        format!("\n## {title}\n\n{subtitle}\n\n{VOTE_LEGEND}\n\n{table}")
    });
    let text = [format!("{subtitle}\n\n{LEGEND}\n\n{}", markdown_table(&header, &rows))];
    let text = text.into_iter().chain(votes).collect();
    let gain = |setting: &SettingRegret| (format!("{}: gain, %", setting.name), shown(setting.gain));
    let facts = summary.settings.iter().skip(1).map(gain).collect();
    Report { title: TITLE.to_owned(), facts, lead: html! {}, body, text }
}

fn subtitle(config: &RegretConfig, summary: &RegretSummary) -> String {
    let slope = match summary.percent_per_doubling {
        Some(slope) => format!("; twice the nodes gain {slope:.3} %"),
        None if config.ladder.is_empty() => String::new(),
        None => {
            "; on the ladder, more nodes gain nothing: too few positions for equal nodes and Elo".to_owned()
        }
    };
    format!(
        "{} of {} positions, moves differ in {}; judge {} with {}, {} moves judged and {} known{slope}",
        summary.positions,
        summary.positions_planned,
        summary.different,
        config.judge.name,
        config.judge.limits,
        summary.judged,
        summary.known
    )
}

fn vote_title(fit: &VoteFit) -> String {
    format!("Formulas of the vote: {}", fit.name)
}

fn vote_subtitle(fit: &VoteFit) -> String {
    let unexplained = match fit.unexplained {
        0 => String::new(),
        count => format!("; in {count} positions the engine played another move than the present formula"),
    };
    format!(
        "{} positions, threads vote for different moves in {}; main thread alone {} %; held out {} %{unexplained}",
        fit.positions,
        fit.divided,
        shown(fit.main),
        shown(fit.held_out)
    )
}

/// Returns the best formulas.
fn vote_rows(fit: &VoteFit) -> Vec<Vec<String>> {
    let row = |found: &FormulaGain| {
        let formula = found.formula;
        let numbers = [formula.base, formula.depth, formula.share, formula.age];
        let mut cells = numbers.map(|number| number.to_string()).to_vec();
        cells.extend([found.changes.to_string(), shown(found.gain)]);
        cells
    };
    fit.formulas.iter().take(FORMULAS).map(row).collect()
}

fn row(setting: &SettingRegret, summary: &RegretSummary) -> Vec<String> {
    let share = 100.0 * setting.differs as f64 / (summary.positions as f64).max(1.0);
    vec![
        setting.name.clone(),
        format!("{:.0}", setting.nodes),
        format!("{} ({share:.1} %)", setting.differs),
        shown(setting.regret),
        shown(setting.gain),
        setting.equal_nodes.map_or(String::new(), range),
        setting.elo.map_or(String::new(), range),
    ]
}

/// Formats `0.164 ± 0.214`.
fn shown(mean: Mean) -> String {
    match mean.half_width {
        Some(half) => format!("{:.3} ± {half:.3}", mean.value),
        None => format!("{:.3}", mean.value),
    }
}

/// Formats `9100 (7200 to 12000)`, or the value alone if the interval has no width.
fn range(Interval { value, low, high }: Interval) -> String {
    if low < high { format!("{value:.0} ({low:.0} to {high:.0})") } else { format!("{value:.0}") }
}

fn bar(setting: &SettingRegret) -> Option<Bar> {
    let half = setting.gain.half_width?;
    let Mean { value, .. } = setting.gain;
    Some(Bar {
        name: setting.name.clone(),
        value,
        low: value - half,
        high: value + half,
        label: shown(setting.gain),
        is_different: value.abs() > half,
    })
}
