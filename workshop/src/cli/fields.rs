//! The lists of `configs/README.md`: the fields of all configuration files, from their schemas. `make fields` writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

/// The kinds whose files have the same fields, under one heading; every other kind has a heading of its own.
const TOGETHER: [&str; 4] = ["match", "sprt", "tune", "screen"];

/// The lines around the generated part.
const BEGIN: &str = "<!-- fields: made by `make fields` -->\n";
const END: &str = "<!-- end of fields -->\n";

/// The definitions that the fields refer to, by name.
type Definitions = BTreeMap<String, Value>;

fn text<'a>(schema: &'a Value, key: &str) -> &'a str {
    schema[key].as_str().unwrap_or_default()
}

/// Returns the definition that a field refers to, with its name.
fn definition<'a>(schema: &Value, definitions: &'a Definitions) -> Option<(&'a str, &'a Value)> {
    let name = text(schema, "$ref").strip_prefix("#/$defs/")?;
    definitions.get_key_value(name).map(|(name, value)| (name.as_str(), value))
}

/// Whether a definition has fields of its own, and so a list.
fn is_group(definition: &Value) -> bool {
    let is_object = |schema: &Value| schema["properties"].is_object();
    is_object(definition) || definition["oneOf"].as_array().is_some_and(|all| all.iter().all(is_object))
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())
}

/// Returns what a value may be: `whole number from 1`, `` `off` or `auto` ``, `list of [Engine](#engine)`.
fn value(schema: &Value, definitions: &Definitions) -> String {
    if let Some((name, definition)) = definition(schema, definitions) {
        return if is_group(definition) {
            format!("[{name}](#{})", name.to_lowercase())
        } else {
            value(definition, definitions)
        };
    }
    if let Some(constant) = schema["const"].as_str() {
        return format!("`{constant}`");
    }
    if let Some(all) = alternatives(schema) {
        let all: Vec<String> =
            all.iter().filter(|one| one["type"] != "null").map(|one| value(one, definitions)).collect();
        return all.join(" or ");
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
        }
        kind => vec![kind.as_str().unwrap_or("any value")],
    };
    let of = |key: &str| value(&schema[key], definitions);
    let words = kind.into_iter().map(|kind| match kind {
        "integer" => "whole number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "string" => "text".to_owned(),
        "array" if schema["items"].is_object() => format!("list of {}", of("items")),
        "array" => "list".to_owned(),
        "object" if schema["additionalProperties"].is_object() => {
            format!("names, each with {}", of("additionalProperties"))
        }
        other => other.to_owned(),
    });
    let words = words.collect::<Vec<_>>().join(" or ");
    // The largest number of its type is no limit to name.
    let number = |key: &str| schema[key].as_f64().filter(|bound| bound.abs() < 65_535.0);
    match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => format!("{words}, {least} to {most}"),
        (Some(least), None) if least > 1.0 => format!("{words} from {least}"),
        _ => words,
    }
}

/// Returns the description of a field, with those of the words that it may be.
fn meaning(schema: &Value, definitions: &Definitions) -> String {
    let mut meaning = text(schema, "description").replace('\n', " ");
    let words = definition(schema, definitions).map_or(schema, |(_, definition)| definition);
    let words = words["oneOf"].as_array().into_iter().flatten().filter(|word| word["const"].is_string());
    for word in words.filter(|word| word["description"].is_string()) {
        // Writing to a String cannot fail.
        let _ =
            write!(meaning, " `{}`: {}", text(word, "const"), text(word, "description").replace('\n', " "));
    }
    meaning
}

/// Returns the list of an object's fields, the required ones first. A value omits the parts that its default shows.
fn list(object: &Value, definitions: &Definitions) -> String {
    let none = Map::new();
    let fields = object["properties"].as_object().unwrap_or(&none);
    let is_required =
        |name: &str| object["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let mut names: Vec<&String> = fields.keys().collect();
    names.sort_by_key(|name| !is_required(name));
    let mut list = String::new();
    for name in names {
        let field = &fields[name];
        let kind = value(field, definitions);
        let (default, value) = match &field["default"] {
            _ if is_required(name) => (String::new(), format!("{kind}, required")),
            Value::Bool(default) => (format!(" = `{default}`"), String::new()),
            // The fields of a group have defaults of their own.
            Value::Null | Value::Object(_) => (String::new(), kind),
            Value::Array(default) if default.is_empty() => (String::new(), kind),
            Value::Number(default) => {
                (format!(" = `{default}`"), kind.replace("whole number", "").replace("number", ""))
            }
            Value::String(default) => (format!(" = `{default}`"), kind),
            Value::Array(_) => (format!(" = `{}`", field["default"]), kind),
        };
        let value = match value.trim_matches([' ', ',']) {
            // As the head of the page says.
            "" | "text" | "whole number" => String::new(),
            "text, required" | "whole number, required" => " (required)".to_owned(),
            value => format!(" ({value})"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(list, "- `{name}`{default}{value}: {}", meaning(field, definitions));
    }
    list
}

/// Returns the lists of all kinds of file, then those of the groups that they refer to.
fn lists() -> String {
    let (mut text, mut definitions) = (String::new(), Definitions::new());
    let schemas: Vec<(&str, Value)> =
        super::tests::kinds().map(|kind| (kind.name, kind.schema().as_value().clone())).collect();
    for (_, schema) in &schemas {
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            let known = definitions.insert(name.clone(), definition.clone());
            assert!(known.is_none_or(|known| known == *definition), "two groups are named {name}");
        }
    }
    for (name, schema) in &schemas {
        let heading = match TOGETHER.iter().position(|one| one == name) {
            Some(0) => TOGETHER.map(|name| format!("`{name}`")).join(", "),
            Some(_) => continue,
            None => format!("`{name}`"),
        };
        let _ = write!(text, "\n### {heading}\n\n{}", list(schema, &definitions));
    }
    for (name, definition) in definitions.iter().filter(|(_, definition)| is_group(definition)) {
        let _ = write!(text, "\n### {name}\n\n{}\n", meaning(definition, &definitions));
        match definition["oneOf"].as_array() {
            Some(all) => {
                let mut known = BTreeSet::new();
                for one in all {
                    let list = list(one, &definitions);
                    let (again, new): (Vec<&str>, Vec<&str>) =
                        list.lines().partition(|line| known.contains(*line));
                    let _ = write!(text, "\n{}\n\n", meaning(one, &definitions));
                    text.extend(new.iter().flat_map(|line| [*line, "\n"]));
                    let names: Vec<&str> = again.iter().filter_map(|line| line.split('`').nth(1)).collect();
                    if !names.is_empty() {
                        let _ = writeln!(text, "- `{}`: as above.", names.join("`, `"));
                    }
                    known.extend(list.lines().map(str::to_owned));
                }
            }
            None => {
                let _ = write!(text, "\n{}", list(definition, &definitions));
            }
        }
    }
    text + "\n"
}

#[test]
fn configs_page_has_the_fields_of_the_schemas() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/README.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (head, rest) = page.split_once(BEGIN).expect("the line before the fields");
    let (_, tail) = rest.split_once(END).expect("the line after the fields");
    let expected = format!("{head}{BEGIN}{}{END}{tail}", lists());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, expected).unwrap();
    } else {
        assert_eq!(page, expected, "run `make fields`");
    }
}
