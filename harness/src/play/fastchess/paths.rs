//! Absolute paths in an imported configuration, which is kept in a run folder.

use std::io;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use crate::base::system::files::program_paths;
use crate::config::command::{resolve_command, resolve_file};

/// Replaces the relative paths of a configuration by absolute ones. They start from the working
/// directory, as in fastchess, and commands first from the working directory of the engine. An engine or
/// book that does not exist keeps its name, for the error.
pub(crate) fn with_absolute_paths(yaml: &str) -> io::Result<String> {
    let mut root: Value = serde_yaml::from_str(yaml).map_err(io::Error::other)?;
    let here = Path::new(".");
    for engine in root.get_mut("engines").and_then(Value::as_sequence_mut).into_iter().flatten() {
        let folder = engine.get("working_dir").and_then(Value::as_str).map(PathBuf::from);
        replace(engine.get_mut("command"), |name| {
            match folder.as_deref().and_then(|dir| file_in(dir, name)) {
                Some(file) => std::path::absolute(file).map(Some),
                None => Ok(resolve_command(name, here).ok()),
            }
        })?;
        replace(engine.get_mut("working_dir"), |name| std::path::absolute(here.join(name)).map(Some))?;
    }
    let book = root.get_mut("openings").and_then(|openings| openings.get_mut("file"));
    replace(book, |name| Ok(resolve_file(Path::new(name), here).ok()))?;
    let tables = root.get_mut("tablebases").and_then(|tables| tables.get_mut("syzygy"));
    for folder in tables.and_then(Value::as_sequence_mut).into_iter().flatten() {
        replace(Some(folder), |name| std::path::absolute(here.join(name)).map(Some))?;
    }
    for key in ["pgn", "epd", "log"] {
        let file = root.get_mut("output").and_then(|output| output.get_mut(key)?.get_mut("file"));
        replace(file, |name| std::path::absolute(here.join(name)).map(Some))?;
    }
    serde_yaml::to_string(&root).map_err(io::Error::other)
}

/// Returns the file of a command in this folder, if there is one.
fn file_in(folder: &Path, command: &str) -> Option<PathBuf> {
    program_paths(folder.join(command)).into_iter().find(|path| path.is_file())
}

/// Replaces a path, if there is one and `resolve` finds it.
fn replace(
    value: Option<&mut Value>,
    resolve: impl Fn(&str) -> io::Result<Option<PathBuf>>,
) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let found = value.as_str().map(resolve).transpose()?.flatten();
    if let Some(path) = found {
        *value = Value::from(path.display().to_string());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_become_absolute_and_missing_ones_stay() {
        let yaml = "engines: [{ command: ./nowhere, working_dir: src }, { name: b, command: sh }]\n\
                    openings: { file: Cargo.toml }\ntablebases: { syzygy: [src] }\n\
                    output: { pgn: { file: g.pgn } }\n";
        let found: Value = serde_yaml::from_str(&with_absolute_paths(yaml).unwrap()).unwrap();
        let here = std::env::current_dir().unwrap();
        let absolute = |name: &str| Value::from(here.join(name).display().to_string());
        let engines = &found["engines"];
        assert_eq!(engines[0]["command"], Value::from("./nowhere"));
        assert_eq!(engines[0]["working_dir"], absolute("src"));
        assert_eq!(engines[1]["name"], Value::from("b"));
        assert!(Path::new(engines[1]["command"].as_str().unwrap()).is_absolute());
        assert_eq!(found["openings"]["file"], absolute("Cargo.toml"));
        assert_eq!(found["tablebases"]["syzygy"][0], absolute("src"));
        assert_eq!(found["output"]["pgn"]["file"], absolute("g.pgn"));
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
        let found: Value =
            serde_yaml::from_str(&with_absolute_paths(&format!("engines: [{list}]")).unwrap()).unwrap();
        let command = |index: usize| PathBuf::from(found["engines"][index]["command"].as_str().unwrap());
        assert_eq!(command(0), dir.path().join("new").join("engine"));
        assert_eq!(command(1), dir.path().join("old").join("engine"));
        assert_eq!(command(2), resolve_command("sh", Path::new(".")).unwrap(), "it is on PATH only");
    }
}
