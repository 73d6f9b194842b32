//! JSON Schema of configuration files, made from the types that parse them.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::source::{ConfigError, Source};
use crate::base::programs::with_program;

/// A kind of configuration file.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// The command that reads such files.
    pub name: &'static str,
    schema: fn() -> Schema,
    pub(crate) check: Check,
}

/// Parses and validates a file.
type Check = fn(&Source) -> Result<(), ConfigError>;

impl FileKind {
    /// Returns the kind of file that the command `name` reads. It is parsed as `Raw`, and `check` parses
    /// and validates it as the command does.
    pub const fn new<Raw: JsonSchema>(name: &'static str, check: Check) -> Self {
        Self { name, schema: schema_of::<Raw>, check }
    }

    /// Returns the schema of its files.
    pub fn schema(self) -> Schema {
        let mut schema = (self.schema)();
        schema.insert("title".to_owned(), json!(format!("Configuration of {}", with_program(self.name))));
        schema
    }

    /// Checks a file as its command does, without searching for engines and other files.
    pub fn check(self, source: Source) -> Result<(), ConfigError> {
        (self.check)(&source.without_files())
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
