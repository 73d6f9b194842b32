//! An ablation as a measurement, and the effects of its settings: the content of `summary.json`.

use serde::Serialize;

use super::Variant;
use super::variant::{description, measured, not_applicable};
use crate::measure::bench::{self, BenchSummary, EngineComparison, Quantity};
use crate::play::matches::RepeatedPairs;
use crate::run::RunState;
use stretto_stats::elo::Estimate;
use stretto_stats::units::{Elo, Share};

/// The format of [`Ablation`]; raised when an older reader could misread it.
pub(crate) const ABLATION_VERSION: u32 = 3;

/// An ablation whose settings and positions are known.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The comparison that measures all settings.
    pub bench: bench::Job,
    /// The settings: all its engines but the bases and the control.
    pub variants: Vec<Variant>,
    /// Whether matches follow the searches.
    pub has_matches: bool,
}

/// The Elo of a setting, from games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Strength {
    /// Number of games played.
    pub games: u64,
    /// Mean score against the unchanged engine.
    pub score: Option<Share>,
    /// Elo against it, with its individual 95 % interval.
    pub elo: Option<Estimate<Elo>>,
    /// Half-width of the simultaneous 95 % interval over all settings played (Bonferroni).
    pub simultaneous: Option<Elo>,
    /// Whether Holm's test over all settings played finds a difference from 0.
    #[serde(rename = "is_significant")]
    pub is_different: bool,
}

/// The effect of one setting.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Effect {
    /// The setting that was measured.
    pub variant: Variant,
    /// Comparisons with the unchanged engine.
    pub comparisons: Vec<EngineComparison>,
    /// Elo from games, if the setting played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// For a pair: its ratio of nodes, divided by the product of the ratios of its two switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<f64>,
    /// Reason why the setting has no effect, if it is known to have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_applicable: Option<String>,
    /// Description of the setting, if the engine is Stretto.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Effect {
    /// Returns the comparison in one quantity.
    pub(crate) fn of(&self, quantity: Quantity) -> Option<&EngineComparison> {
        self.comparisons.iter().find(|comparison| comparison.quantity == quantity)
    }

    /// Returns the ratio of nodes; 1 if unknown.
    fn nodes(&self) -> f64 {
        self.of(Quantity::Nodes).map_or(1.0, |comparison| comparison.ratio.mean)
    }
}

/// The content of `summary.json`: the effects of all settings, sorted by nodes in descending order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Ablation {
    /// Format version: [`ABLATION_VERSION`] when written.
    pub v: u32,
    /// The state of the run.
    pub state: RunState,
    /// Number of positions searched.
    pub positions: usize,
    /// Number of searches done.
    pub searches: usize,
    /// Number of searches of the complete run.
    pub searches_planned: usize,
    /// One effect for each setting.
    pub effects: Vec<Effect>,
    /// Comparisons of the control with the unchanged engine: the noise.
    pub control: Vec<EngineComparison>,
    /// Pairs of games that repeat earlier games of their match.
    #[serde(skip_serializing_if = "RepeatedPairs::is_none")]
    pub repeated: RepeatedPairs,
}

impl Ablation {
    /// Computes the effects from the summary of the comparison.
    pub(crate) fn of(job: &Job, summary: &BenchSummary) -> Self {
        let config = &job.bench.config;
        let engines = measured(config).map(|index| &summary.engines[index]);
        let id_name = job.bench.id_names.first().map_or("", String::as_str);
        let mut effects: Vec<Effect> = job
            .variants
            .iter()
            .zip(engines)
            .map(|(variant, engine)| Effect {
                variant: variant.clone(),
                comparisons: engine.comparisons.clone(),
                not_applicable: not_applicable(variant, &config.engines[0], id_name),
                description: description(variant, id_name),
                ..Effect::default()
            })
            .collect();
        add_interactions(&mut effects);
        effects.sort_by(|one, other| other.nodes().total_cmp(&one.nodes()));
        let control = summary.engines.last().map(|engine| engine.comparisons.clone()).unwrap_or_default();
        // The run is finished once its matches are.
        let state = match summary.state {
            RunState::Finished if job.has_matches => RunState::Running,
            state => state,
        };
        Self {
            v: ABLATION_VERSION,
            state,
            positions: summary.positions,
            searches: summary.searches,
            searches_planned: summary.searches_planned,
            effects,
            control,
            repeated: RepeatedPairs::default(),
        }
    }
}

/// Sets the interaction of each pair whose switches were also measured alone.
pub(super) fn add_interactions(effects: &mut [Effect]) {
    let alone = |effects: &[Effect], switch: &(String, bool)| {
        effects.iter().find(|effect| effect.variant.switches == [switch.clone()]).map(Effect::nodes)
    };
    for place in 0..effects.len() {
        let interaction = match &effects[place].variant.switches[..] {
            [one, other] => alone(effects, one).zip(alone(effects, other)),
            _ => None,
        };
        effects[place].interaction = interaction.map(|(one, other)| effects[place].nodes() / (one * other));
    }
}
