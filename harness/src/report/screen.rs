//! The report of `harness screen`.

use maud::html;

use super::bars::{Bar, bars, signed};
use super::page::{Report, markdown_table, table};
use crate::screening::{Judged, ScreeningStanding};

const TITLE: &str = "What each of many settings is worth, by the same games";

const LEGEND: &str = "Elo of the engine with a setting against the engine without it, fitted for all settings at once to the points of pairs of games whose two sides are opposites of each other in the settings. The worth of a setting is so its mean over what the others are, on either side of the match. The intervals of 95 % hold for all settings at once (Holm), those in the last column for each alone; in brackets where the first leaves room for 0; n/a where the games do not tell.";

const HEADER: [&str; 4] = ["setting", "Elo", "pairs that differ in it", "interval of its own"];

fn subtitle(standing: &ScreeningStanding, pairs_planned: u64) -> String {
    let count = standing.factors.len();
    format!("{count} settings, {} of {pairs_planned} pairs of games", standing.pairs)
}

/// `−12 ± 9`, in brackets where it may be nothing.
fn elo(judged: &Judged) -> String {
    let (Some(elo), Some(half)) = (judged.elo, judged.simultaneous) else { return "[n/a]".to_owned() };
    let text = format!("{} ± {:.0}", signed(elo.value.0), half.0);
    if judged.is_different { text } else { format!("[{text}]") }
}

/// The best first, those without an estimate last.
fn sorted(standing: &ScreeningStanding) -> Vec<&Judged> {
    let mut factors: Vec<&Judged> = standing.factors.iter().collect();
    let value = |judged: &Judged| judged.elo.map_or(f64::NEG_INFINITY, |elo| elo.value.0);
    factors.sort_by(|one, other| value(other).total_cmp(&value(one)));
    factors
}

fn row(judged: &Judged) -> Vec<String> {
    let own = judged.elo.and_then(|elo| Some((elo.value.0, elo.half_width?.0)));
    let own = own.map_or_else(
        || "n/a".to_owned(),
        |(value, half)| format!("{} to {}", signed(value - half), signed(value + half)),
    );
    vec![judged.factor.title(), elo(judged), judged.pairs.to_string(), own]
}

fn bar(judged: &Judged) -> Option<Bar> {
    let (value, half) = (judged.elo?.value.0, judged.simultaneous?.0);
    Some(Bar {
        name: judged.factor.title(),
        value,
        low: value - half,
        high: value + half,
        label: signed(value),
        is_different: judged.is_different,
    })
}

/// Bars and table.
pub fn screen_report(standing: &ScreeningStanding, pairs_planned: u64) -> Report {
    let (subtitle, factors) = (subtitle(standing, pairs_planned), sorted(standing));
    let rows: Vec<Vec<String>> = factors.iter().map(|judged| row(judged)).collect();
    let drawn: Vec<Bar> = factors.iter().filter_map(|judged| bar(judged)).collect();
    let body = html! {
        p { (subtitle) }
        @if !drawn.is_empty() { (bars("Elo of each setting", &drawn)) }
        (table(&HEADER, &rows))
        p { (LEGEND) }
    };
    let text = format!("{subtitle}\n\n{LEGEND}\n\n{}", markdown_table(&HEADER, &rows));
    let facts = factors.iter().map(|judged| (judged.factor.title(), elo(judged)));
    Report { title: TITLE.to_owned(), facts: facts.collect(), body, text }
}
