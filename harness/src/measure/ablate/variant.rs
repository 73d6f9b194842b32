//! The settings of an ablation, and the comparison that measures them.

use serde::{Deserialize, Serialize};

use super::{AblateConfig, Played};
use crate::config::{EngineConfig, EngineOption, FieldPath, Problem};
use crate::measure::bench::BenchConfig;
use crate::uci::{OptionDecl, OptionKind};

/// The name of the unchanged engine.
pub(crate) const BASE: &str = "as it is";
/// The name of the control: the unchanged engine, measured a second time.
const CONTROL: &str = "control";
/// Options of type check that do not change the search.
const NO_SWITCHES: [&str; 3] = ["Ponder", "OwnBook", "NormalizeScore"];

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
