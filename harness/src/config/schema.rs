//! JSON Schema of configuration files, made from the types that parse them.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::source::{ConfigError, Source};

/// A kind of configuration file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileKind {
    /// The command that reads such files.
    pub(crate) name: &'static str,
    schema: fn() -> Schema,
    check: fn(&Source) -> Result<(), ConfigError>,
}

impl FileKind {
    /// Returns the kind of file that the command `name` reads, parsed as `Raw`.
    pub(crate) const fn new<Raw: JsonSchema + DeserializeOwned>(name: &'static str) -> Self {
        Self { name, schema: schema_of::<Raw>, check: |source| source.parse::<Raw>().map(drop) }
    }

    /// Returns the schema of its files.
    pub(crate) fn schema(self) -> Schema {
        let mut schema = (self.schema)();
        schema.insert("title".to_owned(), json!(format!("Configuration of harness {}", self.name)));
        schema
    }

    /// Checks the fields of a file, without searching for engines and other files.
    pub(crate) fn check(self, source: &Source) -> Result<(), ConfigError> {
        (self.check)(source)
    }
}

fn schema_of<Raw: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with_transform(NullDefaults);
    settings.into_generator().into_root_schema_for::<Raw>()
}

/// Adds the default null to optional properties without one.
#[derive(Clone, Debug)]
struct NullDefaults;

impl Transform for NullDefaults {
    fn transform(&mut self, schema: &mut Schema) {
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            for (name, property) in properties {
                let is_required = required.iter().any(|required| required == name);
                if let Some(property) = property.as_object_mut().filter(|_| !is_required) {
                    property.entry("default").or_insert(Value::Null);
                }
            }
        }
        transform_subschemas(self, schema);
    }
}
