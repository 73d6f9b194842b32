//! What all commands that keep a run do alike: begin or continue it, say what it says, and end.
//!
//! A command reads its configuration out of a [`Session`], describes itself in a manifest, and gets a [`KeptRun`] whose
//! folder it fills. A run that is continued must be the same run: its manifest says so.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;

use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::config::Source;
use crate::report::Report;
use crate::runner::RunState;
use crate::stolen::{NOTABLE, ProcessorTime};
use crate::store::{Host, Manifest, RunFolder, utc_date_time, write_atomically};

/// Where runs live unless told otherwise.
pub(super) const RUNS: &str = "results/runs";

/// Where a run is kept.
#[derive(Debug, Args)]
pub(super) struct FolderArgs {
    /// The run folder, instead of results/runs/<kind>-<id>.
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(super) out: Option<PathBuf>,
    /// The <id> of the run folder, instead of date, time and hash.
    #[arg(long, value_name = "NAME", value_parser = run_id, conflicts_with_all = ["resume", "out"])]
    pub(super) run_id: Option<String>,
    /// Continue the run in this folder (a path, or a name below results/runs).
    #[arg(long, value_name = "RUN")]
    pub(super) resume: Option<PathBuf>,
}

/// Takes what names a folder below [`RUNS`] and nowhere else.
fn run_id(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains("..") || text.contains(std::path::is_separator) {
        return Err("expected a name without `/` and `..`; --out takes a path".to_owned());
    }
    Ok(text.to_owned())
}

impl FolderArgs {
    /// The run to continue, if one is named.
    pub(super) fn resumed(&self, kind: &str) -> Result<Option<Resumed>, Failure> {
        self.resume.as_deref().map(|run| open_run(run, kind)).transpose()
    }

    /// The folder to write to: a new one with its manifest, or the resumed one if nothing that matters has changed;
    /// then also what has changed and does not matter, for the user to know. A match, test or screening may have become
    /// longer: its manifest says so from now on.
    pub(super) fn open(
        &self,
        resumed: Option<Resumed>,
        manifest: &Manifest,
    ) -> anyhow::Result<(RunFolder, Vec<String>)> {
        let Some((folder, known)) = resumed else {
            let folder = RunFolder::create(&self.new_path(manifest))?;
            write_manifest(&folder, manifest)?;
            return Ok((folder, Vec::new()));
        };
        let Some(longer) = known.lengthened(manifest) else {
            let notices = check_same(folder.path(), &known, manifest)?;
            return Ok((folder, notices));
        };
        let mut notices = check_same(folder.path(), &longer, manifest)?;
        notices.push(format!("the run is made longer: {}", known.differences(&longer).join(", ")));
        write_manifest(&folder, &longer)?;
        Ok((folder, notices))
    }

    /// The folder of a new run: as told, or below [`RUNS`] by its id, which is date, time and hash unless given.
    fn new_path(&self, manifest: &Manifest) -> PathBuf {
        if let Some(out) = &self.out {
            return out.clone();
        }
        let stamp = || {
            let created = manifest.created.replace(['-', ':', 'Z'], "").replace('T', "-");
            format!("{created}-{}", manifest.short_hash())
        };
        let id = self.run_id.clone().unwrap_or_else(stamp);
        Path::new(RUNS).join(format!("{}-{id}", manifest.kind))
    }
}

/// A run to continue.
pub(super) type Resumed = (RunFolder, Manifest);

/// The configuration a command works by: the file named, or else the copy of the run to continue.
pub(super) fn source(config: Option<&Path>, resumed: Option<&Resumed>) -> Result<Source, Failure> {
    match (config, resumed) {
        (Some(file), _) => Ok(Source::read(file)?),
        (None, Some((_, manifest))) => {
            Ok(Source { file: manifest.config_file.clone(), text: manifest.config_text.clone() })
        }
        (None, None) => Err(Failure::Usage("a configuration, or a run to --resume, is needed".to_owned())),
    }
}

/// The folder of a run: a path, or a name below [`RUNS`].
pub(super) fn run_path(run: &Path) -> PathBuf {
    let below = Path::new(RUNS).join(run);
    if !run.is_dir() && below.is_dir() { below } else { run.to_path_buf() }
}

fn write_manifest(folder: &RunFolder, manifest: &Manifest) -> anyhow::Result<()> {
    let text = serde_yaml::to_string(manifest).context("cannot write the manifest")?;
    write_file(&folder.manifest(), &text)
}

/// Reads the manifest of a run folder.
pub(super) fn read_manifest(file: &Path) -> anyhow::Result<Manifest> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_yaml::from_str(&text).with_context(|| format!("{} is damaged", file.display()))
}

/// Opens the run of the command `kind` that `--resume` names, and reads its manifest.
pub(super) fn open_run(run: &Path, kind: &str) -> Result<Resumed, Failure> {
    let (folder, manifest) = open_any_run(run)?;
    if manifest.kind != kind {
        let (path, theirs) = (folder.path().display(), &manifest.kind);
        return Err(Failure::Usage(format!(
            "{path} is not a run of `harness {kind}`; resume it with: harness {theirs} --resume {path}"
        )));
    }
    Ok((folder, manifest))
}

/// Opens a run of any command, and reads its manifest.
pub(super) fn open_any_run(run: &Path) -> anyhow::Result<Resumed> {
    let folder = RunFolder::open(&run_path(run))?;
    let manifest = read_manifest(&folder.manifest())?;
    Ok((folder, manifest))
}

/// Refuses to go on with another run; what differs and does not matter is returned.
fn check_same(path: &Path, known: &Manifest, manifest: &Manifest) -> anyhow::Result<Vec<String>> {
    let differences = known.differences(manifest);
    if !differences.is_empty() {
        let list = differences.join("\n  ");
        return Err(anyhow!("{} was another run; what differs:\n  {list}", path.display()));
    }
    let mut notices = Vec::new();
    if known.harness != manifest.harness {
        notices.push(format!("the run was begun by harness {}, this is {}", known.harness, manifest.harness));
    }
    if (&known.host.name, &known.host.cpu) != (&manifest.host.name, &manifest.host.cpu) {
        notices.push(format!("the run was begun on {} ({})", known.host.name, known.host.cpu));
    }
    Ok(notices)
}

/// The present time, UTC.
pub(super) fn timestamp() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (date, time) = utc_date_time(now);
    format!("{date}T{time}Z")
}

/// Replaces a file as a whole.
pub(super) fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    write_atomically(file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
}

/// Replaces a file by a value as JSON.
pub(super) fn write_json(file: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value).context("cannot write the summary")?;
    text.push('\n');
    write_file(file, &text)
}

/// Writes `report.md` and `report.html` into a folder.
pub(super) fn write_report(folder: &Path, report: &Report) -> anyhow::Result<()> {
    write_file(&folder.join("report.md"), &report.markdown())?;
    write_file(&folder.join("report.html"), &report.page())
}

/// What goes on for less than this says nothing of the host: a finished run that is resumed, which only reports again.
const LEAST_TOLD: Duration = Duration::from_secs(5);

/// A command that has read its arguments and has not begun yet.
pub(super) struct Session<'a> {
    kind: &'static str,
    args: &'a super::RunArgs,
    resumed: Option<Resumed>,
    pub(super) source: Source,
    /// Raised by signals.
    pub(super) cancel: Cancel,
}

impl<'a> Session<'a> {
    /// Finds the configuration, and listens for signals from now on.
    pub(super) fn begin(kind: &'static str, args: &'a super::RunArgs) -> Result<Self, Failure> {
        let resumed = args.folder.resumed(kind)?;
        let source = source(args.config.as_deref(), resumed.as_ref())?;
        let cancel = Cancel::new();
        listen_for_signals(&cancel)?;
        Ok(Self { kind, args, resumed, source, cancel })
    }

    /// How many games or searches at once, by the command line or else as configured.
    pub(super) fn concurrency(&self, configured: usize) -> usize {
        self.args.concurrency.map_or(configured, std::num::NonZero::get)
    }

    /// Describes the run by its identity, and opens its folder; with what the user should know of both.
    pub(super) fn open(
        self,
        identity: std::io::Result<impl Serialize>,
        concurrency: usize,
        warnings: Vec<String>,
    ) -> Result<(KeptRun, RunFolder), Failure> {
        let describe = || {
            let (host, file) = (Host::here(concurrency), std::path::absolute(&self.source.file)?);
            Manifest::describe(self.kind, &identity?, host, file, &self.source.text, &timestamp())
        };
        let manifest = describe().context("cannot describe the run")?;
        let (folder, changes) = self.args.folder.open(self.resumed, &manifest)?;
        let notices = [warnings, changes].concat();
        Ok((KeptRun::new(self.kind, folder.path(), self.args.json, notices), folder))
    }
}

/// A run whose folder is open.
pub(super) struct KeptRun {
    pub(super) path: PathBuf,
    pub(super) is_json: bool,
    /// What the user should know when it begins.
    pub(super) notices: Vec<String>,
    /// How to go on after an interruption.
    pub(super) resume: String,
    /// When it began.
    began: Instant,
    /// What the processors had done then, where the system says.
    processors: Option<ProcessorTime>,
}

impl KeptRun {
    pub(super) fn new(kind: &str, path: &Path, is_json: bool, notices: Vec<String>) -> Self {
        let resume = format!("resume with: harness {kind} --resume {}", path.display());
        let (began, processors) = (Instant::now(), ProcessorTime::now());
        Self { path: path.to_path_buf(), is_json, notices, resume, began, processors }
    }

    /// One more thing to know: what a kill left half written was cut off.
    pub(super) fn note_torn(&mut self, torn_bytes: u64, item: &str) {
        if torn_bytes > 0 {
            self.notices.push(format!("cut {torn_bytes} bytes of an unfinished {item} off the journal"));
        }
    }

    /// The run broke off.
    pub(super) fn stopped(&self, error: impl Into<anyhow::Error>) -> Failure {
        Failure::Run(error.into().context(format!("the run stopped; {}", self.resume)))
    }

    /// Shows text on stdout, unless events have that.
    pub(super) fn show(&self, text: &str) {
        if self.is_json {
            say(text.trim_end());
        } else {
            print(text);
        }
    }

    /// Writes what the run says into its folder, and shows it.
    pub(super) fn report(&self, report: &Report) -> Result<(), Failure> {
        write_report(&self.path, report)?;
        self.show(&report.markdown());
        Ok(())
    }

    /// Says if the machine was not the run's own.
    fn tell_stolen(&self) {
        let Some((began, now)) = self.processors.zip(ProcessorTime::now()) else { return };
        let share = now.stolen_since(began);
        if share >= NOTABLE && self.began.elapsed() >= LEAST_TOLD {
            say(&format!(
                "from beginning to end of this command the host of this virtual machine gave {:.1} % of the processor time \
                 asked for to others: times and clocks mean that much less",
                100.0 * share
            ));
        }
    }

    /// How the command ends.
    pub(super) fn end(&self, state: RunState) -> Result<ExitCode, Failure> {
        self.tell_stolen();
        self.end_quietly(state)
    }

    /// The same where the report has said what the host took.
    pub(super) fn end_quietly(&self, state: RunState) -> Result<ExitCode, Failure> {
        if state == RunState::Interrupted {
            say(&format!("interrupted, everything is saved; {}", self.resume));
            return Err(Failure::Interrupted);
        }
        Ok(ExitCode::SUCCESS)
    }
}
