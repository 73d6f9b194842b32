//! The settings of an ablation, and the comparison that measures them.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use stretto::search::switches::Switch;

use super::{AblateConfig, Played};
use crate::config::{EngineConfig, EngineOption, FieldPath, Problem};
use crate::measure::bench::BenchConfig;
use crate::uci::{OptionDecl, OptionKind, declared_option, missing_switches, off_text};

/// The name of the unchanged engine.
pub(crate) const BASE: &str = "base";
/// The name of the control: the unchanged engine, measured a second time.
const CONTROL: &str = "control";
/// Options of type check that do not change the search.
const NO_SWITCHES: [&str; 3] = ["Ponder", "OwnBook", "NormalizeScore"];

/// A setting: the engine with some switches flipped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    /// Flipped switches with their values.
    pub switches: Vec<(String, bool)>,
}

impl Variant {
    /// Returns a name such as `NullMove off`.
    pub(crate) fn name(&self) -> String {
        let names =
            self.switches.iter().map(|(name, on)| format!("{name} {}", if *on { "on" } else { "off" }));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the settings to measure for an engine with these options. Errors: a switch or pair that
/// the engine does not declare as an option of type check.
pub(crate) fn variants(config: &AblateConfig, declared: &[OptionDecl]) -> Result<Vec<Variant>, Problem> {
    let is_switch = |option: &&OptionDecl| {
        let is_search = !option.name.starts_with("UCI_") && !NO_SWITCHES.contains(&option.name.as_str());
        matches!(option.kind, OptionKind::Check { .. }) && is_search
    };
    // The current value comes from the configuration, otherwise from the engine's default.
    let flipped = |name: &str, path: FieldPath| -> Result<(String, bool), Problem> {
        let option = declared_option(declared, name).or_else(|error| path.refuse(error))?;
        let OptionKind::Check { default } = option.kind else {
            return path.refuse(format!("`{name}` is not an option of type check"));
        };
        let is_on = config.engine.option(name).map(|value| value == "true").or(default).ok_or_else(|| {
            let message = format!(
                "the engine `{}` {}, expected true or false: the value to switch from is unknown; set it in the \
                 engine's options: `{name}: true` or `{name}: false`",
                config.engine.name,
                option.default_text()
            );
            Problem::new(path, message)
        })?;
        Ok((option.name.clone(), !is_on))
    };
    let names: Vec<String> = if config.switches.is_empty() {
        declared.iter().filter(is_switch).map(|option| option.name.clone()).collect()
    } else {
        config.switches.clone()
    };
    let list = FieldPath::root().key("switches");
    list.require(!names.is_empty(), "the engine declares no options of type check")?;
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
    let list = FieldPath::root().key("games").key("switches");
    for (index, name) in names.iter().enumerate() {
        let message = format_args!("`{name}` is not one of the flipped switches");
        list.index(index).require(is_flipped(name), message)?;
    }
    Ok(())
}

/// Returns the comparison that measures these settings.
///
/// If times are compared, each setting and the control follow or precede a measurement of the
/// unchanged engine of their own. Only the pair in which a round starts is searched at its two ends.
/// With a single base, the ratios of all settings would share its error, and the time between the
/// two searches would depend on the setting.
pub(crate) fn comparison(config: &AblateConfig, variants: &[Variant]) -> BenchConfig {
    let named = |name: &str| EngineConfig { name: name.to_owned(), ..config.engine.clone() };
    let with = |variant: &Variant| {
        let mut engine = named(&variant.name());
        for (name, on) in &variant.switches {
            engine.options.retain(|option| !option.name.eq_ignore_ascii_case(name));
            engine.options.push(EngineOption { name: name.clone(), value: Some(on.to_string()) });
        }
        engine
    };
    let measured = variants.iter().map(with).chain([named(CONTROL)]);
    let (engines, bases) = if config.has_own_bases {
        let engines: Vec<EngineConfig> = measured.flat_map(|engine| [named(BASE), engine]).collect();
        let bases = (0..engines.len()).map(|index| index & !1).collect();
        (engines, bases)
    } else {
        ([named(BASE)].into_iter().chain(measured).collect(), Vec::new())
    };
    BenchConfig {
        engines,
        searches: config.searches.clone(),
        target: None,
        has_control: true,
        bases,
        family: NonZeroUsize::new(variants.len()),
    }
}

/// Returns the indices of the settings' engines in their comparison.
pub(super) fn measured(bench: &BenchConfig) -> impl Iterator<Item = usize> {
    let settings = bench.engines.len() - 1;
    (0..settings).filter(|&engine| bench.base_of(engine) != engine)
}

/// Returns the reason why a setting of Stretto has no effect; `None` if it has one or the engine is
/// another.
pub(super) fn not_applicable(variant: &Variant, engine: &EngineConfig, id_name: &str) -> Option<String> {
    let is_on = |name: &str| {
        let flipped = variant.switches.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        flipped.map(|&(_, on)| on).or_else(|| engine.option(name).map(|value| value == "true"))
    };
    let lacks = |(name, _): &(String, bool)| {
        let missing = missing_switches(id_name, name, is_on);
        (!missing.is_empty()).then(|| off_text(&missing))
    };
    // One switch of a pair that has an effect is enough.
    let reasons: Vec<Option<String>> = variant.switches.iter().map(lacks).collect();
    reasons.into_iter().collect::<Option<Vec<String>>>().map(|reasons| reasons.join("; "))
}

/// Returns what a setting of Stretto changes; `None` for options of other engines, and for those
/// that are no switch.
pub(super) fn description(variant: &Variant, id_name: &str) -> Option<String> {
    if !id_name.starts_with("Stretto") {
        return None;
    }
    let described = variant.switches.iter().filter_map(|(name, _)| Switch::from_name(name));
    let described: Vec<String> = described.map(Switch::description).collect();
    (!described.is_empty()).then(|| described.join(" "))
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

    /// Returns the values to which `all` switches of an engine with this default of `NullMove` are set.
    fn flipped(default: &str, options: &str) -> Result<Vec<String>, String> {
        let mut declared = declared();
        declared[3] = OptionDecl::parse(&format!("option name NullMove type check {default}")).unwrap();
        let mut config = config("all");
        let set = |value: &str| EngineOption { name: "nullmove".to_owned(), value: Some(value.to_owned()) };
        config.engine.options.extend((!options.is_empty()).then(|| set(options)));
        let found = variants(&config, &declared)
            .map_err(|problem| format!("{}: {}", problem.path, problem.message))?;
        Ok(found.iter().map(Variant::name).collect())
    }

    #[test]
    fn declared_defaults_differ_in_case_and_unknown_ones_need_a_value() {
        for (default, name) in [("default True", "NullMove off"), ("default FALSE", "NullMove on")] {
            assert_eq!(flipped(default, "").unwrap()[0], name);
        }
        for (default, declares) in [
            ("default 1", "declares the default `1` of `NullMove`"),
            ("default on", "declares the default `on` of `NullMove`"),
            ("", "declares no default of `NullMove`"),
        ] {
            let expected = format!(
                "switches[0]: the engine `sh` {declares}, expected true or false: the value to switch from is unknown; \
                 set it in the engine's options: `NullMove: true` or `NullMove: false`"
            );
            assert_eq!(flipped(default, "").unwrap_err(), expected);
            assert_eq!(flipped(default, "true").unwrap()[0], "NullMove off", "{default}");
            assert_eq!(flipped(default, "false").unwrap()[0], "NullMove on", "{default}");
        }
    }

    #[test]
    fn switches_are_flipped_from_their_current_value() {
        let variants = variants(&config("all"), &declared()).unwrap();
        let names: Vec<String> = variants.iter().map(Variant::name).collect();
        assert_eq!(names, ["NullMove off", "Killers off", "NullMove off, Killers off"]);
        let untimed = AblateConfig { has_own_bases: false, ..config("all") };
        let bench = comparison(&untimed, &variants);
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
    fn timed_settings_have_a_base_each() {
        let variants = variants(&config("all"), &declared()).unwrap();
        let bench = comparison(&config("all"), &variants);
        assert_eq!(bench.engines.len(), 2 * (variants.len() + 1));
        assert_eq!(bench.bases, [0, 0, 2, 2, 4, 4, 6, 6]);
        assert!(bench.engines.iter().step_by(2).all(|engine| engine.name == BASE));
        assert_eq!(measured(&bench).collect::<Vec<_>>(), [1, 3, 5]);
        assert_eq!(bench.family.map(NonZeroUsize::get), Some(3));
        let untimed = comparison(&AblateConfig { has_own_bases: false, ..config("all") }, &variants);
        assert_eq!(measured(&untimed).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn settings_without_effect_are_not_applicable() {
        let setting = |switches: &[(&str, bool)]| Variant {
            switches: switches.iter().map(|&(name, on)| (name.to_owned(), on)).collect(),
        };
        let engine = config("all").engine;
        let reason =
            |variant: &Variant, engine: &EngineConfig| not_applicable(variant, engine, "Stretto 1.0");
        let shared = setting(&[("SharedCorrections", false)]);
        assert_eq!(reason(&shared, &engine), None, "corrections are on in play");
        let mut engine = engine;
        for name in ["PawnCorrection", "NonPawnCorrection", "ContinuationCorrection"] {
            engine.options.push(EngineOption { name: name.to_owned(), value: Some("false".to_owned()) });
        }
        let three = "PawnCorrection, NonPawnCorrection, ContinuationCorrection are off";
        assert_eq!(reason(&shared, &engine).as_deref(), Some(three));
        assert_eq!(not_applicable(&shared, &engine, "Other"), None);
        assert_eq!(reason(&setting(&[("NullMove", false)]), &engine), None);
        let both = setting(&[("SharedCorrections", false), ("PawnCorrection", true)]);
        assert_eq!(reason(&both, &engine), None, "a correction is on");
        let mut on = config("all").engine;
        on.options.push(EngineOption { name: "Quiescence".to_owned(), value: Some("false".to_owned()) });
        let quiescence = setting(&[("QuiescenceSee", false)]);
        assert_eq!(reason(&quiescence, &on).as_deref(), Some("Quiescence is off"));
        let improving = description(&setting(&[("Improving", false)]), "Stretto 1.0").unwrap();
        assert!(improving.contains("late-move limit"), "{improving}");
        assert_eq!(description(&setting(&[("Improving", false)]), "Other"), None);
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
