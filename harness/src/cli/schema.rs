//! `harness schema`: the fields of configuration files, for editors and for checks.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::config::schema::FileKind;
use crate::config::{ConfigError, Source};
use crate::run::command::{Failure, fail, print, say};

const HELP: &str = "\
Examples:
  harness schema sprt > sprt.schema.json
  harness schema sprt --check configs/sprt/*.yaml

An editor with the YAML language server uses a schema by a first line such as:
  # yaml-language-server: $schema=sprt.schema.json";

/// Prints the JSON Schema of a kind of configuration file, or checks files.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct SchemaArgs {
    /// The command that reads the files.
    kind: String,
    /// Check these files instead, as the command does. Engines and other files that they name are not looked for.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    check: Vec<PathBuf>,
}

/// Runs `harness schema` with the kinds of configuration file.
pub(super) fn run(args: &SchemaArgs, files: &[FileKind]) -> Result<ExitCode, Failure> {
    let kind = files.iter().find(|kind| kind.name == args.kind);
    let kind = kind.ok_or_else(|| Failure::Usage(format!("{}: no such kind of file", args.kind)))?;
    if args.check.is_empty() {
        let text = serde_json::to_string_pretty(&kind.schema()).context("cannot print the schema")?;
        print(&format!("{text}\n"));
    }
    // Every faulty file is reported.
    let mut code = ExitCode::SUCCESS;
    for file in &args.check {
        match check(kind, file) {
            Ok(()) => print(&format!("{}: ok\n", file.display())),
            Err(error) => code = fail(2, &error),
        }
    }
    Ok(code)
}

/// Checks a file by the rules of the command that reads it.
fn check(kind: &FileKind, file: &Path) -> Result<(), ConfigError> {
    let source = Source::read(file)?;
    source.renamed_fields().iter().for_each(|notice| say(notice));
    kind.check(source)
}

#[cfg(test)]
mod tests {
    use jsonschema::Validator;
    use serde_yaml::Value;

    use super::super::FILES;
    use super::*;
    use crate::config::FieldPath;

    /// Returns the kind of a file in `configs/`, by its folder.
    fn kind_of(file: &Path, configs: &Path) -> FileKind {
        let folder = file.strip_prefix(configs).unwrap().iter().next().unwrap().to_str().unwrap();
        let name = match folder {
            "network" if file.ends_with("scale-games.yaml") => "match",
            "network" if file.to_str().unwrap().ends_with("-games.yaml") => "datagen",
            "network" => "train",
            folder => folder,
        };
        *FILES.iter().find(|kind| kind.name == name).unwrap_or_else(|| panic!("{}", file.display()))
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
    fn keys(value: &Value, path: &FieldPath, found: &mut Vec<(FieldPath, String)>) {
        match value {
            Value::Mapping(fields) => {
                for (key, value) in fields {
                    let key = key.as_str().unwrap();
                    found.push((path.clone(), key.to_owned()));
                    if !["options", "env"].contains(&key) {
                        keys(value, &path.key(key), found);
                    }
                }
            }
            Value::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    keys(item, &path.index(index), found);
                }
            }
            _ => {}
        }
    }

    /// Returns the document with one key misspelt.
    fn misspell(document: &Value, (path, key): &(FieldPath, String)) -> Value {
        let mut document = document.clone();
        let place = path.find_mut(&mut document).unwrap().as_mapping_mut().unwrap();
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
    fn check_applies_the_rules_of_the_command_and_searches_no_files() {
        let check = |kind: &str, text: &str| {
            let kind = FILES.iter().find(|file| file.name == kind).unwrap();
            let text = format!("openings: {{ file: no.epd }}\nnodes: 9\n{text}");
            kind.check(Source::new("a.yaml", text)).map_err(|error| error.to_string())
        };
        let engine = |name: &str| format!("{{ name: {name}, command: no-such, working_dir: no }}");
        let engines = |names: &[&str]| {
            let list: Vec<String> = names.iter().map(|name| engine(name)).collect();
            format!("engines: [{}]\n", list.join(", "))
        };
        let test = |bounds: &str| format!("{}sprt: {bounds}\n", engines(&["a", "b"]));
        let three = format!("{}games: 4\n", engines(&["a", "b", "c"]));
        assert_eq!(check("match", &three), Ok(()));
        assert_eq!(check("sprt", &test("{ elo0: 0, elo1: 5 }")), Ok(()));
        for (kind, text, expected) in [
            ("match", test("{ elo0: 0, elo1: 5 }"), "sprt: a match has a fixed length and tests nothing"),
            ("sprt", three, "a test is between two engines, found 3"),
            ("sprt", test("{ elo0: 0, elo1: -5 }"), "a.yaml:4:"),
            ("sprt", engines(&["a", "b"]), "sprt: missing"),
            ("screen", format!("{}games: 4\n", engines(&["a"])), "screen: missing"),
            ("tune", engines(&["a"]), "tune: missing"),
            ("match", format!("{}games: 3\n", engines(&["a", "b"])), "games: 3: expected an even number"),
        ] {
            let error = check(kind, &text).unwrap_err();
            assert!(error.contains(expected), "{kind}: {error}");
        }
    }

    #[test]
    fn schema_and_parser_refuse_every_misspelt_key() {
        let mut tried = 0;
        for (kind, file) in configurations() {
            let validator = validator(kind);
            let document: Value = Source::read(&file).unwrap().parse().unwrap();
            let mut found = Vec::new();
            keys(&document, &FieldPath::root(), &mut found);
            for key in found {
                let misspelt = misspell(&document, &key);
                let text = serde_yaml::to_string(&misspelt).unwrap();
                let error = kind.check(Source::new("misspelt.yaml", text)).unwrap_err().to_string();
                let place = format!("{}: {}.{}", file.display(), key.0, key.1);
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
        for kind in FILES {
            check(kind.name, kind.schema().as_value());
        }
    }
}
