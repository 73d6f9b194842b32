//! `harness calibrate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;
use serde_yaml::Value;

use super::report::calibration_report;
use super::{Calibration, RegretSide, ScreenSide};
use crate::play::matches::{MatchConfig, OptionSource, solo};
use crate::play::record::GameRecord;
use crate::run::Manifest;
use crate::run::command::{Failure, print};
use crate::run::session::{read_manifest, run_path_of};
use crate::run::stored::StoredRun;
use crate::tune::screen::Screening;

const HELP: &str = "\
Examples:
  harness calibrate results/runs/regret-switches results/runs/screen-switches
  harness calibrate regret-switches screen-switches --json

A regret run estimates the strength of settings from their moves, a screening from games. For the settings that both runs measured,
this command prints both estimates, their correlation and the slope of Elo over gain with the errors of both, the nodes that each run
spent per setting, and whether regret predicts Elo at a third of the cost.

The first engine of the regret run must be the engine of the screening, with the same options and nodes per move. A setting matches if
it changes one option of that engine to a value of the screening; at least three must match. Runs may still be going on. configs/regret/prices-large.yaml and
configs/screen/prices-large.yaml are such a pair.";

/// Compares the Elo that regret predicts with the Elo of a screening.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct CalibrateArgs {
    /// A run of `harness regret`: a path, a name below results/runs, or its --run-id.
    #[arg(value_name = "REGRET_RUN")]
    regret: PathBuf,
    /// A run of `harness screen`.
    #[arg(value_name = "SCREEN_RUN")]
    screen: PathBuf,
    /// Print the result as a JSON object.
    #[arg(long)]
    json: bool,
}

/// Reads both runs and prints the calibration.
pub(crate) fn run(args: &CalibrateArgs) -> Result<ExitCode, Failure> {
    let (regret_path, regret) = open(&args.regret, "regret")?;
    let (screen_path, screen) = open(&args.screen, "screen")?;
    if let Some(difference) = program_difference(&regret.identity, &screen.identity) {
        return Err(anyhow!("the runs have different bases: {difference}").into());
    }
    let regret = read_regret(&StoredRun { path: &regret_path, manifest: &regret })
        .with_context(|| format!("cannot read {}", regret_path.display()))?;
    let screen = read_screen(&StoredRun { path: &screen_path, manifest: &screen })
        .with_context(|| format!("cannot read {}", screen_path.display()))?;
    let found = Calibration::of(&regret, &screen)?;
    if args.json {
        print(&format!("{}\n", serde_json::to_string(&found).context("cannot print the result")?));
    } else {
        print(&calibration_report(&found).printed());
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the manifest of a run, which must be of this kind.
fn open(run: &Path, kind: &str) -> Result<(PathBuf, Manifest), Failure> {
    let path = run_path_of(run, kind)?;
    let file = path.join("manifest.yaml");
    if !file.is_file() {
        let message = format!("{} is no run folder: expected a run of `harness {kind}`", path.display());
        return Err(Failure::Usage(message));
    }
    let manifest = read_manifest(&file)?;
    if manifest.kind != kind {
        let theirs = &manifest.kind;
        return Err(Failure::Usage(format!(
            "{} is a run of `harness {theirs}`: expected a run of `harness {kind}`; the regret run comes first",
            path.display()
        )));
    }
    Ok((path, manifest))
}

fn read_regret(run: &StoredRun<'_>) -> anyhow::Result<RegretSide> {
    Ok(RegretSide { config: run.config()?, records: run.records()? })
}

fn read_screen(run: &StoredRun<'_>) -> anyhow::Result<ScreenSide> {
    let config: MatchConfig = run.config()?;
    let screen = config.screen.clone().context("its configuration has no settings")?;
    let engine = config.engines.first().cloned().context("its configuration has no engine")?;
    let screening = Screening::new(&screen, run.identity("factors")?, config.seed);
    let games: Vec<GameRecord> = run.part_records(solo::GAMES)?;
    for game in &games {
        screening.count(game);
    }
    let nodes: u64 = games.iter().map(|game| game.white_stats.nodes + game.black_stats.nodes).sum();
    let factors = screening.standing().factors;
    Ok(ScreenSide { engine, config: screen, factors, nodes: Some(nodes).filter(|&nodes| nodes > 0) })
}

/// Describes how the executables of two runs differ, by their identities. Builds of a commit are
/// compared by their bench. Executables of unknown hash and bench count as different.
fn program_difference(regret: &Value, screen: &Value) -> Option<String> {
    let one = regret.get("engines").and_then(|engines| engines.get(0));
    let other = screen.get("engine");
    let same = |field: &str| one.and_then(|one| one.get(field)) == other.and_then(|other| other.get(field));
    let hash =
        |engine: Option<&Value>| engine.and_then(|engine| engine.get("binary")?.get("blake3")).cloned();
    let described = |engine: Option<&Value>| {
        let text =
            |found: Option<&Value>| found.and_then(Value::as_str).unwrap_or("of unknown name").to_owned();
        let name = text(engine.and_then(|engine| engine.get("id_name")));
        match (hash(engine), engine.and_then(|engine| engine.get("bench")).and_then(Value::as_u64)) {
            (Some(hash), _) => format!("{name} ({:.8})", text(Some(&hash))),
            (None, Some(bench)) => format!("{name} (bench {bench})"),
            (None, None) => name,
        }
    };
    let is_known = |engine: Option<&Value>| {
        let bench = engine.and_then(|engine| engine.get("bench")).and_then(Value::as_u64);
        hash(engine).is_some() || bench.is_some()
    };
    let is_same = is_known(one) && hash(one) == hash(other) && same("bench");
    if !is_same {
        return Some(format!(
            "engine {} in the regret run, {} in the screening",
            described(one),
            described(other)
        ));
    }
    // Networks and books in options, by their hashes.
    (!same("files")).then(|| "the files in the options of the engines".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_compared_by_their_hashes() {
        let regret = |hash: &str| -> Value {
            serde_yaml::from_str(&format!(
                "engines: [{{ name: a, id_name: E 1, binary: {{ file: x, blake3: {hash} }} }}]"
            ))
            .unwrap()
        };
        let screen = |rest: &str| -> Value {
            serde_yaml::from_str(&format!("engine: {{ name: b, id_name: E 1, {rest} }}")).unwrap()
        };
        let same = screen("binary: { file: y, blake3: 0a1b2c3d4e }");
        assert_eq!(program_difference(&regret("0a1b2c3d4e"), &same), None);
        let found = program_difference(&regret("ffffffffff"), &same).unwrap();
        assert_eq!(found, "engine E 1 (ffffffff) in the regret run, E 1 (0a1b2c3d) in the screening");
        let found = program_difference(&regret("0a1b2c3d4e"), &screen("bench: 123")).unwrap();
        assert!(found.ends_with("E 1 (bench 123) in the screening"), "{found}");
        let files = screen("binary: { file: y, blake3: 0a1b2c3d4e }, files: { net: 11 }");
        assert!(program_difference(&regret("0a1b2c3d4e"), &files).is_some());
    }

    #[test]
    fn engines_of_unknown_hash_are_no_match() {
        let found = program_difference(&Value::Null, &Value::Null).unwrap();
        assert_eq!(found, "engine of unknown name in the regret run, of unknown name in the screening");
        let regret: Value = serde_yaml::from_str("engines: [{ id_name: E 1, bench: 123 }]").unwrap();
        let screen: Value = serde_yaml::from_str("engine: { id_name: E 1, bench: 123 }").unwrap();
        assert_eq!(program_difference(&regret, &screen), None, "builds of a commit have a bench");
    }

    #[test]
    fn folders_of_other_kinds_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let message = |kind: &str| match open(dir.path(), kind) {
            Err(Failure::Usage(message)) => message,
            _ => panic!("expected a usage error"),
        };
        assert!(message("regret").ends_with("is no run folder: expected a run of `harness regret`"));
        let manifest = Manifest::describe(
            "screen",
            &Value::Null,
            crate::run::Host::here(1),
            PathBuf::new(),
            "",
            "2026-11-25T12:00:00Z",
        );
        let text = serde_yaml::to_string(&manifest.unwrap()).unwrap();
        std::fs::write(dir.path().join("manifest.yaml"), text).unwrap();
        let expected =
            "is a run of `harness screen`: expected a run of `harness regret`; the regret run comes first";
        assert!(message("regret").ends_with(expected), "{}", message("regret"));
        assert!(open(dir.path(), "screen").is_ok());
    }
}
