//! The report of `harness ablate`.

use crate::base::wording::counted;
use crate::measure::ablate::{Ablation, Effect, Job, Strength};
use crate::measure::bench::{Difference, EngineComparison, Quantity};
use crate::report::bars::{Bar, bars, colour, signed};
use crate::report::document::Figure;
use crate::report::{Block, Document, Report, Table, TableStyle};

const TITLE: &str = "Effect of each switch";

const LEGEND: &str = "Each row is the engine with the given switches flipped. Values are ratios to the unchanged engine: \
geometric means over positions. Values in \
brackets are not significant: the interval includes 1, or the value is not farther from 1 than the interval of the control. \
The control is the unchanged engine, measured a second time.";

const FAMILY_LEGEND: &str =
    "The 95 % intervals of a column hold simultaneously for all settings (Bonferroni).";

const BASES_LEGEND: &str =
    "Each setting is compared with searches of the unchanged engine that alternate with its own.";

const PAIR_LEGEND: &str =
    "Interaction of a pair: its ratio of nodes, divided by the product of the ratios of its two switches.";

const ELO_LEGEND: &str = "Elo: strength of the setting in games against the unchanged engine, with the number of games. The \
95 % intervals hold simultaneously for all settings played (Bonferroni). Values in brackets do not differ significantly from 0 (Holm's test). Without an interval \
the results do not bound Elo on both sides, and the setting is not in the chart. The test is the t-test of the pair scores, or the sign test on pairs if they do not bound Elo in an individual interval \
either.";

const HEADER: [&str; 7] =
    ["setting", "nodes", "time", "CPU time", "nodes/s", "first-move cutoffs", "interaction"];
const ELO: &str = "Elo (games)";
/// Header of the table that describes the switches.
const SETTINGS: [&str; 2] = ["setting", "the switch"];

fn subtitle(job: &Job, ablation: &Ablation) -> String {
    format!(
        "{}, {}; {} of {} searches",
        counted(ablation.positions, "position"),
        job.bench.config.searches.limits,
        ablation.searches,
        ablation.searches_planned
    )
}

fn cell(comparison: Option<&EngineComparison>) -> String {
    let Some(comparison) = comparison else { return String::new() };
    let text = comparison.ratio.text(3);
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
    let name = effect.variant.name();
    if effect.not_applicable.is_some() {
        let empty = std::iter::repeat_n(String::new(), HEADER.len() - 2);
        return [name, "not applicable".to_owned()].into_iter().chain(empty).collect();
    }
    [name]
        .into_iter()
        .chain(quantities.map(|quantity| cell(effect.of(quantity))))
        .chain([interaction])
        .collect()
}

/// Formats `−94 ± 51 (400)`: Elo, half-width of the interval, games. If every game was won or lost, the
/// score replaces Elo: `n/a, score 0.0 % (400)`.
fn elo(strength: Option<&Strength>) -> String {
    let Some(strength) = strength else { return String::new() };
    let half = strength.simultaneous.map_or_else(String::new, |half| format!(" ± {:.0}", half.0));
    let text = match (strength.elo, strength.score) {
        (Some(elo), _) => format!("{}{half} ({})", signed(elo.value.0), strength.games),
        (None, Some(score)) => format!("n/a, score {score} ({})", strength.games),
        (None, None) => format!("n/a ({})", strength.games),
    };
    if strength.is_different { text } else { format!("[{text}]") }
}

/// Whether any games were played.
fn has_games(ablation: &Ablation) -> bool {
    ablation.effects.iter().any(|effect| effect.strength.is_some())
}

/// Returns the table of all settings, without empty columns.
fn effects(ablation: &Ablation) -> Table {
    let control = Effect { comparisons: ablation.control.clone(), ..Effect::default() };
    let has_games = has_games(ablation);
    let whole_row = |effect: &Effect| {
        row(effect).into_iter().chain(has_games.then(|| elo(effect.strength.as_ref()))).collect::<Vec<_>>()
    };
    let mut last = whole_row(&control);
    "control".clone_into(&mut last[0]);
    let header: Vec<&str> = HEADER.into_iter().chain(has_games.then_some(ELO)).collect();
    let rows = ablation.effects.iter().map(whole_row).chain([last]);
    // Removes times if they were not compared, and interactions if there are no pairs.
    Table::new(&header, rows).without_empty_columns()
}

/// Returns a row for each setting whose effect is known from its declaration.
fn settings(ablation: &Ablation) -> Vec<Vec<String>> {
    let row = |effect: &Effect| {
        let reason = effect.not_applicable.as_ref().map(|reason| format!("Not applicable: {reason}."));
        let text: Vec<String> = reason.into_iter().chain(effect.description.clone()).collect();
        (!text.is_empty()).then(|| vec![effect.variant.name(), text.join(" ")])
    };
    ablation.effects.iter().filter_map(row).collect()
}

/// Builds the report: bars of nodes and Elo, and the table.
pub(crate) fn ablation_report(job: &Job, ablation: &Ablation) -> Report {
    let has_pairs = ablation.effects.iter().any(|effect| effect.interaction.is_some());
    let has_bases = job.bench.config.bases.len() > 1;
    let legends = [
        Some(LEGEND),
        Some(FAMILY_LEGEND),
        has_bases.then_some(BASES_LEGEND),
        has_pairs.then_some(PAIR_LEGEND),
        has_games(ablation).then_some(ELO_LEGEND),
    ];
    let legend = legends.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let mut body = Document::from([Block::paragraph(subtitle(job, ablation)), node_bars(ablation).into()]);
    body.extend(elo_bars(ablation));
    body.extend([effects(ablation).into(), Block::paragraph(legend)]);
    let settings = settings(ablation);
    if !settings.is_empty() {
        body.push(Table::new(&SETTINGS, settings).styled(TableStyle::Words));
    }
    let facts = ablation
        .effects
        .iter()
        .map(|effect| (format!("{}: nodes", effect.variant.name()), cell(effect.of(Quantity::Nodes))));
    Report::new(TITLE, body).with_facts(facts)
}

/// Draws the ratio of nodes of each setting on a logarithmic scale.
fn node_bars(ablation: &Ablation) -> Figure {
    let bar = |effect: &Effect| {
        let EngineComparison { ratio, difference, .. } = *effect.of(Quantity::Nodes)?;
        let (low, high) = ratio.shown_ends();
        Some(Bar {
            name: effect.variant.name(),
            value: ratio.mean.ln(),
            low: low.ln(),
            high: high.ln(),
            label: format!("{:.3}", ratio.mean),
            colour: colour(difference != Difference::None),
        })
    };
    bars("nodes, ratio to the unchanged engine", &ablation.effects.iter().filter_map(bar).collect::<Vec<_>>())
}

/// Draws the Elo of each setting that has an interval, in rising order; `None` without any.
fn elo_bars(ablation: &Ablation) -> Option<Figure> {
    let bar = |effect: &Effect| {
        let strength = effect.strength?;
        let (value, half) = (strength.elo?.value.0, strength.simultaneous?.0);
        Some(Bar::of_elo(effect.variant.name(), value, half, strength.is_different))
    };
    let mut drawn: Vec<Bar> = ablation.effects.iter().filter_map(bar).collect();
    drawn.sort_by(|one, other| one.value.total_cmp(&other.value));
    (!drawn.is_empty()).then(|| bars("Elo against the unchanged engine", &drawn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_stats::elo::Estimate;
    use stretto_stats::units::{Elo, Share};

    #[test]
    fn brackets_mark_elo_that_is_not_significant() {
        let strength = |elo: Option<f64>, half: Option<f64>, score: f64, is_different: bool| Strength {
            games: 400,
            score: Some(Share(score)),
            elo: elo.map(|value| Estimate { value: Elo(value), half_width: None }),
            simultaneous: half.map(Elo),
            is_different,
        };
        for (strength, expected) in [
            (strength(Some(-94.0), Some(51.0), 0.37, true), "−94 ± 51 (400)"),
            (strength(Some(12.0), Some(51.0), 0.52, false), "[+12 ± 51 (400)]"),
            (strength(Some(-958.0), None, 0.004, true), "−958 (400)"),
            (strength(None, None, 0.0, true), "n/a, score 0.0 % (400)"),
        ] {
            assert_eq!(elo(Some(&strength)), expected);
        }
        assert_eq!(elo(None), "");
    }
}
