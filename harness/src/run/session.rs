//! The session of a command that keeps a run: begin or resume it, report, and end.
//!
//! A command reads its configuration from a [`Session`], describes itself in a manifest, and gets a
//! [`KeptRun`] whose folder it fills. A resumed run must have the same identity as before; its
//! manifest holds it.

#![expect(clippy::disallowed_methods, reason = "dates of runs")]

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use crate::base::cancel::Cancel;
use crate::base::errors::FileResult;
use crate::base::programs::with_program;
use crate::base::start_folder;
use crate::base::system::files::if_exists;
use crate::base::wording::{counted, free_name, parser_message};
use crate::config::overrides::joined;
pub use crate::config::source::COMMAND_LINE;
use crate::config::{EngineConfig, Source};
use crate::report::Report;
use crate::run::args::RunArgs;
pub use crate::run::args::{FolderArgs, RUNS, Resumed};
use crate::run::builds::cache::Lock;
use crate::run::builds::record::EngineBuild;
use crate::run::builds::{self, Builds};
use crate::run::clock_scale::ClockScale;
use crate::run::command::{Checked, Failure, cancel_on_signals, print, say};
use crate::run::console::emit;
use crate::run::disturbance::MachineCounters;
use crate::run::provenance::Provenance;
use crate::run::quick::quoted_path;
use crate::run::{Host, Manifest, RunFolder, RunState, check, utc, write_atomically};

impl FolderArgs {
    /// Opens the folder to write to: a new one with its manifest, or the resumed one if its
    /// identity is unchanged. Returns also the manifest in it, and notices on changes that do not matter. A match, test or
    /// screening may become longer, and an unlimited test may get a limit, unless it is decided; its manifest is
    /// rewritten then.
    fn open(
        &self,
        resumed: Option<Resumed>,
        manifest: &Manifest,
    ) -> anyhow::Result<(RunFolder, Manifest, Vec<String>)> {
        let Some((folder, known)) = resumed else {
            let folder = RunFolder::create(&self.new_path(manifest))?;
            let manifest = self.with_config(&folder, manifest)?;
            write_manifest(&folder, &manifest)?;
            return Ok((folder, manifest, Vec::new()));
        };
        let (changed, limit) = match (known.lengthened(manifest), known.limited(manifest)) {
            (Some(longer), _) => (longer, None),
            (None, Some((limited, games))) => (limited, Some(games)),
            (None, None) => {
                let notices = check_same(folder.path(), &known, manifest)?;
                return Ok((folder, known, notices));
            }
        };
        let mut notices = check_same(folder.path(), &changed, manifest)?;
        if is_decided(&folder) {
            notices.push("the test is already decided: nothing is played, and its length stays".to_owned());
            return Ok((folder, known, notices));
        }
        notices.push(match limit {
            Some(games) => {
                check_limit(&folder, games)?;
                format!("the test now ends after at most {}", counted(games as usize, "game"))
            }
            None => format!("the run is extended: {}", known.differences(&changed).join(", ")),
        });
        // The summary of the shorter run would show this one as finished until a new one is written.
        let summary = folder.summary();
        if_exists(std::fs::remove_file(&summary)).or_cannot("delete", &summary)?;
        let changed = self.with_config(&folder, &changed)?;
        write_manifest(&folder, &changed)?;
        Ok((folder, changed, notices))
    }

    /// Writes a configuration made from arguments into the folder, and returns the manifest that
    /// refers to it.
    fn with_config(&self, folder: &RunFolder, manifest: &Manifest) -> anyhow::Result<Manifest> {
        let mut manifest = manifest.clone();
        let file = std::path::absolute(folder.path().join("config.yaml"))?;
        if self.keeps_config || manifest.config_file == file {
            write_file(&file, &manifest.config_text)?;
            say(&format!("configuration: {}", file.display()));
            manifest.config_file = file;
        }
        Ok(manifest)
    }

    /// Returns the folder of a new run: that of --out, or one below [`RUNS`] named by its id. The
    /// default id is date, time and hash, with a number if that folder exists.
    fn new_path(&self, manifest: &Manifest) -> PathBuf {
        if let Some(out) = &self.out {
            return out.clone();
        }
        let folder = |id: &str| Path::new(RUNS).join(format!("{}-{id}", manifest.kind));
        if let Some(id) = &self.run_id {
            return folder(id);
        }
        let created = manifest.created.replace(['-', ':', 'Z'], "").replace('T', "-");
        // Two runs of one configuration may begin in the same second.
        folder(&free_name(format!("{created}-{}", manifest.short_hash()), |id| !folder(id).exists()))
    }
}

/// Checks that a test has played no game after its new limit.
fn check_limit(folder: &RunFolder, limit: u64) -> anyhow::Result<()> {
    let file = folder.journal();
    let game = |line: &str| serde_json::from_str::<Value>(line).ok()?["game"].as_u64();
    let mut played = 0;
    for line in BufReader::new(File::open(&file).or_cannot("read", &file)?).lines() {
        played = played.max(game(&line.or_cannot("read", &file)?).map_or(0, |last| last + 1));
    }
    if played <= limit {
        return Ok(());
    }
    Err(anyhow!(
        "sprt.max_games: {limit}: the test has played up to game {played}; expected at least {}",
        played.next_multiple_of(2)
    ))
}

/// Whether the summary of a run has the decision of its test, which further games do not change.
fn is_decided(folder: &RunFolder) -> bool {
    let summary = std::fs::read(folder.summary()).ok();
    let summary = summary.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    summary.is_some_and(|summary| summary["decision"].is_object())
}

/// Returns the folder of a run: a path, a name below [`RUNS`], or the id that `--run-id` gave it.
///
/// Errors: none of them exists, or runs of several commands have the id.
pub(crate) fn run_path(run: &Path) -> anyhow::Result<PathBuf> {
    run_path_in(Path::new(RUNS), run)
}

fn run_path_in(runs: &Path, run: &Path) -> anyhow::Result<PathBuf> {
    let is_there = is_run(run) || is_run(&runs.join(run));
    let other = if is_there { None } else { run_with_id(runs, run)? };
    find_run(runs, run, &other.unwrap_or_else(|| runs.join(format!("<kind>-{}", run.display()))))
}

/// Whether the name of a run may be the id that `--run-id` gave it.
fn is_id(run: &Path) -> bool {
    run.components().count() == 1 && !run.is_absolute()
}

/// Returns the run of any command that has this id, if there is one.
///
/// Errors: several have it.
pub(crate) fn run_with_id(runs: &Path, id: &Path) -> anyhow::Result<Option<PathBuf>> {
    let end = format!("-{}", id.display());
    let has_id = |folder: &PathBuf| {
        let name = folder_name(folder);
        let Some(kind) = name.strip_suffix(&end) else { return false };
        read_any_manifest(&folder.join("manifest.yaml")).is_ok_and(|manifest| manifest.kind == kind)
    };
    if !is_id(id) {
        return Ok(None);
    }
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(has_id).collect();
    if found.len() > 1 {
        found.sort();
        let list: Vec<String> = found.iter().map(|folder| folder.display().to_string()).collect();
        bail!("several runs have the name `{}`: expected one of {}", id.display(), list.join(", "));
    }
    Ok(found.pop())
}

/// Returns the folder of a run of the command `kind`: a path, a name below [`RUNS`], or the id that
/// `--run-id` gave it.
///
/// Errors: none of them exists.
pub(crate) fn run_path_of(run: &Path, kind: &str) -> anyhow::Result<PathBuf> {
    let runs = Path::new(RUNS);
    find_run(runs, run, &runs.join(format!("{kind}-{}", run.display())))
}

/// Whether a folder has a manifest.
fn is_run(folder: &Path) -> bool {
    folder.join("manifest.yaml").is_file()
}

/// Returns the first run among `run`, the folder of this name in `runs` and, if it may be an id, `by_id`; or else the first
/// folder of them, or else a file at `run`.
fn find_run(runs: &Path, run: &Path, by_id: &Path) -> anyhow::Result<PathBuf> {
    let named = runs.join(run);
    let candidates = &[run, &named, by_id][..if is_id(run) { 3 } else { 2 }];
    let first = |is_wanted: fn(&Path) -> bool| candidates.iter().copied().find(|path| is_wanted(path));
    let found = first(is_run).or_else(|| first(Path::is_dir)).or_else(|| run.exists().then_some(run));
    if let Some(found) = found {
        return Ok(found.to_path_buf());
    }
    ensure!(!run.is_absolute(), "no run at {}", run.display());
    let tried: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
    bail!("no run `{}` (tried {})", run.display(), tried.join(", "))
}

/// Replaces the manifest of a run.
pub(crate) fn write_manifest(folder: &RunFolder, manifest: &Manifest) -> anyhow::Result<()> {
    write_file(&folder.manifest(), &serde_yaml::to_string(manifest).context("cannot write the manifest")?)
}

/// Reads the manifest of a run whose identity and journal this version reads.
///
/// Errors: it is a run of harness 0.1, or the file is damaged.
pub(crate) fn read_manifest(file: &Path) -> anyhow::Result<Manifest> {
    let manifest = read_any_manifest(file)?;
    refuse_old(&manifest, file)?;
    Ok(manifest)
}

/// Refuses the manifest in `file` if it is that of a run of harness 0.1.
pub(crate) fn refuse_old(manifest: &Manifest, file: &Path) -> anyhow::Result<()> {
    if manifest.is_readable() {
        return Ok(());
    }
    Err(anyhow!(
        "{} is of harness {}, whose runs cannot be read: expected a run of harness 0.2.0 or later",
        file.display(),
        manifest.harness
    ))
}

/// Reads the manifest of a run of any version.
pub(crate) fn read_any_manifest(file: &Path) -> anyhow::Result<Manifest> {
    let text = std::fs::read_to_string(file).or_cannot("read", file)?;
    serde_yaml::from_str(&text)
        .map_err(|error| anyhow!("{} is damaged: {}", file.display(), parser_message(&error.to_string())))
}

/// Opens the run of the command `kind` that `--resume` names, and reads its manifest.
fn open_run(run: &Path, kind: &str) -> Result<Resumed, Failure> {
    // A run of another command by this name is refused below.
    let path = match run_path_of(run, kind) {
        Ok(path) if is_run(&path) => path,
        other => run_path(run).or(other)?,
    };
    let (folder, manifest) = open_folder(&path)?;
    if manifest.kind != kind {
        let (path, theirs) = (folder.path(), &manifest.kind);
        return Err(Failure::Usage(format!(
            "{} is not a run of `{}`; resume it with: {} --resume {}",
            path.display(),
            with_program(kind),
            with_program(theirs),
            quoted_path(path)
        )));
    }
    Ok((folder, manifest))
}

/// Opens a run of any command, and reads its manifest.
pub(crate) fn open_any_run(run: &Path) -> anyhow::Result<Resumed> {
    open_folder(&run_path(run)?)
}

fn open_folder(path: &Path) -> anyhow::Result<Resumed> {
    let folder = RunFolder::open(path)?;
    let manifest = read_manifest(&folder.manifest())?;
    Ok((folder, manifest))
}

/// Start of a difference in the number of searches at once.
const CONCURRENCY: &str = "config.concurrency: ";

/// Advice on such a difference.
const CONCURRENCY_ADVICE: &str =
    "\ntimes depend on the number of searches at once: leave -j out, or begin a new run";

/// Refuses to resume another run. Returns notices on differences that do not matter.
fn check_same(path: &Path, known: &Manifest, manifest: &Manifest) -> anyhow::Result<Vec<String>> {
    let differences = known.obstacles(manifest);
    if !differences.is_empty() {
        let list = differences.join("\n  ");
        let has_concurrency = differences.iter().any(|line| line.starts_with(CONCURRENCY));
        let advice = if has_concurrency { CONCURRENCY_ADVICE } else { "" };
        return Err(anyhow!("{} was another run; what differs:\n  {list}{advice}", path.display()));
    }
    let mut notices = Vec::new();
    if known.harness != manifest.harness {
        notices.push(format!("the run was begun by harness {}, this is {}", known.harness, manifest.harness));
    }
    if (&known.host.name, &known.host.cpu) != (&manifest.host.name, &manifest.host.cpu) {
        notices.push(format!("the run was begun on {} ({})", known.host.name, known.host.cpu));
    }
    for (before, now) in known.builds.iter().zip(&manifest.builds) {
        if before.record.blake3 != now.record.blake3 {
            let text = "was built again; the program differs, commit, build command and bench do not";
            notices.push(format!("{} {text}", now.engine));
        }
    }
    Ok(notices)
}

/// Returns the present time, UTC.
pub fn timestamp() -> String {
    utc(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(), "%FT%TZ")
}

/// Replaces a file atomically.
pub fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    write_atomically(file, text.as_bytes()).or_cannot("write", file)
}

/// Writes `report.md` and `report.html` into a folder.
pub(crate) fn write_report(folder: &Path, report: &Report) -> anyhow::Result<()> {
    write_file(&folder.join("report.md"), &report.markdown())?;
    write_file(&folder.join("report.html"), &report.page())
}

/// Returns the name of a run folder.
pub(crate) fn folder_name(folder: &Path) -> String {
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Steal time and other load are reported after at least this long: a finished run that is resumed
/// only reports again.
const MIN_REPORTED: Duration = Duration::from_secs(5);

/// Start of the message on an error that stopped a run.
const STOPPED: &str = "the run stopped: ";

/// A command before its run is opened.
pub struct Session<'a> {
    kind: &'static str,
    folder: &'a FolderArgs,
    is_json: bool,
    /// Number of workers by the argument `-j`; the configuration's if absent.
    given_concurrency: Option<NonZeroUsize>,
    resumed: Option<Resumed>,
    /// The configuration; empty for a new run that is described by arguments.
    pub source: Source,
    /// The `--set` arguments that the copy of the configuration in the resumed run contains, if that copy is used.
    contained: Vec<String>,
    /// Engines built from commits.
    builds: Builds,
    /// Speeds measured by this command, by which clocks are scaled.
    clock_scales: Vec<ClockScale>,
    /// Raised by Ctrl-C and by termination signals.
    pub cancel: Cancel,
}

impl<'a> Session<'a> {
    /// Finds the configuration and installs the signal handlers.
    ///
    /// Errors: with `--print-config` [`Failure::Printed`], after the configuration was checked and printed.
    pub fn begin(kind: &'static str, args: &'a RunArgs) -> Result<Self, Failure> {
        let has_text = !args.takes_engines || args.made.is_some();
        let message = "--print-config needs engines on the command line";
        Failure::require(!args.print_config || has_text, message)?;
        let session = Self::start(kind, &args.folder, |resumed| args.source(resumed))?;
        if args.print_config {
            // Only what can be run is printed.
            check::configuration(kind, &session.source)?;
            print(session.source.text());
            return Err(Failure::Printed);
        }
        if check::is_asked() {
            check::configuration(kind, &session.source)?;
            let is_new = session.resumed.is_none();
            let commits = if is_new { builds::commits(&session.source)? } else { Vec::new() };
            return Err(session.checked(commits));
        }
        let known = session.resumed().map(|manifest| manifest.builds.clone()).unwrap_or_default();
        let copied = session.resumed().filter(|_| args.made.is_none() && args.config.is_empty());
        let contained = copied.map(|manifest| manifest.overrides.clone()).unwrap_or_default();
        // A typing error should not cost the time of a build.
        let check = |source: &Source| check::configuration(kind, source);
        let (source, builds) =
            builds::prepare(session.source.clone(), &known, &timestamp(), check, &session.cancel)?;
        let (is_json, given_concurrency) = (args.json, args.concurrency);
        Ok(Self { is_json, given_concurrency, source, contained, builds, ..session })
    }

    /// Begins a command that is described by its arguments. The configuration is the copy of the
    /// resumed run.
    pub fn begin_described(
        kind: &'static str,
        folder: &'a FolderArgs,
        is_json: bool,
    ) -> Result<Self, Failure> {
        let session = Self::start(kind, folder, |resumed| {
            Ok(match resumed {
                Some((folder, manifest)) => Source::new(folder.manifest(), manifest.config_text.clone()),
                None => Source::new(COMMAND_LINE, String::new()),
            })
        })?;
        Ok(Self { is_json, ..session })
    }

    /// Ends the command if it was only to be checked. The arguments that describe it are valid.
    pub(crate) fn end_check(&self) -> Result<(), Failure> {
        if check::is_asked() { Err(self.checked(Vec::new())) } else { Ok(()) }
    }

    /// Ends a command that was only to be checked.
    fn checked(&self, commits: Vec<String>) -> Failure {
        let resumed = self.resumed.as_ref().map(|(folder, _)| folder.path().to_path_buf());
        Failure::Checked(Box::new(Checked { kind: self.kind, resumed, commits }))
    }

    fn start(
        kind: &'static str,
        folder: &'a FolderArgs,
        find: impl FnOnce(Option<&Resumed>) -> Result<Source, Failure>,
    ) -> Result<Self, Failure> {
        let resumed = folder.resume.as_deref().map(|run| open_run(run, kind)).transpose()?;
        let begun = resumed.as_ref().and_then(|(_, manifest)| manifest.working_dir.as_deref());
        if let Some(folder) = begun.filter(|folder| !start_folder::set(folder)).map(Path::display) {
            say(&format!(
                "warning: {folder}, where the run was begun, is missing: engines without working_dir run here"
            ));
        }
        let source = find(resumed.as_ref())?;
        let cancel = cancel_on_signals()?;
        Ok(Self {
            kind,
            folder,
            is_json: false,
            given_concurrency: None,
            resumed,
            source,
            contained: Vec::new(),
            builds: Builds::default(),
            clock_scales: Vec::new(),
            cancel,
        })
    }

    /// Returns the manifest of the resumed run.
    pub fn resumed(&self) -> Option<&Manifest> {
        self.resumed.as_ref().map(|(_, manifest)| manifest)
    }

    /// Returns the argument `-j`, of this command or of the one that began the resumed run.
    pub(crate) fn given_concurrency(&self) -> Option<NonZeroUsize> {
        self.given_concurrency.or_else(|| self.resumed()?.concurrency)
    }

    /// Returns the folder of the resumed run.
    pub fn resumed_folder(&self) -> Option<&RunFolder> {
        self.resumed.as_ref().map(|(folder, _)| folder)
    }

    /// Returns the engines that were built from commits.
    pub(crate) fn built(&self) -> &[EngineBuild] {
        &self.builds.engines
    }

    /// Returns the factor of the clocks of games on this machine with `copies` threads: the one of the run, if it was
    /// measured here with as many, or else one that is measured now.
    ///
    /// Errors: see [`ClockScale::measure`].
    pub(crate) fn clock_scale<'e>(
        &mut self,
        engines: impl Iterator<Item = &'e EngineConfig>,
        copies: usize,
        reference: u64,
    ) -> Result<ClockScale, Failure> {
        let host = Host::here(copies);
        let known = self.resumed().map_or(&[][..], |manifest| &manifest.clock_scales[..]);
        if let Some(scale) =
            known.iter().chain(&self.clock_scales).find(|scale| scale.holds_for(&host, copies))
        {
            return Ok(scale.clone());
        }
        let measured = ClockScale::measure(engines, host, copies, reference, &self.cancel);
        if self.cancel.is_cancelled() {
            say("interrupted before the first game");
            return Err(Failure::Interrupted);
        }
        let scale = measured?;
        self.clock_scales.push(scale.clone());
        Ok(scale)
    }

    /// Whether the resumed run is a test that is decided.
    pub(crate) fn is_decided(&self) -> bool {
        self.resumed.as_ref().is_some_and(|(folder, _)| is_decided(folder))
    }

    /// Returns the number of games or searches at once that takes precedence over the configured one:
    /// the `-j` argument, or else that of the resumed run.
    pub fn set_concurrency(&self) -> Option<NonZeroUsize> {
        self.given_concurrency.or_else(|| self.resumed()?.resumed_concurrency(self.source.value().ok()?))
    }

    /// Returns the number of games or searches at once: see [`Session::set_concurrency`], or else the
    /// configured one.
    pub fn concurrency(&self, configured: usize) -> usize {
        self.set_concurrency().map_or(configured, NonZeroUsize::get)
    }

    /// Describes the run by its identity, and opens its folder.
    pub fn open(
        self,
        identity: std::io::Result<impl Serialize>,
        concurrency: usize,
        warnings: Vec<String>,
    ) -> Result<(KeptRun, RunFolder), Failure> {
        let describe = || {
            let (host, file) = (Host::here(concurrency), std::path::absolute(&self.source.file)?);
            Manifest::describe(self.kind, &identity?, host, file, self.source.text(), &timestamp())
        };
        let manifest = describe().context("cannot describe the run")?;
        self.open_as(&manifest, warnings)
    }

    /// Opens the folder of the run that `manifest` describes. Its notices are the warnings and the
    /// changes since the run was begun.
    pub fn open_as(
        self,
        manifest: &Manifest,
        warnings: Vec<String>,
    ) -> Result<(KeptRun, RunFolder), Failure> {
        self.end_check()?;
        let Builds { engines, notices, locks } = self.builds;
        let overrides = joined(&self.contained, &self.source.overrides());
        let manifest = Manifest {
            builds: engines,
            overrides,
            concurrency: self.given_concurrency,
            warnings: warnings.clone(),
            ..manifest.clone()
        };
        let (folder, mut manifest, changes) = self.folder.open(self.resumed, &manifest)?;
        if manifest.add_clock_scales(&self.clock_scales) {
            write_manifest(&folder, &manifest)?;
        }
        let notices = [notices, warnings, changes].concat();
        let run = KeptRun::new(manifest, folder.path(), self.is_json, notices);
        Ok((KeptRun { _locks: locks, ..run }, folder))
    }
}

/// A run whose folder is open.
pub struct KeptRun {
    /// The folder of the run.
    pub path: PathBuf,
    /// The manifest in it.
    pub manifest: Manifest,
    /// Whether progress is written to stdout as events.
    pub is_json: bool,
    /// Notices shown when it begins.
    pub notices: Vec<String>,
    /// The command that resumes it.
    pub resume: String,
    /// Start of this session, from which disturbances are measured.
    began: Instant,
    /// Steal time and load of other programs until then.
    counters: MachineCounters,
    /// The error that ended one of its stages, until the command ends.
    failure: RefCell<Option<Failure>>,
    /// Keep the engines that were built from commits in the cache.
    _locks: Vec<Lock>,
}

impl KeptRun {
    pub(crate) fn new(manifest: Manifest, path: &Path, is_json: bool, notices: Vec<String>) -> Self {
        let resume = format!("resume with: {} --resume {}", with_program(&manifest.kind), quoted_path(path));
        let (began, counters) = (Instant::now(), MachineCounters::now(true));
        Self {
            path: path.to_path_buf(),
            manifest,
            is_json,
            notices,
            resume,
            began,
            counters,
            failure: RefCell::new(None),
            _locks: Vec::new(),
        }
    }

    /// Keeps the error that ended a stage, so that the command can report its games and
    /// searches before it fails. Of several, the first counts.
    pub(crate) fn keep_failure(&self, failure: Failure) {
        self.failure.borrow_mut().get_or_insert(failure);
    }

    /// Describes an error that stopped the run. The command that resumes it has a line of its own, so
    /// that it can be copied.
    pub(crate) fn stopped(&self, error: impl Into<anyhow::Error>) -> Failure {
        Failure::Run(anyhow!("{STOPPED}{:#}\n{}", error.into(), self.resume))
    }

    /// Shows text on stdout, or on stderr where events go to stdout.
    pub fn show(&self, text: &str) {
        if self.is_json {
            say(text.trim_end());
        } else {
            print(text);
        }
    }

    /// Returns the fields of `run_ended` for a run of several stages.
    pub(crate) fn end_body(&self, ended: &Result<RunState, Failure>, summary: &impl Serialize) -> Value {
        let kept = self.failure.borrow();
        let failure = kept.as_ref().or(ended.as_ref().err());
        let state = match (failure, ended) {
            (None, Ok(state)) => *state,
            (Some(Failure::Interrupted), _) => RunState::Interrupted,
            _ => RunState::Failed,
        };
        let mut body = json!({ "state": state, "summary": summary });
        if let Some(Failure::Run(error)) = failure {
            let text = format!("{error:#}");
            let text = text.strip_suffix(&format!("\n{}", self.resume)).unwrap_or(&text);
            body["error"] = text.strip_prefix(STOPPED).unwrap_or(text).into();
        }
        body
    }

    /// Writes the report into the folder of the run, with engines, files and machine.
    pub fn write_report(&self, report: Report, state: RunState) -> anyhow::Result<()> {
        let provenance = Provenance::of(&self.manifest, &folder_name(&self.path));
        write_report(&self.path, &provenance.add_to(report, state))
    }

    /// Describes notable steal time and notable CPU load from other programs since the command began.
    pub(crate) fn disturbance(&self) -> Vec<String> {
        if self.began.elapsed() < MIN_REPORTED {
            return Vec::new();
        }
        self.counters.shares().lines("this command")
    }

    /// Reports notable steal time and notable CPU load from other programs.
    pub(crate) fn report_disturbance(&self) {
        for line in self.disturbance() {
            if self.is_json {
                emit("notice", json!({ "text": line }));
            }
            say(&line);
        }
    }

    /// Ends the command. Errors: the one that ended a stage, which comes before the one of
    /// `ended`; an interruption.
    pub(crate) fn conclude(&self, ended: Result<RunState, Failure>) -> Result<ExitCode, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if ended? == RunState::Interrupted {
            say(&format!("interrupted, everything is saved; {}", self.resume));
            return Err(Failure::Interrupted);
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Ends the command. Errors: as [`Self::conclude`].
    pub fn end(&self, state: RunState) -> Result<ExitCode, Failure> {
        self.conclude(Ok(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the manifest of a run of this kind.
    fn manifest(kind: &str) -> Manifest {
        Manifest::describe(kind, &(), Host::here(1), PathBuf::from("a.yaml"), "", "now").unwrap()
    }

    #[test]
    fn run_that_stopped_has_its_cause_before_the_command_that_resumes_it() {
        let run = KeptRun::new(manifest("match"), Path::new("results/runs/my run"), false, Vec::new());
        let Failure::Run(error) = run.stopped(anyhow!("no space").context("cannot write")) else {
            panic!("exit code 1")
        };
        assert_eq!(
            format!("{error:#}"),
            "the run stopped: cannot write: no space\nresume with: harness match --resume 'results/runs/my run'"
        );
    }

    #[test]
    fn other_number_of_searches_at_once_is_refused_with_advice() {
        let refusal = |field: &str| {
            let manifest = |count: u32| {
                let identity = json!({ "config": { field: count } });
                Manifest::describe("smp", &identity, Host::here(1), PathBuf::from("a.yaml"), "", "now")
                    .unwrap()
            };
            check_same(Path::new("run"), &manifest(1), &manifest(2)).unwrap_err().to_string()
        };
        assert_eq!(
            refusal("concurrency"),
            "run was another run; what differs:\n  config.concurrency: 1 -> 2\n\
             times depend on the number of searches at once: leave -j out, or begin a new run"
        );
        assert_eq!(refusal("seed"), "run was another run; what differs:\n  config.seed: 1 -> 2");
    }

    #[test]
    fn run_of_several_parts_ends_with_its_state_and_error() {
        let run = KeptRun::new(manifest("equivalence"), Path::new("run"), true, Vec::new());
        let body = |ended| run.end_body(&ended, &json!({ "games": 4 }));
        let expected = json!({ "state": "finished", "summary": { "games": 4 } });
        assert_eq!(body(Ok(RunState::Finished)), expected);
        assert_eq!(body(Err(Failure::Interrupted))["state"], "interrupted");
        let failed = body(Err(run.stopped(anyhow!("no space").context("cannot write"))));
        assert_eq!(
            (&failed["state"], &failed["error"]),
            (&json!("failed"), &json!("cannot write: no space"))
        );
    }

    #[test]
    fn run_is_found_by_path_name_or_id() {
        let dir = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let (runs, whole, by_id) = (dir.path(), folder("screen-s1"), folder("screen-s2"));
        let find = |run: &Path| find_run(runs, run, &by_id).map_err(|error| error.to_string());
        assert_eq!(find(&whole).unwrap(), whole);
        assert_eq!(find(Path::new("screen-s1")).unwrap(), whole);
        assert_eq!(find(Path::new("s2")).unwrap(), by_id);
        // A folder that is no run does not hide one.
        folder("s2");
        std::fs::write(by_id.join("manifest.yaml"), "").unwrap();
        assert_eq!(find(Path::new("s2")).unwrap(), by_id);
        std::fs::write(runs.join("s2/manifest.yaml"), "").unwrap();
        assert_eq!(find(Path::new("s2")).unwrap(), runs.join("s2"));
        let tried = |name: &str| runs.join(name).display().to_string();
        let error = find_run(runs, Path::new("s4"), &runs.join("x-s4")).unwrap_err().to_string();
        assert_eq!(error, format!("no run `s4` (tried s4, {}, {})", tried("s4"), tried("x-s4")));
        let error = run_path_of(Path::new("s3"), "screen").unwrap_err().to_string();
        assert!(error.ends_with("screen-s3)"), "{error}");
        let error = run_path_of(Path::new("no/s3"), "screen").unwrap_err().to_string();
        assert!(!error.contains("screen-"), "an id has no slash: {error}");
    }

    #[test]
    fn run_of_any_command_is_found_by_id_unless_several_have_it() {
        let dir = tempfile::tempdir().unwrap();
        let runs = dir.path();
        let begin = |kind: &str, id: &str| {
            let folder = runs.join(format!("{kind}-{id}"));
            std::fs::create_dir(&folder).unwrap();
            let text = serde_yaml::to_string(&manifest(kind)).unwrap();
            std::fs::write(folder.join("manifest.yaml"), text).unwrap();
            folder
        };
        let find = |id: &str| run_path_in(runs, Path::new(id)).map_err(|error| error.to_string());
        let (test, eval) = (begin("sprt", "a-k9"), begin("tune-eval", "k9"));
        assert_eq!(find("a-k9"), Ok(test));
        assert_eq!(find("k9"), Ok(eval.clone()), "the id of sprt-a-k9 is longer");
        assert_eq!(find("tune-eval-k9"), Ok(eval.clone()));
        let other = begin("match", "k9");
        let expected = format!(
            "several runs have the name `k9`: expected one of {}, {}",
            other.display(),
            eval.display()
        );
        assert_eq!(find("k9"), Err(expected));
        let error = find("k8").unwrap_err();
        assert!(error.starts_with("no run `k8` (tried k8, ") && error.ends_with("/<kind>-k8)"), "{error}");
    }
}
