//! Matching of the settings of a regret run with those of a screening, and comparison of their bases.

use crate::config::{EngineConfig, EngineOption};
use crate::measure::regret::{changed_options, option_value};
use crate::play::matches::config::ScreenConfig;
use crate::tune::screen::Factor;

/// The role of a setting of a regret run in a screening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It equals the base: an A/A check.
    Same,
    /// It is the setting of this index.
    Factor(usize),
    /// The screening did not measure it.
    Other,
}

/// Returns the role of an engine of a regret run with this base.
pub(super) fn role(base: &EngineConfig, engine: &EngineConfig, factors: &[&Factor]) -> Role {
    let Some(mut changed) = changed_options(base, engine) else { return Role::Other };
    let is_one = |option: &EngineOption, factor: &Factor, value: &str| {
        let own = option.value.as_deref().unwrap_or_default();
        factor.name.eq_ignore_ascii_case(&option.name) && own.eq_ignore_ascii_case(value)
    };
    // A value that is stated here and the engine's default in the base.
    changed.retain(|option| !factors.iter().any(|factor| is_one(option, factor, &factor.from)));
    match changed[..] {
        [] => Role::Same,
        [option] => {
            let place = factors.iter().position(|factor| is_one(option, factor, &factor.to));
            place.map_or(Role::Other, Role::Factor)
        }
        _ => Role::Other,
    }
}

/// Describes the first difference between the bases of a regret run and of a screening; `None` if
/// they are the same. The executables are compared by their hashes, elsewhere.
pub(super) fn base_difference(
    regret: &EngineConfig,
    screen: &EngineConfig,
    config: &ScreenConfig,
    factors: &[&Factor],
) -> Option<String> {
    if regret.limits != screen.limits {
        return Some(format!(
            "{} per move in the regret run, {} in the screening",
            regret.limits, screen.limits
        ));
    }
    if (&regret.args, &regret.init, &regret.env) != (&screen.args, &screen.init, &screen.env) {
        return Some("the arguments, first lines or environment of the engines".to_owned());
    }
    let stated = |name: &str| {
        let given = config.values.iter().find(|value| value.name.eq_ignore_ascii_case(name));
        given.and_then(|given| given.from.as_deref()).or_else(|| option_value(screen, name))
    };
    let is_equal = |name: &str| match (option_value(regret, name), stated(name)) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        (None, None) => true,
        // The default of UCI.
        (Some(one), None) | (None, Some(one)) if name.eq_ignore_ascii_case("threads") => one == "1",
        // A value that is stated here and the engine's default there.
        (Some(one), None) => factors
            .iter()
            .any(|factor| factor.name.eq_ignore_ascii_case(name) && factor.from.eq_ignore_ascii_case(one)),
        (None, Some(_)) => false,
    };
    let own = regret.options.iter().chain(&screen.options).map(|option| option.name.as_str());
    let given = config.values.iter().map(|value| value.name.as_str());
    let name = own.chain(given).find(|name| !is_equal(name))?;
    let shown = |found: Option<&str>| match found {
        None => "not set".to_owned(),
        Some("") => "pressed".to_owned(),
        Some(value) => format!("`{value}`"),
    };
    Some(format!(
        "option {name} is {} in the regret run, {} in the screening",
        shown(option_value(regret, name)),
        shown(stated(name))
    ))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::config::limits::Limits;
    use crate::play::matches::config::ScreenValue;

    fn engine(name: &str, options: &[(&str, &str)]) -> EngineConfig {
        let options: Vec<(String, Option<String>)> =
            options.iter().map(|&(name, value)| (name.to_owned(), Some(value.to_owned()))).collect();
        let limits = Limits { nodes: NonZeroU64::new(3000), ..Limits::default() };
        EngineConfig::of_words("sh", Some(name), &[], &options, limits).unwrap()
    }

    fn factor(name: &str, from: &str, to: &str) -> Factor {
        Factor { name: name.to_owned(), from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn settings_match_by_option_and_value() {
        let factors = [factor("Killers", "false", "true"), factor("Lmr", "4", "5"), factor("Lmr", "4", "6")];
        let factors: Vec<&Factor> = factors.iter().collect();
        let base = engine("base", &[("Hash", "8"), ("Lmr", "4")]);
        let role = |options: &[(&str, &str)]| role(&base, &engine("other", options), &factors);
        assert_eq!(role(&[("Hash", "8"), ("Lmr", "4")]), Role::Same);
        assert_eq!(role(&[("hash", "8"), ("lmr", "4"), ("killers", "TRUE")]), Role::Factor(0));
        assert_eq!(role(&[("Hash", "8"), ("Lmr", "6")]), Role::Factor(2), "an alternative of one option");
        assert_eq!(role(&[("Hash", "8"), ("Lmr", "7")]), Role::Other, "another value");
        assert_eq!(role(&[("Hash", "8"), ("Lmr", "4"), ("Killers", "false")]), Role::Same, "the default");
        let stated = [("Hash", "8"), ("Killers", "false"), ("Lmr", "5")];
        assert_eq!(role(&stated), Role::Factor(1), "the default beside a change");
        assert_eq!(role(&[("Hash", "8"), ("Lmr", "5"), ("Killers", "true")]), Role::Other, "two changes");
        assert_eq!(role(&[("Lmr", "5")]), Role::Other, "the hash size is that of the engine");
        let deeper = EngineConfig {
            limits: Limits { nodes: NonZeroU64::new(6000), ..Limits::default() },
            ..engine("deeper", &[("Hash", "8"), ("Lmr", "5")])
        };
        assert_eq!(super::role(&base, &deeper, &factors), Role::Other);
    }

    #[test]
    fn different_bases_are_described() {
        let values =
            vec![ScreenValue { name: "Lmr".to_owned(), from: Some("4".to_owned()), to: "5".to_owned() }];
        let config = ScreenConfig { switches: vec!["Killers".to_owned()], values, differing: 1.0 };
        let factors = [factor("Killers", "false", "true"), factor("Lmr", "4", "5")];
        let factors: Vec<&Factor> = factors.iter().collect();
        let screen = engine("stretto +", &[("Hash", "8"), ("Threads", "1")]);
        let difference = |regret: &EngineConfig| base_difference(regret, &screen, &config, &factors);
        let same = engine("base", &[("hash", "8"), ("Lmr", "4")]);
        assert_eq!(difference(&same), None, "one thread is the default");
        assert_eq!(difference(&engine("base", &[("Hash", "8"), ("Lmr", "4"), ("Killers", "false")])), None);
        for (options, expected) in [
            (
                &[("Hash", "16"), ("Lmr", "4")][..],
                "option Hash is `16` in the regret run, `8` in the screening",
            ),
            (&[("Hash", "8")], "option Lmr is not set in the regret run, `4` in the screening"),
            (&[("Hash", "8"), ("Lmr", "4"), ("Killers", "true")], "option Killers is `true`"),
            (&[("Hash", "8"), ("Lmr", "4"), ("Threads", "2")], "option Threads is `2`"),
        ] {
            let found = difference(&engine("base", options)).unwrap();
            assert!(found.contains(expected), "{found}");
        }
        let mut pressed = same.clone();
        pressed.options.push(EngineOption { name: "Clear".to_owned(), value: None });
        let found = difference(&pressed).unwrap();
        assert_eq!(found, "option Clear is pressed in the regret run, not set in the screening");
        let deeper =
            EngineConfig { limits: Limits { nodes: NonZeroU64::new(20_000), ..Limits::default() }, ..same };
        let found = difference(&deeper).unwrap();
        assert_eq!(found, "20000 nodes per move in the regret run, 3000 nodes in the screening");
    }
}
