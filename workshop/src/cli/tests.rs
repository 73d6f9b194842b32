//! Tests of the commands, and of the schemas of both programs against every file of `configs/`.

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_yaml::Value;
use stretto_harness::base::programs::program_of;
use stretto_harness::config::Source;
use stretto_harness::config::schema::FileKind;

/// The keys and indices from the root of a document to a field.
type Steps = Vec<String>;

/// Returns the kinds of configuration file of both programs.
pub(super) fn kinds() -> impl Iterator<Item = FileKind> {
    stretto_harness::cli::FILES.iter().chain(super::FILES).copied()
}

/// Returns the kind of a file in `configs/`, by its folder.
fn kind_of(file: &Path, configs: &Path) -> FileKind {
    let folder = file.strip_prefix(configs).unwrap().iter().next().unwrap().to_str().unwrap();
    let name = match folder {
        "network" if file.ends_with("scale-games.yaml") => "match",
        "network" if file.to_str().unwrap().ends_with("-games.yaml") => "datagen",
        "network" => "train",
        folder => folder,
    };
    kinds().find(|kind| kind.name == name).unwrap_or_else(|| panic!("{}", file.display()))
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(yaml_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files
}

fn configurations() -> Vec<(FileKind, PathBuf)> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    yaml_files(&configs).into_iter().map(|file| (kind_of(&file, &configs), file)).collect()
}

fn validator(kind: FileKind) -> Validator {
    jsonschema::validator_for(kind.schema().as_value()).unwrap()
}

fn as_json(document: &Value) -> serde_json::Value {
    serde_json::to_value(document).unwrap()
}

/// Collects the path of every key that the schema knows; names of UCI options and environment
/// variables are free.
fn keys(value: &Value, path: &Steps, found: &mut Vec<(Steps, String)>) {
    match value {
        Value::Mapping(fields) => {
            for (key, value) in fields {
                let key = key.as_str().unwrap();
                found.push((path.clone(), key.to_owned()));
                if !["options", "env"].contains(&key) {
                    keys(value, &[&path[..], &[key.to_owned()]].concat(), found);
                }
            }
        }
        Value::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                keys(item, &[&path[..], &[index.to_string()]].concat(), found);
            }
        }
        _ => {}
    }
}

/// Returns the document with one key misspelt.
fn misspell(document: &Value, (path, key): &(Steps, String)) -> Value {
    let mut document = document.clone();
    let mut place = &mut document;
    for step in path {
        place = match place {
            Value::Sequence(items) => &mut items[step.parse::<usize>().unwrap()],
            other => other.get_mut(step.as_str()).unwrap(),
        };
    }
    let place = place.as_mapping_mut().unwrap();
    *place = std::mem::take(place)
        .into_iter()
        .map(|(name, value)| if name == *key { (format!("{key}x").into(), value) } else { (name, value) })
        .collect();
    document
}

#[test]
fn schema_and_parser_accept_every_configuration() {
    let files = configurations();
    assert!(files.len() > 50, "{}", files.len());
    for (kind, file) in files {
        let source = Source::read(&file).unwrap();
        let document: Value = source.parse().unwrap();
        kind.check(source).unwrap();
        if let Err(error) = validator(kind).validate(&as_json(&document)) {
            panic!("{}: {error}", file.display());
        }
    }
}

#[test]
fn schema_and_parser_refuse_every_misspelt_key() {
    let mut tried = 0;
    for (kind, file) in configurations() {
        let validator = validator(kind);
        let document: Value = Source::read(&file).unwrap().parse().unwrap();
        let mut found = Vec::new();
        keys(&document, &Steps::new(), &mut found);
        for key in found {
            let misspelt = misspell(&document, &key);
            let text = serde_yaml::to_string(&misspelt).unwrap();
            let error = kind.check(Source::new("misspelt.yaml", text)).unwrap_err().to_string();
            let place = format!("{}: {}.{}", file.display(), key.0.join("."), key.1);
            assert!(error.contains(&format!("`{}", key.1)), "{place}: {error}");
            assert!(!validator.is_valid(&as_json(&misspelt)), "{place}");
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn every_property_has_a_description_and_every_optional_one_a_default() {
    fn check(kind: &str, schema: &serde_json::Value) {
        let Some(schema) = schema.as_object() else { return };
        let required = schema.get("required").and_then(serde_json::Value::as_array);
        let properties = schema.get("properties").and_then(serde_json::Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let text = property["description"].as_str().unwrap_or_default();
            assert!(text.ends_with('.'), "{kind}: {name}: {property}");
            let is_required = required.is_some_and(|list| list.iter().any(|other| other == name));
            assert!(is_required || property.get("default").is_some(), "{kind}: {name}: {property}");
        }
        schema.values().for_each(|value| check(kind, value));
        let nested = schema.values().filter_map(serde_json::Value::as_array).flatten();
        nested.for_each(|value| check(kind, value));
    }
    for kind in kinds() {
        check(kind.name, kind.schema().as_value());
    }
}

#[test]
fn commands_of_this_program_alone_are_known_as_its_own() {
    let commands = super::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let others: Vec<&str> = names.filter(|name| program_of(name) != Some("workshop")).collect();
    assert_eq!(others, ["report", "watch", "runs", "completions", "man", "schema"]);
}
