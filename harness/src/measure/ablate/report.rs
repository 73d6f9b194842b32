//! The report of `harness ablate`.

use maud::{Markup, html};

use crate::measure::ablate::{Ablation, Effect, Job, Strength};
use crate::measure::bench::{Comparison, Difference, Quantity};
use crate::report::bars::{Bar, bars, signed};
use crate::report::page::{Report, markdown_table, table, without_empty_columns};

const TITLE: &str = "What each switch is worth";

/// What the figures mean.
const LEGEND: &str = "How many times the nodes, the time (by the clock, and that processors worked) and the speed of the engine as it is, with one switch turned: geometric means \
over positions with intervals of 95 % from resampling the positions. In brackets where the interval leaves room for 1, or \
where the engine as it is shows as much beside itself. For a pair, the interaction is how many times more nodes it takes than its two \
switches multiplied.";

/// What the Elo means, where games were played.
const ELO_LEGEND: &str = "Elo of the setting against the engine as it is, by games, with intervals of 95 % that hold for all settings played at once (Holm); in brackets where that leaves room for 0; n/a where every game was won, or every game lost.";

const HEADER: [&str; 7] =
    ["setting", "nodes", "time", "processor time", "nodes/s", "first-move cutoffs", "interaction"];
const ELO: &str = "Elo (games)";

fn subtitle(job: &Job, ablation: &Ablation) -> String {
    format!(
        "{} positions, {}; {} of {} searches",
        ablation.positions, job.bench.config.searches.limits, ablation.searches, ablation.searches_planned
    )
}

fn cell(comparison: Option<&Comparison>) -> String {
    let Some(comparison) = comparison else { return String::new() };
    let ratio = comparison.ratio;
    let text = format!("{:.3} ({:.3} to {:.3})", ratio.mean, ratio.low, ratio.high);
    if comparison.difference == Difference::None { format!("[{text}]") } else { text }
}

fn row(effect: &Effect) -> Vec<String> {
    let quantities = [
        Quantity::Nodes,
        Quantity::Time,
        Quantity::ProcessorTime,
        Quantity::Speed,
        Quantity::FirstMoveCutoffs,
    ];
    let interaction = effect.interaction.map_or_else(String::new, |times| format!("{times:.3}"));
    [effect.variant.name()]
        .into_iter()
        .chain(quantities.map(|quantity| cell(effect.of(quantity))))
        .chain([interaction])
        .collect()
}

/// `−94 ± 51 (400)`
fn elo(strength: Option<&Strength>) -> String {
    let Some(strength) = strength else { return String::new() };
    let Some(elo) = strength.elo else { return format!("[n/a ({})]", strength.games) };
    let half = strength.simultaneous.map_or_else(|| "n/a".to_owned(), |half| format!("{:.0}", half.0));
    let text = format!("{} ± {half} ({})", signed(elo.value.0), strength.games);
    if strength.is_different { text } else { format!("[{text}]") }
}

/// Were any games played?
fn has_games(ablation: &Ablation) -> bool {
    ablation.effects.iter().any(|effect| effect.strength.is_some())
}

/// Header and rows; a column of Elo only where there are games.
fn cells(ablation: &Ablation) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let control = Effect {
        variant: crate::measure::ablate::Variant { switches: Vec::new() },
        comparisons: ablation.control.clone(),
        strength: None,
        interaction: None,
    };
    let has_games = has_games(ablation);
    let whole_row = |effect: &Effect| {
        let elo = has_games.then(|| elo(effect.strength.as_ref()));
        row(effect).into_iter().chain(elo).collect::<Vec<_>>()
    };
    let mut last = whole_row(&control);
    "as it is, once more".clone_into(&mut last[0]);
    let header: Vec<&str> = HEADER.into_iter().chain(has_games.then_some(ELO)).collect();
    let rows: Vec<Vec<String>> = ablation.effects.iter().map(whole_row).chain([last]).collect();
    // Times that were not compared, and interactions where no pairs were asked for.
    without_empty_columns(&header, &rows)
}

/// Bars and table.
pub fn ablation_report(job: &Job, ablation: &Ablation) -> Report {
    let (subtitle, (header, rows)) = (subtitle(job, ablation), cells(ablation));
    let legend = if has_games(ablation) { format!("{LEGEND} {ELO_LEGEND}") } else { LEGEND.to_owned() };
    let body = html! {
        p { (subtitle) }
        (node_bars(ablation))
        @if has_games(ablation) { (elo_bars(ablation)) }
        (table(&header, &rows))
        p { (legend) }
    };
    let text = format!("{subtitle}\n\n{legend}\n\n{}", markdown_table(&header, &rows));
    let facts = ablation
        .effects
        .iter()
        .map(|effect| (format!("{}: nodes", effect.variant.name()), cell(effect.of(Quantity::Nodes))));
    Report { title: TITLE.to_owned(), facts: facts.collect(), body, text }
}

/// The nodes of each setting, as logarithms.
fn node_bars(ablation: &Ablation) -> Markup {
    let bar = |effect: &Effect| {
        let Comparison { ratio, difference, .. } = *effect.of(Quantity::Nodes)?;
        Some(Bar {
            name: effect.variant.name(),
            value: ratio.mean.ln(),
            low: ratio.low.ln(),
            high: ratio.high.ln(),
            label: format!("{:.3}", ratio.mean),
            is_different: difference != Difference::None,
        })
    };
    bars("nodes beside the engine as it is", &ablation.effects.iter().filter_map(bar).collect::<Vec<_>>())
}

/// The Elo of each setting that was played, the worst first.
fn elo_bars(ablation: &Ablation) -> Markup {
    let bar = |effect: &Effect| {
        let strength = effect.strength?;
        let (value, half) = (strength.elo?.value.0, strength.simultaneous.map_or(0.0, |half| half.0));
        Some(Bar {
            name: effect.variant.name(),
            value,
            low: value - half,
            high: value + half,
            label: signed(value),
            is_different: strength.is_different,
        })
    };
    let mut drawn: Vec<Bar> = ablation.effects.iter().filter_map(bar).collect();
    drawn.sort_by(|one, other| one.value.total_cmp(&other.value));
    bars("Elo against the engine as it is", &drawn)
}
