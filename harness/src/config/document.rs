//! The text of a configuration, its value, and the places of its fields.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_yaml::Value;

use super::locate::FieldPath;

/// Some editors on Windows begin a file with it. The parser would take it for a document of its own.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A YAML text. All who look at single fields share one parsed value.
///
/// A value has no places. The text is read once more into the struct of its kind, so that errors have line and column.
#[derive(Clone, Debug)]
pub(super) struct Document {
    text: String,
    value: OnceLock<Value>,
}

impl Document {
    /// Returns the document of a text, without a byte order mark.
    pub(super) fn new(mut text: String) -> Self {
        if text.starts_with(BYTE_ORDER_MARK) {
            text.remove(0);
        }
        Self { text, value: OnceLock::new() }
    }

    /// Returns the document with another value. The comment at the head of the text stays, which often explains it.
    ///
    /// Errors: the value cannot be written as YAML.
    pub(super) fn with_value(&self, value: Value) -> Result<Self, serde_yaml::Error> {
        let head = self.text.lines().take_while(|line| line.starts_with('#'));
        let head: String = head.flat_map(|line| [line, "\n"]).collect();
        Ok(Self { text: head + &serde_yaml::to_string(&value)?, value: value.into() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value, which is parsed at the first call.
    ///
    /// Errors: the text is not YAML.
    pub(super) fn value(&self) -> Result<&Value, serde_yaml::Error> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = self.read()?;
        Ok(self.value.get_or_init(|| value))
    }

    /// Reads the text into a struct.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, serde_yaml::Error> {
        serde_yaml::from_str(&self.text)
    }

    /// Returns line and column of a field, or of the nearest enclosing one. Counted from 1.
    pub(super) fn place(&self, path: &FieldPath) -> (usize, usize) {
        path.locate(&self.text).unwrap_or((1, 1))
    }

    /// Returns line and column of the name of a field. Counted from 1.
    pub(super) fn place_of_key(&self, path: &FieldPath) -> (usize, usize) {
        path.locate_key(&self.text).unwrap_or((1, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_mark_is_no_part_of_the_text() {
        let text = "nodes: 5\ninner: { elo0: 1 }\n";
        let document = Document::new(format!("\u{feff}{text}"));
        assert_eq!(document.text(), text);
        assert_eq!(document.value().unwrap(), Document::new(text.to_owned()).value().unwrap());
    }

    #[test]
    fn changed_value_is_that_of_the_new_text() {
        let document = Document::new("# head\nnodes: 5 # few\n".to_owned());
        let changed = document.with_value(serde_yaml::from_str("{ nodes: 7, name: '7' }").unwrap()).unwrap();
        assert_eq!(changed.text(), "# head\nnodes: 7\nname: '7'\n");
        assert_eq!(changed.value().unwrap(), &changed.read::<Value>().unwrap());
        assert_eq!(changed.place(&FieldPath::parse("name")), (3, 7));
        assert_eq!(changed.place_of_key(&FieldPath::parse("name")), (3, 1));
    }
}
