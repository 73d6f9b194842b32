//! `harness ablate`: measures the effect of each switch of an engine on nodes, time and Elo.
//!
//! Each setting is the engine with one switch flipped, or two for the configured pairs. All settings
//! are compared with the unchanged engine as [`crate::measure::bench`] does, with a control that
//! shows the noise. The interaction of a pair is the ratio of its nodes, divided by the product of
//! the ratios of its two switches. `games` adds Elo from matches. `command` is the caller.

pub(crate) mod command;
pub(crate) mod config;
mod report;

pub use config::{AblateConfig, AblateGames, Played};
pub use report::ablation_report;

mod games;
mod stored;

use serde::{Deserialize, Serialize};

use crate::config::{EngineConfig, EngineOption, FieldPath, Problem};
use crate::measure::bench;
use crate::measure::bench::{BenchConfig, BenchSummary, Comparison, Quantity};
use crate::measure::searches::{Grid, Measurement, SearchRecord, SearchesConfig, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;
use crate::uci::{OptionDecl, OptionKind};

/// The name of the unchanged engine.
pub(crate) const BASE: &str = "as it is";
/// The name of the control: the unchanged engine, measured a second time.
const CONTROL: &str = "control";
/// Options of type check that do not change the search.
const NO_SWITCHES: [&str; 3] = ["Ponder", "OwnBook", "NormalizeScore"];

pub use games::{Strength, folder_of, settings_to_play};
pub use stored::report_stored;

/// The format of [`Ablation`]; raised when an older reader could misread it.
pub const ABLATION_VERSION: u32 = 3;

/// A setting: the engine with some switches flipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Flipped switches with their values.
    pub switches: Vec<(String, bool)>,
}

impl Variant {
    /// Returns a name such as `NullMove off`.
    pub fn name(&self) -> String {
        let names =
            self.switches.iter().map(|(name, on)| format!("{name} {}", if *on { "on" } else { "off" }));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the settings to measure for an engine with these options. Errors: a switch or pair that
/// the engine does not declare as an option of type check.
pub fn variants(config: &AblateConfig, declared: &[OptionDecl]) -> Result<Vec<Variant>, Problem> {
    let is_switch = |option: &&OptionDecl| {
        let is_search = !option.name.starts_with("UCI_") && !NO_SWITCHES.contains(&option.name.as_str());
        matches!(option.kind, OptionKind::Check { .. }) && is_search
    };
    // The current value comes from the configuration, otherwise from the engine's default.
    let flipped = |name: &str, path: FieldPath| -> Result<(String, bool), Problem> {
        let option = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let default = match option.map(|option| &option.kind) {
            Some(OptionKind::Check { default }) => *default,
            Some(_) => return Err(Problem::new(path, format!("`{name}` is not an option of type check"))),
            None => return Err(Problem::new(path, format!("the engine has no option `{name}`"))),
        };
        let set = config.engine.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let is_on = set.and_then(|option| option.value.as_deref()).map_or(default, |value| value == "true");
        Ok((option.map_or(name, |option| &option.name).to_owned(), !is_on))
    };
    let names: Vec<String> = if config.switches.is_empty() {
        declared.iter().filter(is_switch).map(|option| option.name.clone()).collect()
    } else {
        config.switches.clone()
    };
    let list = FieldPath::root().key("switches");
    if names.is_empty() {
        return Err(Problem::new(list, "the engine declares no options of type check"));
    }
    let single = names
        .iter()
        .enumerate()
        .map(|(index, name)| Ok(Variant { switches: vec![flipped(name, list.index(index))?] }));
    let list = FieldPath::root().key("pairs");
    let pairs = config.pairs.iter().enumerate().map(|(index, pair)| {
        let here = list.index(index);
        Ok(Variant { switches: vec![flipped(&pair[0], here.index(0))?, flipped(&pair[1], here.index(1))?] })
    });
    let variants: Vec<Variant> = single.chain(pairs).collect::<Result<_, _>>()?;
    check_played(config, &variants)?;
    Ok(variants)
}

/// Rejects games of a switch that is not flipped.
fn check_played(config: &AblateConfig, variants: &[Variant]) -> Result<(), Problem> {
    let Some(Played::Switches(names)) = config.games.as_ref().map(|games| &games.played) else {
        return Ok(());
    };
    let is_flipped = |name: &String| {
        variants.iter().any(
            |variant| matches!(&variant.switches[..], [(switch, _)] if switch.eq_ignore_ascii_case(name)),
        )
    };
    match names.iter().position(|name| !is_flipped(name)) {
        Some(index) => {
            let path = FieldPath::root().key("games").key("switches").index(index);
            Err(Problem::new(path, format!("`{}` is not one of the flipped switches", names[index])))
        }
        None => Ok(()),
    }
}

/// Returns the comparison that measures these settings.
pub fn comparison(config: &AblateConfig, variants: &[Variant]) -> BenchConfig {
    let named = |name: &str| EngineConfig { name: name.to_owned(), ..config.engine.clone() };
    let with = |variant: &Variant| {
        let mut engine = named(&variant.name());
        for (name, on) in &variant.switches {
            engine.options.retain(|option| !option.name.eq_ignore_ascii_case(name));
            engine.options.push(EngineOption { name: name.clone(), value: Some(on.to_string()) });
        }
        engine
    };
    BenchConfig {
        engines: [named(BASE)].into_iter().chain(variants.iter().map(with)).chain([named(CONTROL)]).collect(),
        searches: config.searches.clone(),
        target: None,
        has_control: true,
        seed: config.seed,
    }
}

/// The effect of one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The setting that was measured.
    pub variant: Variant,
    /// Comparisons with the unchanged engine.
    pub comparisons: Vec<Comparison>,
    /// Elo from games, if the setting played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// For a pair: its ratio of nodes, divided by the product of the ratios of its two switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<f64>,
}

impl Effect {
    /// Returns the comparison in one quantity.
    pub fn of(&self, quantity: Quantity) -> Option<&Comparison> {
        self.comparisons.iter().find(|comparison| comparison.quantity == quantity)
    }

    /// Returns the ratio of nodes; 1 if unknown.
    fn nodes(&self) -> f64 {
        self.of(Quantity::Nodes).map_or(1.0, |comparison| comparison.ratio.mean)
    }
}

/// The content of `summary.json`: the effects of all settings, sorted by nodes in descending order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ablation {
    /// Format version: [`ABLATION_VERSION`] when written.
    pub v: u32,
    /// Whether the run is finished, running or interrupted.
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
    pub control: Vec<Comparison>,
}

impl Ablation {
    /// Computes the effects from the summary of the comparison.
    pub fn of(variants: &[Variant], summary: &BenchSummary) -> Self {
        let engines = summary.engines.iter().skip(1);
        let mut effects: Vec<Effect> = variants
            .iter()
            .zip(engines)
            .map(|(variant, engine)| Effect {
                variant: variant.clone(),
                comparisons: engine.comparisons.clone(),
                strength: None,
                interaction: None,
            })
            .collect();
        let alone = |effects: &[Effect], switch: &(String, bool)| {
            let single = effects.iter().find(|effect| effect.variant.switches == [switch.clone()]);
            single.map(Effect::nodes)
        };
        for place in 0..effects.len() {
            let interaction = match &effects[place].variant.switches[..] {
                [one, other] => alone(&effects, one).zip(alone(&effects, other)),
                _ => None,
            };
            effects[place].interaction =
                interaction.map(|(one, other)| effects[place].nodes() / (one * other));
        }
        effects.sort_by(|one, other| other.nodes().total_cmp(&one.nodes()));
        let control = summary.engines.last().map(|engine| engine.comparisons.clone()).unwrap_or_default();
        Self {
            v: ABLATION_VERSION,
            state: summary.state,
            positions: summary.positions,
            searches: summary.searches,
            searches_planned: summary.searches_planned,
            effects,
            control,
        }
    }
}

/// An ablation whose settings and positions are known.
#[derive(Clone, Debug)]
pub struct Job {
    /// The comparison that measures all settings.
    pub bench: bench::Job,
    /// The settings: all its engines but the first and the control.
    pub variants: Vec<Variant>,
}

impl Measurement for Job {
    type Config = AblateConfig;
    type Summary = Ablation;

    fn rebuild(config: AblateConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let variants: Vec<Variant> = run.identity("variants")?;
        let positions = stored_positions(&config.searches, run)?;
        let config = comparison(&config, &variants);
        Ok(Self { bench: bench::Job { config, id_names: run.id_names(), positions }, variants })
    }

    fn grid(&self) -> Grid {
        self.bench.grid()
    }

    fn searches(&self) -> &SearchesConfig {
        self.bench.searches()
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> Ablation {
        Ablation::of(&self.variants, &self.bench.summary(done, state))
    }

    fn report(&self, summary: &Ablation) -> Report {
        ablation_report(self, summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;

    fn config(switches: &str) -> AblateConfig {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.epd"), "").unwrap();
        let text = format!(
            "engine: {{ command: sh, options: {{ Hash: 16, Killers: true }} }}\nswitches: {switches}\n\
             pairs: [[NullMove, Killers]]\npositions: {{ file: p.epd }}\ndepth: 5\n"
        );
        AblateConfig::load(&Source::new(dir.path().join("ablate.yaml"), text)).unwrap()
    }

    fn declared() -> Vec<OptionDecl> {
        [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Ponder type check default false",
            "option name UCI_Chess960 type check default false",
            "option name NullMove type check default true",
            "option name Killers type check default false",
        ]
        .iter()
        .map(|line| OptionDecl::parse(line).unwrap())
        .collect()
    }

    #[test]
    fn switches_are_flipped_from_their_current_value() {
        let variants = variants(&config("all"), &declared()).unwrap();
        let names: Vec<String> = variants.iter().map(Variant::name).collect();
        assert_eq!(names, ["NullMove off", "Killers off", "NullMove off, Killers off"]);
        let bench = comparison(&config("all"), &variants);
        let engines: Vec<&str> = bench.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(engines, [BASE, "NullMove off", "Killers off", "NullMove off, Killers off", CONTROL]);
        let options: Vec<(&str, Option<&str>)> = bench.engines[2]
            .options
            .iter()
            .map(|option| (option.name.as_str(), option.value.as_deref()))
            .collect();
        assert_eq!(options, [("Hash", Some("16")), ("Killers", Some("false"))]);
    }

    #[test]
    fn options_that_are_no_switches_are_rejected() {
        for (switches, expected) in [
            ("[Hash]", "switches[0]: `Hash` is not an option of type check"),
            ("[NullMove, Nothing]", "switches[1]: the engine has no option `Nothing`"),
        ] {
            let problem = variants(&config(switches), &declared()).unwrap_err();
            let source = Source::new("ablate.yaml", "");
            assert!(source.complain(problem).to_string().contains(expected), "{switches}");
        }
    }
}
