//! `harness runs`: lists run folders.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use indicatif::HumanBytes;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::base::errors::FileResult;
use crate::base::system::files;
use crate::base::wording::counted;
use crate::run::command::{Failure, print, print_json, say};
use crate::run::provenance::Provenance;
use crate::run::session::{RUNS, folder_name, read_any_manifest};
use crate::run::{AnyConfig, Manifest};

const HELP: &str = "\
Examples:
  harness runs list
  harness runs list --state interrupted --json

A run is its folder: delete the folder to delete the run.";

/// Lists runs.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct RunsArgs {
    #[command(subcommand)]
    command: RunsCommand,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// List the runs of a folder, newest first.
    List {
        /// The folder of the runs.
        #[arg(long, value_name = "DIR", default_value = RUNS)]
        folder: PathBuf,
        /// List only runs in this state.
        #[arg(long, value_enum)]
        state: Option<State>,
        /// Print the list as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// The state of a run, as its folder shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum State {
    /// In progress: a process holds the lock.
    Running,
    /// Complete.
    Finished,
    /// Stopped before its end; --resume continues it.
    Interrupted,
    /// Stopped by an error, such as too many faults; --resume continues it.
    Failed,
    /// Nothing was recorded.
    Empty,
}

impl State {
    /// Returns the name, as `--state` takes it.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// A run folder in the list.
#[derive(Debug, Serialize)]
struct Run {
    kind: String,
    id: String,
    /// The title of its report, with the verdict if there is one. Until the run has ended, the engines.
    title: Option<String>,
    state: State,
    /// When it was begun, UTC.
    created: String,
    /// Finished games, searches or other tasks: lines of its journals.
    tasks: u64,
    /// Size of all its files. Units: bytes.
    size: u64,
    path: PathBuf,
}

/// Lists the runs in a folder.
pub fn run(args: &RunsArgs) -> Result<ExitCode, Failure> {
    let RunsCommand::List { folder, state, json } = &args.command;
    let mut runs = runs_in(folder)?;
    runs.retain(|run| state.is_none_or(|state| run.state == state));
    if *json {
        print_json(&runs)?;
    } else {
        print(&table(&runs));
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the runs directly below a folder, newest first; folders without a manifest are left out.
fn runs_in(folder: &Path) -> anyhow::Result<Vec<Run>> {
    files::if_exists(fs::read_dir(folder)).or_cannot("read", folder)?;
    let mut runs = Vec::new();
    for path in manifests_in(folder) {
        match read_any_manifest(&path.join("manifest.yaml")) {
            Ok(manifest) => runs.push(Run::read(path, &manifest)),
            Err(error) => say(&format!("skipped {}: {error:#}", path.display())),
        }
    }
    runs.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.path.cmp(&b.path)));
    Ok(runs)
}

impl Run {
    fn read(path: PathBuf, manifest: &Manifest) -> Self {
        let name = folder_name(&path);
        let id = name.strip_prefix(&format!("{}-", manifest.kind)).unwrap_or(&name).to_owned();
        let (mut tasks, mut size) = (0, 0);
        for file in files_below(&path) {
            size += fs::metadata(&file).map_or(0, |metadata| metadata.len());
            if file.file_name().is_some_and(|name| name == "journal.jsonl") {
                tasks += lines_of(&file);
            }
        }
        let summary = fs::read(path.join("summary.json")).ok();
        let summary = summary.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let state = if is_locked(&path) {
            State::Running
        } else if summary.as_ref().is_some_and(|summary| is_finished(summary, manifest)) {
            State::Finished
        } else if summary.as_ref().is_some_and(|summary| summary["state"] == "failed") {
            State::Failed
        } else if tasks == 0 && summary.is_none() {
            State::Empty
        } else {
            State::Interrupted
        };
        // The report of a run that goes on, or was killed, states a result that has changed since.
        let ended =
            summary.as_ref().filter(|summary| state != State::Running && summary["state"] != "running");
        let title =
            ended.and_then(|_| report_title(&path)).or_else(|| Provenance::of(manifest, &name).title());
        let (kind, created) = (manifest.kind.clone(), manifest.created.clone());
        Self { kind, id, title, state, created, tasks, size, path }
    }

    /// Returns the name that `--resume` and `report` accept.
    fn name(&self) -> String {
        folder_name(&self.path)
    }
}

/// Counts the lines of a file; none if it cannot be read.
fn lines_of(file: &Path) -> u64 {
    let Ok(file) = File::open(file) else { return 0 };
    let (mut reader, mut lines) = (BufReader::with_capacity(1 << 16, file), 0);
    while let Ok(part @ [_, ..]) = reader.fill_buf() {
        lines += memchr::memchr_iter(b'\n', part).count() as u64;
        let read = part.len();
        reader.consume(read);
    }
    lines
}

/// Returns the title of the report in a run folder, if there is one.
pub(super) fn report_title(path: &Path) -> Option<String> {
    let first = BufReader::new(File::open(path.join("report.md")).ok()?).lines().next()?.ok()?;
    Some(first.strip_prefix("# ")?.to_owned())
}

/// Whether a `summary.json` is that of a complete run.
fn is_finished(summary: &Value, manifest: &Manifest) -> bool {
    if let Some(records) = summary.as_array() {
        // Claims: one record each.
        let wanted = manifest.identity_of::<AnyConfig, IgnoredAny>().unwrap_or_default().config.claims;
        return records.len() >= wanted.len();
    }
    match (&summary["state"], &summary["is_finished"], &summary["is_interrupted"]) {
        (Value::String(state), ..) => state == "finished",
        (_, Value::Bool(is_finished), _) => *is_finished,
        (_, _, Value::Bool(is_interrupted)) => !is_interrupted,
        _ => false,
    }
}

/// Returns the folders directly below a folder that have a manifest; none if it cannot be read.
pub(super) fn manifests_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.join("manifest.yaml").is_file()).collect()
}

/// Whether another process holds the lock of a run folder.
pub(super) fn is_locked(path: &Path) -> bool {
    files::is_locked(&path.join("lock"))
}

/// Returns the size of a file, or of all files of a folder. Units: bytes.
pub(super) fn size_of(path: &Path) -> u64 {
    let files = if path.is_dir() { files_below(path) } else { vec![path.to_path_buf()] };
    files.iter().map(|file| fs::metadata(file).map_or(0, |metadata| metadata.len())).sum()
}

/// Lists all files of a folder and the folders in it; links are not followed.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path())),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    files
}

fn table(runs: &[Run]) -> String {
    let names: Vec<String> = runs.iter().map(Run::name).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0).max("run".len());
    let row = |name: &str, state: &str, created: &str, tasks: &str, size: &str, title: &str| {
        let row = format!("{name:width$}  {state:11}  {created:19}  {tasks:>9}  {size:>11}  {title}");
        format!("{}\n", row.trim_end())
    };
    let mut text = row("run", "state", "begun (UTC)", "tasks", "size", "title");
    for (run, name) in runs.iter().zip(&names) {
        let created = run.created.replace('T', " ");
        let created = created.trim_end_matches('Z');
        let title = run.title.as_deref().unwrap_or_default();
        text += &row(
            name,
            &run.state.name(),
            created,
            &run.tasks.to_string(),
            &HumanBytes(run.size).to_string(),
            title,
        );
    }
    let size = runs.iter().map(|run| run.size).sum();
    text + &format!("{}, {}\n", counted(runs.len(), "run"), HumanBytes(size))
}
