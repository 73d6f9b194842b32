//! The switches that an option of Stretto needs to have an effect.

use stretto::search::switches::{Switch, missing_needs};

/// Returns the switches of which at least one must be turned on before the option `name` has an effect.
/// Empty if it has one, or the engine is another. `is_on` is the value that a configuration gives a
/// switch, if any.
pub(crate) fn missing_switches(
    id_name: &str,
    name: &str,
    is_on: impl Fn(&str) -> Option<bool>,
) -> Vec<&'static str> {
    if !id_name.starts_with("Stretto") {
        return Vec::new();
    }
    let is_on = |switch: Switch| is_on(switch.info().name).unwrap_or(switch.info().default);
    missing_needs(name, &is_on).iter().map(|switch| switch.info().name).collect()
}

/// Formats such switches: `A is off`.
pub(crate) fn off_text(missing: &[&str]) -> String {
    match missing {
        [one] => format!("{one} is off"),
        _ => format!("{} are off", missing.join(", ")),
    }
}

/// Returns the error for an option that has no effect on the games, with the remedy; `None` if nothing is
/// missing.
pub(crate) fn no_effect(name: &str, missing: &[&str]) -> Option<String> {
    let first = missing.first()?;
    let off = off_text(missing);
    Some(format!("`{name}` has no effect, because {off}: set `{first}: true` in the engine's options"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_switches_depend_on_the_configuration_and_the_engine() {
        let none = |_: &str| None;
        let missing = missing_switches("Stretto 1.0", "LmrRefutation", none);
        assert_eq!(missing, ["Killers", "CounterMoves"]);
        assert_eq!(
            no_effect("LmrRefutation", &missing).unwrap(),
            "`LmrRefutation` has no effect, because Killers, CounterMoves are off: set `Killers: true` in the \
             engine's options"
        );
        assert_eq!(no_effect("LmrRefutation", &[]), None);
        let on = |name: &str| (name == "CounterMoves").then_some(true);
        assert!(missing_switches("Stretto 1.0", "LmrRefutation", on).is_empty());
        assert!(missing_switches("Other", "LmrRefutation", none).is_empty());
    }
}
