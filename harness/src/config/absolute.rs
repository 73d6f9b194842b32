//! Absolute paths in a configuration made from arguments, which a run folder keeps.

use std::path::{Path, PathBuf, absolute};

use serde_yaml::Value;

use super::command::resolve_command;
use crate::base::system::files::program_paths;

/// Fields with files, besides those of the engines.
const FILES: [&str; 5] =
    ["openings.file", "positions.file", "output.pgn.file", "output.epd.file", "output.log.file"];

/// Replaces the relative paths of a configuration by absolute ones. They start from the working
/// directory, as in fastchess, and commands first from the working directory of the engine. An engine
/// that does not exist keeps its name, for the error.
pub(super) fn make_paths_absolute(root: &mut Value) {
    for engine in root.get_mut("engines").and_then(Value::as_sequence_mut).into_iter().flatten() {
        let own = engine.get("working_dir").and_then(Value::as_str).map(PathBuf::from);
        if let Some(command) = engine.get_mut("command")
            && let Some(name) = command.as_str()
        {
            let program =
                |dir: PathBuf| program_paths(dir.join(name)).into_iter().find(|path| path.is_file());
            let found = own.and_then(program).or_else(|| resolve_command(name, Path::new(".")).ok());
            if let Some(path) = found {
                set(command, &path);
            }
        }
        engine.get_mut("working_dir").into_iter().for_each(make_absolute);
        if let Some(Value::Mapping(git)) = engine.get_mut("git") {
            make_absolute(git.entry("repository".into()).or_insert(".".into()));
        }
    }
    let file = |root: &mut Value, path: &str| {
        let file = path.split('.').try_fold(root, |value, key| value.get_mut(key));
        file.into_iter().for_each(make_absolute);
    };
    for path in FILES {
        file(root, path);
    }
    for stage in root.get_mut("stages").and_then(Value::as_sequence_mut).into_iter().flatten() {
        file(stage, "openings.file");
    }
    let tables = root.get_mut("tablebases").and_then(|tables| tables.get_mut("syzygy"));
    tables.and_then(Value::as_sequence_mut).into_iter().flatten().for_each(make_absolute);
}

fn make_absolute(value: &mut Value) {
    if let Some(path) = value.as_str().map(PathBuf::from) {
        set(value, &path);
    }
}

fn set(value: &mut Value, path: &Path) {
    if let Ok(path) = absolute(path) {
        *value = path.display().to_string().into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absolute_paths(yaml: &str) -> Value {
        let mut root: Value = serde_yaml::from_str(yaml).unwrap();
        make_paths_absolute(&mut root);
        root
    }

    #[test]
    fn relative_paths_become_absolute_and_missing_engines_stay() {
        let yaml = "engines: [{ command: ./nowhere, working_dir: src }, { name: b, command: sh }, { git: {} }]\n\
                    openings: { file: Cargo.toml }\nstages: [{ openings: { file: Cargo.toml } }]\npositions: { file: Cargo.toml }\ntablebases: { syzygy: [src] }\n\
                    output: { pgn: { file: g.pgn }, epd: { file: g.epd }, log: { file: l } }\n";
        let found = absolute_paths(yaml);
        let here = std::env::current_dir().unwrap();
        let in_here = |name: &str| Value::from(here.join(name).display().to_string());
        let engines = &found["engines"];
        assert_eq!(engines[0]["command"], Value::from("./nowhere"));
        assert_eq!(engines[0]["working_dir"], in_here("src"));
        assert_eq!(engines[1]["name"], Value::from("b"));
        assert!(Path::new(engines[1]["command"].as_str().unwrap()).is_absolute());
        assert_eq!(engines[2]["git"]["repository"], Value::from(here.display().to_string()));
        assert_eq!(found["openings"]["file"], in_here("Cargo.toml"));
        assert_eq!(found["stages"][0]["openings"]["file"], in_here("Cargo.toml"));
        assert_eq!(found["positions"]["file"], in_here("Cargo.toml"));
        assert_eq!(found["tablebases"]["syzygy"][0], in_here("src"));
        for (key, name) in [("pgn", "g.pgn"), ("epd", "g.epd"), ("log", "l")] {
            assert_eq!(found["output"][key]["file"], in_here(name));
        }
    }

    #[test]
    fn command_is_searched_in_the_working_directory_of_its_engine_first() {
        let dir = tempfile::tempdir().unwrap();
        for build in ["new", "old"] {
            std::fs::create_dir(dir.path().join(build)).unwrap();
            std::fs::write(dir.path().join(build).join("engine"), "").unwrap();
        }
        let engine = |build: &str, command: &str| {
            let folder = dir.path().join(build);
            format!("{{ command: {command}, working_dir: '{}' }}", folder.display())
        };
        let list = [engine("new", "./engine"), engine("old", "engine"), engine("old", "sh")].join(", ");
        let found = absolute_paths(&format!("engines: [{list}]"));
        let command = |index: usize| PathBuf::from(found["engines"][index]["command"].as_str().unwrap());
        assert_eq!(command(0), dir.path().join("new").join("engine"));
        assert_eq!(command(1), dir.path().join("old").join("engine"));
        assert_eq!(command(2), resolve_command("sh", Path::new(".")).unwrap(), "it is on PATH only");
    }
}
