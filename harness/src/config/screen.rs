//! The section `screen` of a match: which settings of an engine are judged together, by the same games.

use serde::{Deserialize, Serialize};
use serde_yaml::Value;

use super::engine::option_text;
use super::locate::FieldPath;
use super::source::Problem;

/// No more than this many settings: the games say less of each the more there are of them.
const MAX_FACTORS: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawScreen {
    #[serde(default)]
    switches: Vec<String>,
    #[serde(default)]
    values: Vec<RawValue>,
    #[serde(default = "all")]
    differing: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawValue {
    name: String,
    #[serde(default)]
    from: Option<Value>,
    to: Value,
}

fn all() -> f64 {
    1.0
}

/// Another value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenValue {
    /// Of the option.
    pub name: String,
    /// What it is beside the other; as the engine is configured, or else as it declares, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it is set to.
    pub to: String,
}

/// A checked screening; the games are those of the match it stands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScreenConfig {
    /// Options that are on or off, each to be turned. No name is there twice, here and in `values`.
    pub switches: Vec<String>,
    /// Options of any sort, each with another value.
    pub values: Vec<ScreenValue>,
    /// The share of all settings in which the two sides of a pair differ; in the others both play as the engine is. Range: above
    /// 0, to 1.
    pub differing: f64,
}

impl RawScreen {
    pub(super) fn validate(self) -> Result<ScreenConfig, Problem> {
        let root = FieldPath::root().key("screen");
        let count = self.switches.len() + self.values.len();
        if !(1..=MAX_FACTORS).contains(&count) {
            let message = format!("expected 1 to {MAX_FACTORS} switches and values, found {count}");
            return Err(Problem::new(root, message));
        }
        if !(self.differing > 0.0 && self.differing <= 1.0) {
            let message = format!("{}: expected more than 0 and at most 1", self.differing);
            return Err(Problem::new(root.key("differing"), message));
        }
        let (switches, values) = (root.key("switches"), root.key("values"));
        let named = self.switches.iter().enumerate().map(|(index, name)| (name, switches.index(index)));
        let valued = self.values.iter().enumerate();
        let valued = valued.map(|(index, value)| (&value.name, values.index(index).key("name")));
        let mut seen: Vec<&String> = Vec::with_capacity(count);
        for (name, path) in named.chain(valued) {
            if seen.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                return Err(Problem::new(path, format!("`{name}` is there twice")));
            }
            seen.push(name);
        }
        let checked = self.values.into_iter().enumerate();
        let checked = checked.map(|(index, value)| value.validate(&values.index(index)));
        Ok(ScreenConfig {
            switches: self.switches,
            values: checked.collect::<Result<_, _>>()?,
            differing: self.differing,
        })
    }
}

impl RawValue {
    fn validate(self, here: &FieldPath) -> Result<ScreenValue, Problem> {
        let text = |value: Value, key: &str| match option_text(value) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(Problem::new(here.key(key), "expected a value")),
            Err(message) => Err(Problem::new(here.key(key), message)),
        };
        let from = self.from.map(|value| text(value, "from")).transpose()?;
        Ok(ScreenValue { from, to: text(self.to, "to")?, name: self.name })
    }
}
