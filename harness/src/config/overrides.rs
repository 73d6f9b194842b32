//! `--set FIELD=VALUE`: replaces a field of a configuration.

use serde_yaml::{Mapping, Value};

use super::locate::{FieldPath, Segment};

/// A field and its new value.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    path: FieldPath,
    value: Value,
}

impl Assignment {
    /// Returns the assignment of `value` to the field at `path`.
    pub(crate) fn new(path: FieldPath, value: Value) -> Self {
        Self { path, value }
    }

    /// Parses `sprt.elo1=5` or `engines[0].name=new`; the value is YAML.
    ///
    /// Errors: a message for the user.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (field, value) = text.split_once('=').ok_or("expected FIELD=VALUE")?;
        let path = FieldPath::parse(field.trim());
        let is_empty = |segment: &Segment| matches!(segment, Segment::Key(key) if key.is_empty());
        if path.0.is_empty() || path.0.iter().any(is_empty) {
            return Err("expected a field, such as sprt.elo1 or engines[0].name".to_owned());
        }
        let is_plain = !value.trim_start().starts_with(['"', '\'', '{', '[', '|', '>']);
        if is_plain && value.contains(" #") {
            return Err("` #` begins a comment in YAML: put the value in quotes".to_owned());
        }
        let value =
            serde_yaml::from_str(value).map_err(|error| format!("the value is not valid YAML: {error}"))?;
        Ok(Self { path, value })
    }

    /// Sets the field in `document` and returns its path. Absent mappings on the way are added.
    ///
    /// Errors: a message for the user.
    pub(crate) fn apply(self, document: &mut Value) -> Result<String, String> {
        let (mut place, mut reached) = (document, FieldPath::root());
        let whole = self.path.to_string();
        for segment in self.path.0 {
            place = match (place, &segment) {
                (Value::Sequence(items), segment) => {
                    let count = items.len();
                    let index = match segment {
                        Segment::Index(index) => Some(*index),
                        Segment::Key(key) => key.parse().ok(),
                    };
                    index.and_then(|index| items.get_mut(index)).ok_or_else(|| {
                        format!("`{reached}` is a list of {count}: expected an index such as {reached}[0]")
                    })?
                }
                (place @ (Value::Null | Value::Mapping(_)), Segment::Key(key)) => {
                    if place.is_null() {
                        *place = Value::Mapping(Mapping::new());
                    }
                    let Value::Mapping(fields) = place else { return Err("not a mapping".to_owned()) };
                    fields.entry(Value::String(key.clone())).or_insert(Value::Null)
                }
                (Value::Mapping(_), Segment::Index(_)) => {
                    return Err(format!("`{reached}` is not a list, so `{whole}` cannot be set"));
                }
                (Value::Null, Segment::Index(_)) => {
                    return Err(format!("there is no list `{reached}`, so `{whole}` cannot be set"));
                }
                _ => return Err(format!("`{reached}` has no fields, so `{whole}` cannot be set")),
            };
            reached = reached.then(segment);
        }
        *place = self.value;
        Ok(reached.to_string())
    }
}

/// Returns the field of a `--set FIELD=VALUE`; `None` without a value.
pub(crate) fn assigned_field(text: &str) -> Option<String> {
    text.split_once('=').map(|(field, _)| FieldPath::parse(field.trim()).to_string())
}

/// Joins the arguments of two `--set` lists. A later assignment to the same field replaces an earlier one.
pub(crate) fn joined(earlier: &[String], later: &[String]) -> Vec<String> {
    let is_kept = |text: &&String| !later.iter().any(|new| assigned_field(new) == assigned_field(text));
    earlier.iter().filter(is_kept).chain(later).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_assignment_to_a_field_replaces_the_earlier_one() {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let earlier = list(&["nodes=50", "engines[0].name=a", "games=4"]);
        let later = list(&["games = 8", "engines[0].name = b"]);
        assert_eq!(joined(&earlier, &later), ["nodes=50", "games = 8", "engines[0].name = b"]);
        assert_eq!(joined(&earlier, &[]), earlier);
    }

    fn set(text: &str, assignment: &str) -> Result<String, String> {
        let mut document: Value = serde_yaml::from_str(text).unwrap();
        Assignment::parse(assignment)?.apply(&mut document)?;
        Ok(serde_yaml::to_string(&document).unwrap())
    }

    #[test]
    fn fields_of_lists_and_mappings_are_set() {
        let text = "engines:\n- name: a\n- name: b\n";
        assert_eq!(set(text, "engines[1].name=c").unwrap(), "engines:\n- name: a\n- name: c\n");
        assert_eq!(set(text, "engines.0.name=c").unwrap(), "engines:\n- name: c\n- name: b\n");
        assert_eq!(
            set("a: 1\n", "options.Clear Hash=[1, 2]").unwrap(),
            "a: 1\noptions:\n  Clear Hash:\n  - 1\n  - 2\n"
        );
        assert_eq!(set("a: 1\n", "a=8+0.08").unwrap(), "a: 8+0.08\n");
    }

    #[test]
    fn unreachable_fields_are_errors() {
        for (assignment, expected) in [
            ("list[3]=1", "`list` is a list of 2"),
            ("list.x=1", "`list` is a list of 2"),
            ("map[0]=1", "`map` is not a list"),
            ("number.x=1", "`number` has no fields"),
            ("=1", "expected a field"),
            ("map..x=1", "expected a field"),
            ("map.x={", "the value is not valid YAML"),
            ("map.x=dev #2", "` #` begins a comment in YAML: put the value in quotes"),
        ] {
            let error = set("list: [1, 2]\nmap: { x: 1 }\nnumber: 1\n", assignment).unwrap_err();
            assert!(error.contains(expected), "{assignment}: {error}");
        }
    }
}
