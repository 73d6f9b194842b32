//! `harness suite`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::session::{FolderArgs, KeptRun, timestamp, write_report};
use super::{Failure, fail, listen_for_signals, say};
use crate::cancel::Cancel;
use crate::config::{Problem, Source, SuiteConfig, SuiteRequest};
use crate::progress::SuiteDisplay;
use crate::report::suite_report;
use crate::runner::PreflightError;
use crate::store::{EngineIdentity, FileHash, Host, Manifest, RunFolder};
use crate::suite::{self, Comparison, Job, Observer, Records, Suite, SuiteSummary};
use crate::uci_client::Launcher;

/// The word for runs of this kind.
const KIND: &str = "suite";

pub(super) const HELP: &str = "\
Examples:
  harness suite wac.epd --nodes 50000
  harness suite sts.epd wac.epd --movetime 200 --hash 64 --out results/runs/before
  harness suite wac.epd --nodes 50000 --lab --option NullMove=false
  harness suite wac.epd --nodes 50000 --engine ./other-engine --compare results/runs/before
  harness suite mates.epd --nodes 200000 --strict
  harness suite --resume results/runs/suite-20261121-120000-1a2b3c4d

What a line asks for:
  bm, am      moves to find and moves to avoid
  c7 with c8  moves and their points, or c0 as \"f5=10, Be5+=2\" (Strategic Test Suite)
  dm N        mate in N moves, negative where the side to move is mated; solved when a mate is claimed and verified

Every claimed mate is replayed: its line must end in checkmate after the claimed number of moves. Where the line is cut
short, the engine plays on for both sides and must mate in time.

Each position starts from ucinewgame: neither the order nor the number of engines at work changes a result. A run is
kept in results/runs/suite-<id>/: manifest.yaml, journal.jsonl (one line a position, the truth), summary.json, and faults/
with the dialogue that led to each crash, hang or illegal move. --resume does exactly what is missing.";

/// The arguments of `harness suite`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct SuiteArgs {
    /// The positions: EPD files, or FEN with operations.
    #[arg(value_name = "EPD", required_unless_present = "resume", conflicts_with = "resume")]
    files: Vec<PathBuf>,
    /// The engine: a name beside the harness or on PATH, or a path.
    #[arg(long, value_name = "CMD", default_value = "stretto", conflicts_with = "resume")]
    engine: String,
    /// Its name in reports.
    #[arg(long, conflicts_with = "resume")]
    name: Option<String>,
    /// An argument for the engine; repeat for more.
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true, conflicts_with = "resume")]
    args: Vec<String>,
    /// Start the engine with --lab: every switch and tunable of stretto is an option.
    #[arg(long, conflicts_with = "resume")]
    lab: bool,
    /// An option for the engine; repeat for more. Without a value it presses a button.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value, conflicts_with = "resume")]
    options: Vec<(String, Option<String>)>,
    /// The option Threads.
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    threads: Option<NonZeroU32>,
    /// The option Hash, in MiB.
    #[arg(long, value_name = "MB", conflicts_with = "resume")]
    hash: Option<NonZeroU32>,
    /// Nodes a position.
    #[arg(long, value_name = "N", conflicts_with = "resume", required_unless_present_any = ["movetime", "depth", "resume"])]
    nodes: Option<NonZeroU64>,
    /// Time a position, in milliseconds.
    #[arg(long, value_name = "MS", conflicts_with = "resume")]
    movetime: Option<NonZeroU64>,
    /// Depth a position.
    #[arg(long, value_name = "D", conflicts_with = "resume")]
    depth: Option<NonZeroU32>,
    /// Take only the first N positions of each file.
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    limit_positions: Option<NonZeroUsize>,
    /// Seconds without a move after which the engine counts as hung (beyond --movetime).
    #[arg(long, value_name = "S", default_value_t = 300.0, conflicts_with = "resume")]
    timeout: f64,
    /// Engines at once; by default what the cores carry.
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// Show which positions came out differently in another run: its folder, or its summary.json.
    #[arg(long, value_name = "RUN")]
    compare: Option<PathBuf>,
    /// List the positions that were not solved, with what was found.
    #[arg(long)]
    list: bool,
    /// Exit with 1 if a claimed mate was not verified or the engine failed on a position.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    folder: FolderArgs,
    /// Stream events as JSON lines on stdout.
    ///
    /// Each has `v` (the version of the format, 1) and `event`: `run_started`, `position_finished`, `notice`,
    /// `run_ended` (with the content of summary.json and the comparison).
    #[arg(long)]
    json: bool,
}

pub(super) fn name_and_value(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim().to_owned())),
        None => (text.trim(), None),
    };
    if name.is_empty() {
        return Err("expected NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// What makes two suite runs the same run.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a SuiteConfig,
    engine: EngineIdentity<'a>,
    files: Vec<FileHash>,
}

/// Solves a suite.
pub(super) fn run(args: &SuiteArgs) -> Result<ExitCode, Failure> {
    let resumed = args.folder.resumed(KIND)?;
    let mut request = match &resumed {
        Some((folder, manifest)) => {
            let source = Source { file: folder.manifest(), text: manifest.config_text.clone() };
            SuiteRequest::load(&source)?
        }
        None => args.request(),
    };
    request.concurrency = args.concurrency.or(request.concurrency);
    let config = request.validate().map_err(|problem| refuse(&problem))?;
    if let Some(other) = &args.compare {
        // Better known now than after the work.
        Comparison::with(other, &[]).map_err(anyhow::Error::from).context("--compare")?;
    }
    let suite = Suite::load(&config.files, config.limit_positions.map(NonZeroUsize::get))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let (launcher, cancel) = (Launcher::of_this_binary(), Cancel::new());
    listen_for_signals(&cancel)?;
    let (id_name, warnings) = match suite::trial(&config, &suite, &launcher, &cancel) {
        Ok(trial) => trial,
        Err(PreflightError::Option(problem)) => return Err(refuse(&problem)),
        Err(PreflightError::Run(error)) => return Err(Failure::Run(error.into())),
        Err(PreflightError::Cancelled) => {
            say("interrupted before the first position");
            return Err(Failure::Interrupted);
        }
    };
    let manifest = describe(&request, &config, &id_name).context("cannot describe the run")?;
    let (folder, changes) = args.folder.open(resumed, &manifest)?;
    let job = Job { config, id_name, suite, launcher, cancel };
    solve(args, &job, folder, &[warnings, changes].concat())
}

/// A complaint about the request, which has no lines to point at.
fn refuse(problem: &Problem) -> Failure {
    let path = problem.path.to_string();
    let colon = if path.is_empty() { "" } else { ": " };
    Failure::Usage(format!("{path}{colon}{}", problem.message))
}

impl SuiteArgs {
    fn request(&self) -> SuiteRequest {
        let mut options = self.options.clone();
        let mut set = |name: &str, value: Option<NonZeroU32>| {
            options.extend(value.map(|value| (name.to_owned(), Some(value.to_string()))));
        };
        set("Threads", self.threads);
        set("Hash", self.hash);
        let lab = self.lab.then(|| "--lab".to_owned());
        SuiteRequest {
            files: self.files.clone(),
            engine: self.engine.clone(),
            name: self.name.clone(),
            args: lab.into_iter().chain(self.args.iter().cloned()).collect(),
            options,
            nodes: self.nodes,
            movetime: self.movetime,
            depth: self.depth,
            limit_positions: self.limit_positions,
            concurrency: None,
            timeout: self.timeout,
        }
    }
}

fn describe(request: &SuiteRequest, config: &SuiteConfig, id_name: &str) -> std::io::Result<Manifest> {
    let files = config.files.iter().map(|file| FileHash::of(file)).collect::<std::io::Result<_>>()?;
    let identity = Identity { config, engine: EngineIdentity::of(&config.engine, id_name)?, files };
    let text = serde_yaml::to_string(&request.pinned(config)).map_err(std::io::Error::other)?;
    let host = Host::here(config.concurrency);
    Manifest::describe(KIND, &identity, host, "the command line".into(), &text, &timestamp())
}

fn solve(args: &SuiteArgs, job: &Job, folder: RunFolder, warnings: &[String]) -> Result<ExitCode, Failure> {
    let notices = [warnings, &suite::complaints_shown(&job.suite.complaints)].concat();
    let mut run = KeptRun::new(KIND, folder.path(), args.json, notices);
    let mut records = Records::open(folder, &job.suite).map_err(anyhow::Error::from)?;
    run.note_torn(records.torn_bytes, "position");
    let mut display = SuiteDisplay::new(job, args.json);
    display.start(&run.path, job, records.done.len());
    for notice in &run.notices {
        display.notice(notice);
    }
    let summary = suite::run(job, &mut records, &mut display).map_err(|error| {
        display.abandon();
        run.stopped(error)
    })?;
    let comparison = args.compare.as_deref().map(|other| compare(other, &records)).transpose()?;
    display.finish(&summary, comparison.as_ref());
    write_report(&run.path, &suite_report(&summary))?;
    let mut report = summary.report();
    if args.list {
        report.push_str(&suite::list_unsolved(&records.all().map_err(anyhow::Error::from)?));
    }
    report.extend(comparison.map(|comparison| comparison.report()));
    run.show(&report);
    run.end(summary.state)?;
    Ok(exit_code(args.strict, &summary))
}

fn compare(other: &Path, records: &Records) -> anyhow::Result<Comparison> {
    Ok(Comparison::with(other, &records.all()?)?)
}

fn exit_code(is_strict: bool, summary: &SuiteSummary) -> ExitCode {
    let failures = summary.failures();
    if !is_strict || failures == 0 {
        return ExitCode::SUCCESS;
    }
    let claims = summary.unverified.len() as u64;
    fail(1, &format!("{claims} claimed mates not verified, {} positions with a fault", failures - claims))
}
