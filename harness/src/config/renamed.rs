//! Fields that were renamed: the old names are still read, in configurations and in old runs.

use serde_yaml::{Mapping, Value};

use super::locate::FieldPath;
use super::source::Source;

/// The renamed fields of configuration files: old path and current path. The raw structs have the
/// old names as aliases.
const FIELDS: &[(&str, &str)] =
    &[("watchdog.stolen", "watchdog.max_steal_time"), ("apart", "separate_processes")];

/// The renamed fields of validated configurations, as a manifest keeps them: the field that holds
/// the field, its old name and its current name.
const STORED_FIELDS: &[(&str, &str, &str)] = &[
    ("watchdog", "stolen_permille", "max_steal_time_permille"),
    ("config", "apart", "separate_processes"),
    ("config", "has_balanced_order", "order"),
];

impl Source {
    /// Returns a notice for each field that is written by its old name.
    pub(crate) fn renamed_fields(&self) -> Vec<String> {
        let Ok(document) = serde_yaml::from_str::<Value>(&self.text) else { return Vec::new() };
        let is_written = |path: &str| {
            let mut keys = path.split('.');
            keys.try_fold(&document, |value, key| value.get(key)).is_some()
        };
        let notice = |&(old, current): &(&str, &str)| {
            let (line, column) = FieldPath::parse(old).locate(&self.text).unwrap_or((1, 1));
            format!("{}:{line}:{column}: {old} is an old name; write {current}", self.file.display())
        };
        FIELDS.iter().filter(|(old, _)| is_written(old)).map(notice).collect()
    }
}

/// Replaces the old names in the identity of a run by the current ones.
pub(crate) fn with_current_names(identity: Value) -> Value {
    renamed_within("", identity)
}

/// Replaces the old names in a value that belongs to the field `parent`. Fields keep their order.
fn renamed_within(parent: &str, value: Value) -> Value {
    match value {
        Value::Mapping(fields) => {
            let renamed: Mapping = fields
                .into_iter()
                .map(|(key, value)| {
                    let name = key.as_str().unwrap_or_default().to_owned();
                    let field =
                        STORED_FIELDS.iter().find(|(holder, old, _)| *holder == parent && *old == name);
                    (field.map_or(key, |&(.., current)| current.into()), renamed_within(&name, value))
                })
                .collect();
            Value::Mapping(renamed)
        }
        Value::Sequence(items) => {
            Value::Sequence(items.into_iter().map(|item| renamed_within("", item)).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_in_a_file_get_a_notice_with_line_and_column() {
        let source = Source::new("a.yaml", "apart: true\nwatchdog: { uci: 5,\n  stolen: 0.05 }\n");
        assert_eq!(
            source.renamed_fields(),
            [
                "a.yaml:3:11: watchdog.stolen is an old name; write watchdog.max_steal_time",
                "a.yaml:1:8: apart is an old name; write separate_processes",
            ]
        );
        for text in ["watchdog: 60", "options: { apart: 1 }", "watchdog: { max_steal_time: 0.05 }", "{"] {
            assert_eq!(Source::new("a.yaml", text).renamed_fields(), [""; 0], "{text}");
        }
    }

    #[test]
    fn old_names_in_an_identity_become_current_ones_in_place() {
        let parse = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
        let old = "{ config: { apart: true, has_balanced_order: true, cells: [{ config: { watchdog: { uci: 1, stolen_permille: 5, stall: 2 } } }] }, apart: 1 }";
        let current = "{ config: { separate_processes: true, order: true, cells: [{ config: { watchdog: { uci: 1, max_steal_time_permille: 5, stall: 2 } } }] }, apart: 1 }";
        let renamed = with_current_names(parse(old));
        assert_eq!(serde_yaml::to_string(&renamed).unwrap(), serde_yaml::to_string(&parse(current)).unwrap());
        assert_eq!(with_current_names(renamed.clone()), renamed);
    }
}
