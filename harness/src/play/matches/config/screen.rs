//! Configuration section `screen` of a match: the settings tested jointly in the same games.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Value;

use crate::config::engine::{OptionValue, option_text};
use crate::config::{FieldPath, Problem, thousandths};

/// Maximum number of settings; precision per setting decreases with their number.
const MAX_FACTORS: usize = 200;

/// Settings of an engine whose main effects are measured together.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Screen")]
pub(crate) struct RawScreen {
    /// Options of type check, each flipped from the engine's value.
    #[serde(default)]
    switches: Vec<String>,
    /// Options of any type with another value.
    #[serde(default)]
    values: Vec<RawValue>,
    /// Share of the settings in which the two sides of a pair differ. Above 0, up to 1.
    #[serde(default = "thousandths::<1000>")]
    differing: f64,
}

/// Another value of a UCI option.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ScreenValue")]
struct RawValue {
    /// Name of the UCI option.
    name: String,
    /// Value to compare with. Without it, the value set for the engine, or its default.
    #[serde(default)]
    #[schemars(with = "Option<OptionValue>")]
    from: Option<Value>,
    /// The other value, or a list of values of which each pair of games tries one.
    #[schemars(with = "OneOrMore")]
    to: Value,
}

/// The other values of an option, as users write them.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read by the schema only")]
enum OneOrMore {
    One(OptionValue),
    More(Vec<OptionValue>),
}

/// An alternative value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenValue {
    /// Name of the option.
    pub name: String,
    /// Baseline value; if absent, the configured or declared value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value whose effect is estimated, as text of the UCI option.
    pub to: String,
}

/// The validated configuration of a screening; the match section defines the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScreenConfig {
    /// On/off options to toggle. No name is repeated, nor found in `values`.
    pub switches: Vec<String>,
    /// Options of any type with an alternative value. The alternatives of one option are adjacent and
    /// have the same baseline.
    pub values: Vec<ScreenValue>,
    /// Share of the settings in which the two sides of a pair differ; in the others both have the
    /// baseline. Range: above 0, to 1.
    pub differing: f64,
}

impl RawScreen {
    pub(crate) fn validate(self) -> Result<ScreenConfig, Problem> {
        let root = FieldPath::root().key("screen");
        let (switches, values) = (root.key("switches"), root.key("values"));
        let named = self.switches.iter().enumerate().map(|(index, name)| (name, switches.index(index)));
        let valued = self.values.iter().enumerate();
        let valued = valued.map(|(index, value)| (&value.name, values.index(index).key("name")));
        let mut seen: Vec<&String> = Vec::new();
        for (name, path) in named.chain(valued) {
            let is_new = !seen.iter().any(|other| other.eq_ignore_ascii_case(name));
            path.require(is_new, format_args!("duplicate option `{name}`"))?;
            seen.push(name);
        }
        let checked = self.values.into_iter().enumerate();
        let checked = checked.map(|(index, value)| value.validate(&values.index(index)));
        let alternatives = checked.collect::<Result<Vec<_>, _>>()?.concat();
        let count = self.switches.len() + alternatives.len();
        let expected = format_args!("expected 1 to {MAX_FACTORS} switches and values, found {count}");
        root.require((1..=MAX_FACTORS).contains(&count), expected)?;
        let expected = format_args!("{}: expected more than 0 and at most 1", self.differing);
        root.key("differing").require(self.differing > 0.0 && self.differing <= 1.0, expected)?;
        Ok(ScreenConfig { switches: self.switches, values: alternatives, differing: self.differing })
    }
}

impl RawValue {
    /// Returns one alternative for each value of `to`.
    fn validate(self, here: &FieldPath) -> Result<Vec<ScreenValue>, Problem> {
        let text = |value: Value, path: FieldPath| match option_text(value) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => path.refuse("expected a value"),
            Err(message) => path.refuse(message),
        };
        let from = self.from.map(|value| text(value, here.key("from"))).transpose()?;
        let path = here.key("to");
        let to = match self.to {
            Value::Sequence(values) => {
                path.require(!values.is_empty(), "expected at least one value")?;
                let texts = values.into_iter().enumerate();
                texts.map(|(index, value)| text(value, path.index(index))).collect::<Result<Vec<_>, _>>()?
            }
            value => vec![text(value, path.clone())?],
        };
        if let Some(index) = (1..to.len()).find(|&index| to[..index].contains(&to[index])) {
            return path.index(index).refuse(format!("`{}` is listed twice", to[index]));
        }
        Ok(to.into_iter().map(|to| ScreenValue { from: from.clone(), to, name: self.name.clone() }).collect())
    }
}
