//! The report of `harness regret`.

use maud::html;

use super::RegretConfig;
use super::changes::changed_options;
use super::mean::Mean;
use super::summary::{RegretSummary, SettingRegret};
use super::votes::{FormulaGain, VoteFit};
use crate::config::EngineConfig;
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
    let report = Report { title: TITLE.to_owned(), facts, lead: html! {}, body, text };
    report.with_lines(&same_settings(config, summary))
}

/// Returns a line for each setting that equals the first one (A/A check). Its gain is 0 but for chance,
/// and exactly 0 where searches repeat.
fn same_settings(config: &RegretConfig, summary: &RegretSummary) -> Vec<String> {
    let Some((first, others)) = config.engines.split_first() else { return Vec::new() };
    let pairs = others.iter().zip(summary.settings.iter().skip(1));
    let is_same = |(engine, _): &(&EngineConfig, &SettingRegret)| {
        changed_options(first, engine).is_some_and(|changed| changed.is_empty())
    };
    let line = |(engine, found): (&EngineConfig, &SettingRegret)| {
        let is_different = found.gain.half_width.is_some_and(|half| found.gain.value.abs() > half);
        let end = if is_different { ", which differs from 0 (expected in 5 % of fair checks)" } else { "" };
        format!(
            "A/A: {} equals {} and plays another move in {} of {} positions, gain {} %{end}",
            engine.name,
            first.name,
            found.differs,
            summary.positions,
            shown(found.gain)
        )
    };
    pairs.filter(is_same).map(line).collect()
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;
    use std::time::Duration;

    use serde_json::json;

    use super::super::record::RegretRecord;
    use super::*;
    use crate::config::{Limits, Watchdog};
    use crate::run::RunState;

    #[test]
    fn equal_settings_are_reported_as_a_check() {
        let engine = |name: &str, nodes: u64| {
            let limits = Limits { nodes: NonZeroU64::new(nodes), ..Limits::default() };
            EngineConfig::of_words("sh", Some(name), &[], &[], limits).unwrap()
        };
        let config = RegretConfig {
            engines: vec![engine("plain", 100), engine("again", 100), engine("deeper", 200)],
            judge: engine("judge", 1000),
            positions: "p.epd".into(),
            count: None,
            judgements: None,
            ladder: Vec::new(),
            elo_per_doubling: None,
            scale: 150.0,
            concurrency: 1,
            watchdog: Watchdog::for_searches(Duration::from_secs(1)),
        };
        let report = |again: &str| {
            let record = |index: u64| -> RegretRecord {
                let judged = [("a", 0), ("b", 50 + index)]
                    .map(|(mv, cp)| json!({ "move": mv, "score": { "cp": cp } }));
                let moves = ["a", again, "b"];
                serde_json::from_value(json!({
                    "v": 1, "index": index, "fen": "", "moves": moves, "nodes": [100, 100, 200], "judged": judged,
                }))
                .unwrap()
            };
            let records: Vec<RegretRecord> = (0..8).map(record).collect();
            let summary = RegretSummary::of(&config, 8, &records, RunState::Finished);
            regret_report(&config, &summary).text
        };
        let lines =
            |text: &str| text.lines().filter(|line| line.starts_with("A/A")).map(str::to_owned).collect();
        let equal: Vec<String> = lines(&report("a"));
        let line =
            "A/A: again equals plain and plays another move in 0 of 8 positions, gain 0.000 ± 0.000 %.";
        assert_eq!(equal, [line], "the deeper one is another setting");
        let other: Vec<String> = lines(&report("b"));
        assert!(
            other[0].contains("in 8 of 8")
                && other[0].ends_with("differs from 0 (expected in 5 % of fair checks)."),
            "{other:?}"
        );
    }
}
