//! `harness schema`: the fields of configuration files, for editors and for checks.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::config::Source;
use crate::config::schema::FileKind;
use crate::run::command::{Failure, fail, print, print_json};

const HELP: &str = "\
Examples:
  harness schema sprt > sprt.schema.json
  harness schema sprt --check configs/sprt/*.yaml

An editor with the YAML language server uses a schema by a first line such as:
  # yaml-language-server: $schema=sprt.schema.json";

/// Prints the JSON Schema of a kind of configuration file, or checks files.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct SchemaArgs {
    /// The command that reads the files.
    kind: String,
    /// Check these files instead, as the command does. Engines and other files that they name are not looked for.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    check: Vec<PathBuf>,
}

/// Runs `harness schema` with the kinds of configuration file.
pub fn run(args: &SchemaArgs, files: &[FileKind]) -> Result<ExitCode, Failure> {
    let kind = files.iter().find(|kind| kind.name == args.kind);
    let kind = kind.ok_or_else(|| Failure::Usage(format!("{}: no such kind of file", args.kind)))?;
    if args.check.is_empty() {
        print_json(&kind.schema())?;
    }
    // Every faulty file is reported.
    let mut code = ExitCode::SUCCESS;
    for file in &args.check {
        match Source::read(file).and_then(|source| kind.check(source)) {
            Ok(()) => print(&format!("{}: ok\n", file.display())),
            Err(error) => code = fail(2, &error),
        }
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::super::FILES;
    use super::*;

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
}
