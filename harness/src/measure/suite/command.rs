//! `harness suite`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::base::system::files::check_inputs;
use crate::config::FieldPath;
use crate::measure::suite::{
    self, Baseline, Suite, SuiteConfig, SuitePlay, SuiteRequest, SuiteStudy, SuiteSummary,
};
use crate::pool::{PreflightError, try_engine, untried};
use crate::run::command::{Failure, fail};
use crate::run::executor::complete;
use crate::run::session::{
    COMMAND_LINE, FolderArgs, Session, read_any_manifest, refuse_old, run_path_of, timestamp,
};
use crate::run::{FileHash, FilesBefore, Host, Identity, Manifest, RunEngines, RunFiles};

/// The kind of run, as in the names of run folders.
const KIND: &str = "suite";

const HELP: &str = "\
Examples:
  harness suite wac.epd --nodes 50000
  harness suite sts.epd wac.epd --movetime 200 --hash 64 --out results/runs/before
  harness suite wac.epd --nodes 50000 --lab --option NullMove=false
  harness suite wac.epd --nodes 50000 --engine ./other-engine --compare results/runs/before
  harness suite mates.epd --nodes 200000 --strict
  harness suite --resume results/runs/suite-20261121-120000-1a2b3c4d

EPD operations used:
  bm, am      best moves and moves to avoid
  c7 with c8  moves and their points, or c0 as \"f5=10, Be5+=2\" (Strategic Test Suite)
  dm N        mate in N moves, negative if the side to move is mated; solved if a mate is claimed and verified

Every claimed mate is replayed: its line must end in checkmate after the claimed number of moves. If the line is too short, the
engine plays on for both sides and must mate in time.

Each position starts with ucinewgame, so neither order nor concurrency changes a result. A run is kept in
results/runs/suite-<id>/: manifest.yaml, journal.jsonl (one line per position), summary.json, and faults/ with the dialogue
before each crash, hang or illegal move. --resume searches exactly the missing positions.";

/// Solves EPD test suites, scores the moves found and verifies every claimed mate.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SuiteArgs {
    #[command(flatten)]
    request: SuiteRequest,
    /// Positions searched at once [default: the logical CPUs divided by the engine's threads].
    #[arg(short = 'j', long, value_name = "N", value_parser = crate::run::concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// Compare with another run (its folder or summary.json) and list the positions that differ.
    #[arg(long, value_name = "RUN")]
    compare: Option<PathBuf>,
    /// List the unsolved positions with the moves found.
    #[arg(long)]
    list: bool,
    /// Exit with 1 if a claimed mate could not be verified or the engine failed on a position.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    folder: FolderArgs,
    /// Stream events as JSON lines on stdout.
    ///
    /// Each line has `v` (the format version, 2) and `event`: `run_started`, `position_finished`, `notice`,
    /// `run_ended` (with the content of summary.json and the comparison).
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &SuiteArgs) -> Result<ExitCode, Failure> {
    check_inputs(&args.request.files, None).map_err(Failure::Usage)?;
    let session = Session::begin_described(KIND, &args.folder, args.json)?;
    let mut request = match session.resumed() {
        Some(_) => SuiteRequest::load(&session.source)?,
        None => args.request.with_flags(),
    };
    request.concurrency = args.concurrency.or(request.concurrency);
    let config = request.validate().map_err(|problem| Failure::Usage(problem.to_string()))?;
    // Read first, so that a wrong name is reported before the searches.
    let baseline = args.compare.as_deref().map(baseline).transpose()?;
    let suite = Suite::load(&config.files, config.limit_positions.map(NonZeroUsize::get))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let is_comparable = baseline.as_ref().is_none_or(|baseline| baseline.has_any(&suite.tasks));
    Failure::require(is_comparable, "--compare: the runs have no position in common")?;
    session.end_check()?;
    let setup = suite::setup(&config, &suite, &session.cancel);
    let before = FilesBefore::of([&config.engine]);
    let trial = match try_engine(&config.engine, &FieldPath::root(), &setup) {
        Ok(trial) => trial,
        Err(PreflightError::Option(problem)) => return Failure::usage(problem.to_string()),
        Err(error) => return Err(untried(error, &session.source, "interrupted before the first position")),
    };
    let manifest = describe(&request, &config, &trial.id_name, &before).context("cannot describe the run")?;
    let (mut run, folder) = session.open_as(&manifest, trial.warnings)?;
    run.notices.extend(suite::warning_lines(&suite.warnings));
    let study = SuiteStudy { config, id_name: trial.id_name, suite };
    let play = SuitePlay::new(study, setup, baseline, args.list);
    Ok(exit_code(args.strict, &complete(&play, &run, &folder, None)?.summary))
}

/// Reads the run to compare with: its folder, a file in it, a name below results/runs, or the NAME of --run-id.
///
/// Errors: it is absent, damaged or a run of another command.
fn baseline(other: &Path) -> Result<Baseline, Failure> {
    let path = run_path_of(other, KIND).unwrap_or_else(|_| other.to_path_buf());
    let folder = if path.is_dir() { &path } else { path.parent().unwrap_or(&path) };
    let file = folder.join("manifest.yaml");
    if let Ok(manifest) = read_any_manifest(&file) {
        if manifest.kind != KIND {
            let message = format!(
                "--compare: {} is a run of `harness {}`, expected one of `harness suite`",
                folder.display(),
                manifest.kind
            );
            return Err(Failure::Usage(message));
        }
        refuse_old(&manifest, &file).context("--compare")?;
    }
    Ok(Baseline::read(&path).context("--compare")?)
}

fn describe(
    request: &SuiteRequest,
    config: &SuiteConfig,
    id_name: &str,
    before: &FilesBefore,
) -> std::io::Result<Manifest> {
    let files = FileHash::all(config.files.iter().map(PathBuf::as_path))?;
    let files = RunFiles { files, ..RunFiles::default() };
    let identity = Identity::new(config, RunEngines::one(&config.engine, id_name, before)?, files);
    let text = serde_yaml::to_string(&request.pinned(config)).map_err(std::io::Error::other)?;
    let host = Host::here(config.concurrency);
    Manifest::describe(KIND, &identity, host, COMMAND_LINE.into(), &text, &timestamp())
}

fn exit_code(is_strict: bool, summary: &SuiteSummary) -> ExitCode {
    let failures = summary.failures();
    if !is_strict || failures == 0 {
        return ExitCode::SUCCESS;
    }
    let claims = summary.unverified.len() as u64;
    fail(1, &format!("{claims} claimed mates not verified, {} positions with a fault", failures - claims))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_of_another_command_is_no_baseline() {
        let dir = tempfile::tempdir().unwrap();
        let begin = |kind: &str| {
            let manifest = Manifest::describe(kind, &(), Host::here(1), "a.yaml".into(), "", "now").unwrap();
            let text = serde_yaml::to_string(&manifest).unwrap();
            std::fs::write(dir.path().join("manifest.yaml"), text).unwrap();
            std::fs::write(dir.path().join("journal.jsonl"), "").unwrap();
            baseline(&dir.path().join("journal.jsonl"))
        };
        let Err(Failure::Usage(error)) = begin("match") else { panic!("bad usage") };
        assert!(error.ends_with(" is a run of `harness match`, expected one of `harness suite`"), "{error}");
        assert!(begin("suite").is_ok());
    }
}
