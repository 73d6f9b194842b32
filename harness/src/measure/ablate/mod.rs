//! What each switch of an engine is worth over fixed positions: the engine as it is beside the engine with one switch turned
//! the other way, and with two where pairs are asked for.
//!
//! It is a comparison as [`crate::measure::bench`] makes it, of as many engines as there are switches, with the control that tells
//! what is noise; `games` adds what some of the settings are worth in play. The caller is the command line.

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

/// The name of the engine as it is.
pub(crate) const BASE: &str = "as it is";
/// The name of the engine as it is, once more.
const CONTROL: &str = "control";
/// Options of every engine that are no ideas of its search.
const NO_SWITCHES: [&str; 3] = ["Ponder", "OwnBook", "NormalizeScore"];

pub use games::{Strength, folder_of, settings_to_play};
pub use stored::report_stored;

/// The format of [`Ablation`]; raised when an older reader could misread it.
pub const ABLATION_VERSION: u32 = 3;

/// An engine with switches turned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The switches, and what they are set to.
    pub switches: Vec<(String, bool)>,
}

impl Variant {
    /// `NullMove off`.
    pub fn name(&self) -> String {
        let names =
            self.switches.iter().map(|(name, on)| format!("{name} {}", if *on { "on" } else { "off" }));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The settings to measure, of an engine that declared these options.
pub fn variants(config: &AblateConfig, declared: &[OptionDecl]) -> Result<Vec<Variant>, Problem> {
    let is_switch = |option: &&OptionDecl| {
        let is_idea = !option.name.starts_with("UCI_") && !NO_SWITCHES.contains(&option.name.as_str());
        matches!(option.kind, OptionKind::Check { .. }) && is_idea
    };
    // As it is: what the configuration sets, or else what the engine declares.
    let turned = |name: &str, path: FieldPath| -> Result<(String, bool), Problem> {
        let option = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        let default = match option.map(|option| &option.kind) {
            Some(OptionKind::Check { default }) => *default,
            Some(_) => return Err(Problem::new(path, format!("`{name}` is not on or off"))),
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
        return Err(Problem::new(list, "the engine declares no options that are on or off"));
    }
    let single = names
        .iter()
        .enumerate()
        .map(|(index, name)| Ok(Variant { switches: vec![turned(name, list.index(index))?] }));
    let list = FieldPath::root().key("pairs");
    let pairs = config.pairs.iter().enumerate().map(|(index, pair)| {
        let here = list.index(index);
        Ok(Variant { switches: vec![turned(&pair[0], here.index(0))?, turned(&pair[1], here.index(1))?] })
    });
    let variants: Vec<Variant> = single.chain(pairs).collect::<Result<_, _>>()?;
    check_played(config, &variants)?;
    Ok(variants)
}

/// Refuses games of a switch that is not turned.
fn check_played(config: &AblateConfig, variants: &[Variant]) -> Result<(), Problem> {
    let Some(Played::Switches(names)) = config.games.as_ref().map(|games| &games.played) else {
        return Ok(());
    };
    let is_turned = |name: &String| {
        variants.iter().any(
            |variant| matches!(&variant.switches[..], [(switch, _)] if switch.eq_ignore_ascii_case(name)),
        )
    };
    match names.iter().position(|name| !is_turned(name)) {
        Some(index) => {
            let path = FieldPath::root().key("games").key("switches").index(index);
            Err(Problem::new(path, format!("`{}` is not one of the switches that are turned", names[index])))
        }
        None => Ok(()),
    }
}

/// The comparison that measures these settings.
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

/// What turning one setting does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The setting.
    pub variant: Variant,
    /// Beside the engine as it is.
    pub comparisons: Vec<Comparison>,
    /// What it is worth in play, where it was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// For a pair: how many times more nodes than its two switches alone would give, multiplied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<f64>,
}

impl Effect {
    /// The comparison in one quantity.
    pub fn of(&self, quantity: Quantity) -> Option<&Comparison> {
        self.comparisons.iter().find(|comparison| comparison.quantity == quantity)
    }

    /// How many times the nodes.
    fn nodes(&self) -> f64 {
        self.of(Quantity::Nodes).map_or(1.0, |comparison| comparison.ratio.mean)
    }
}

/// What all settings do, those that cost most first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ablation {
    /// See [`ABLATION_VERSION`].
    pub v: u32,
    /// Is the run over?
    pub state: RunState,
    /// Positions.
    pub positions: usize,
    /// Searches done.
    pub searches: usize,
    /// Searches there are.
    pub searches_planned: usize,
    /// The settings.
    pub effects: Vec<Effect>,
    /// What the engine as it is shows beside itself.
    pub control: Vec<Comparison>,
}

impl Ablation {
    /// Reads it out of the comparison's summary.
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

/// What is measured.
#[derive(Clone, Debug)]
pub struct Job {
    /// The comparison of all settings.
    pub bench: bench::Job,
    /// Its settings: all its engines but the first and the control.
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
    fn every_switch_is_turned_from_where_it_is() {
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
    fn what_is_no_switch_is_named() {
        for (switches, expected) in [
            ("[Hash]", "switches[0]: `Hash` is not on or off"),
            ("[NullMove, Nothing]", "switches[1]: the engine has no option `Nothing`"),
        ] {
            let problem = variants(&config(switches), &declared()).unwrap_err();
            let source = Source::new("ablate.yaml", "");
            assert!(source.complain(problem).to_string().contains(expected), "{switches}");
        }
    }
}
