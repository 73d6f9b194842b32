//! Comparison of the settings of a run: the options in which one engine differs from another.
//!
//! Names of options ignore case, as in UCI, and so do values. The order in which options are written
//! does not matter.

use crate::config::{EngineConfig, EngineOption};

/// Returns the options of `engine` that change those of `base`. `None` if the engines differ in
/// anything else than name and options, or if `engine` lacks an option of `base`.
pub(crate) fn changed_options<'a>(
    base: &EngineConfig,
    engine: &'a EngineConfig,
) -> Option<Vec<&'a EngineOption>> {
    let renamed = EngineConfig { name: base.name.clone(), options: base.options.clone(), ..engine.clone() };
    let is_dropped = |option: &EngineOption| option_value(engine, &option.name).is_none();
    if renamed != *base || base.options.iter().any(is_dropped) {
        return None;
    }
    let is_changed = |option: &&EngineOption| {
        let value = option.value.as_deref().unwrap_or_default();
        !option_value(base, &option.name).is_some_and(|known| known.eq_ignore_ascii_case(value))
    };
    Some(engine.options.iter().filter(is_changed).collect())
}

/// Returns the value of an option that the configuration of an engine states; empty for a button.
pub(crate) fn option_value<'a>(engine: &'a EngineConfig, name: &str) -> Option<&'a str> {
    let option = engine.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    option.map(|option| option.value.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::config::Limits;

    fn engine(name: &str, options: &[(&str, Option<&str>)]) -> EngineConfig {
        let options: Vec<(String, Option<String>)> =
            options.iter().map(|&(name, value)| (name.to_owned(), value.map(str::to_owned))).collect();
        let limits = Limits { nodes: NonZeroU64::new(100), ..Limits::default() };
        EngineConfig::of_words("sh", Some(name), &[], &options, limits).unwrap()
    }

    #[test]
    fn order_case_and_buttons_are_no_changes() {
        let base = engine("base", &[("Clear", None), ("Killers", Some("false")), ("Lmr", Some("4"))]);
        let changed = |options: &[(&str, Option<&str>)]| {
            let other = engine("other", options);
            let found = changed_options(&base, &other)?;
            Some(found.iter().map(|option| option.name.clone()).collect::<Vec<_>>())
        };
        let same = [("lmr", Some("4")), ("clear", None), ("killers", Some("FALSE"))];
        assert_eq!(changed(&same), Some(vec![]));
        let more = [("Lmr", Some("5")), ("Clear", None), ("Killers", Some("false")), ("Stop", None)];
        assert_eq!(changed(&more), Some(vec!["Lmr".to_owned(), "Stop".to_owned()]));
        assert_eq!(changed(&same[..2]), None, "Killers is not set");
        assert_eq!(changed(&[same[0], same[2]]), None, "the button is not pressed");
        let deeper = EngineConfig { limits: Limits::default(), ..base.clone() };
        assert_eq!(changed_options(&base, &deeper), None);
    }
}
