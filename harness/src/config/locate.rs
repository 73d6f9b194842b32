//! Locates fields in a YAML text, so that errors can report line and column.
//!
//! A deserializer seed descends along the path and fails at its end; the parser's error has the
//! location.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Key(String),
    Index(usize),
}

/// A path from the root of a document to a field, displayed as `engines[0].options.Hash`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(pub(super) Vec<Segment>);

impl FieldPath {
    /// Returns the path of the document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a path as it is displayed: `engines[0].options.Hash`.
    pub(crate) fn parse(text: &str) -> Self {
        let mut segments = Vec::new();
        for part in text.split('.').filter(|_| !text.is_empty()) {
            let mut indices = Vec::new();
            let mut key = part;
            while let Some((before, index)) = key.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
                let Ok(index) = index.parse() else { break };
                indices.push(Segment::Index(index));
                key = before;
            }
            if !key.is_empty() || indices.is_empty() {
                segments.push(Segment::Key(key.to_owned()));
            }
            segments.extend(indices.into_iter().rev());
        }
        Self(segments)
    }

    /// Returns this path extended by one step.
    pub(super) fn then(mut self, segment: Segment) -> Self {
        self.0.push(segment);
        self
    }

    /// Returns the path of the field `key` of this mapping.
    pub fn key(&self, key: &str) -> Self {
        self.clone().then(Segment::Key(key.to_owned()))
    }

    /// Returns the path of the item `index` of this list.
    pub fn index(&self, index: usize) -> Self {
        self.clone().then(Segment::Index(index))
    }

    /// Returns line and column (from 1) of a part of this field in `text`; if absent, those of the nearest
    /// enclosing field.
    pub(super) fn locate(&self, text: &str, target: Target) -> Option<(usize, usize)> {
        let seed = Walk { rest: &self.0, target };
        let error = seed.deserialize(serde_yaml::Deserializer::from_str(text)).err()?;
        error.location().map(|at| (at.line(), at.column()))
    }
}

/// The part of a field that is located.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The name of the field.
    Key,
    Value,
    /// The name where it is given again.
    Repeated,
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if i == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Fails at the end of its path, so that the error has the location.
struct Walk<'a> {
    rest: &'a [Segment],
    target: Target,
}

/// Returns whether a key is the wanted one; fails there if the key itself is located.
struct IsKey<'a> {
    wanted: &'a str,
    is_target: bool,
}

impl<'de> DeserializeSeed<'de> for IsKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsKey<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<bool, E> {
        if key == self.wanted && self.is_target {
            return Err(de::Error::custom("here"));
        }
        Ok(key == self.wanted)
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    // Scalars end here too: only the location of the default error is used.
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the field looked for")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if let Some((Segment::Key(wanted), rest)) = self.rest.split_first() {
            let mut is_target = rest.is_empty() && self.target == Target::Key;
            let is_first = rest.is_empty() && self.target == Target::Repeated;
            while let Some(is_here) = map.next_key_seed(IsKey { wanted, is_target })? {
                if is_here && is_first {
                    is_target = true;
                } else if is_here {
                    return map.next_value_seed(Walk { rest, target: self.target });
                }
                map.next_value::<IgnoredAny>()?;
            }
        }
        Err(de::Error::custom("here"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if let Some((Segment::Index(wanted), rest)) = self.rest.split_first() {
            for _ in 0..*wanted {
                if seq.next_element::<IgnoredAny>()?.is_none() {
                    return Err(de::Error::custom("here"));
                }
            }
            seq.next_element_seed(Walk { rest, target: self.target })?;
        }
        Err(de::Error::custom("here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "engines:\n  - name: a\n    options: { Hash: 16,\n      Threads: 1 }\n  - name: b\nsprt:\n  elo0: 5\n";

    #[test]
    fn finds_fields_in_block_and_flow_style() {
        let root = FieldPath::root();
        let line = |path: FieldPath| path.locate(TEXT, Target::Value).unwrap().0;
        assert_eq!(line(root.key("sprt").key("elo0")), 7);
        assert_eq!(line(root.key("engines").index(0).key("options").key("Threads")), 4);
        assert_eq!(line(root.key("engines").index(1).key("name")), 5);
    }

    #[test]
    fn name_of_a_field_has_a_place_of_its_own() {
        let path = FieldPath::root().key("engines").index(0).key("options").key("Hash");
        assert_eq!(
            (path.locate(TEXT, Target::Value), path.locate(TEXT, Target::Key)),
            (Some((3, 22)), Some((3, 16)))
        );
        assert_eq!(FieldPath::root().key("sprt").locate(TEXT, Target::Key), Some((6, 1)));
        assert_eq!(FieldPath::root().key("engines").index(1).locate(TEXT, Target::Key).unwrap().0, 5);
    }

    #[test]
    fn absent_field_is_located_at_its_parent() {
        assert_eq!(FieldPath::root().key("sprt").key("alpha").locate(TEXT, Target::Value).unwrap().0, 7);
        assert!(FieldPath::root().key("openings").locate(TEXT, Target::Value).is_some());
    }

    #[test]
    fn paths_round_trip() {
        let path = FieldPath::root().key("engines").index(1).key("options").key("Hash");
        assert_eq!(path.to_string(), "engines[1].options.Hash");
        for text in ["engines[1].options.Hash", "pairs[0][1]", "a", ""] {
            assert_eq!(FieldPath::parse(text).to_string(), text);
        }
        assert_eq!(FieldPath::parse("engines[1].options.Hash"), path);
    }
}
