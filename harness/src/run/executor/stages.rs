//! Runs of several stages, such as searches and then matches.
//!
//! A stage is a folder and an experiment. The next stage may depend on the results of those before it. The list of
//! stages plays a run ([`complete_stages`]) and reports on a stored one ([`report_stages`]).

use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::play::{SummaryOf, View};
use super::start::{Executed, Launch, execute};
use super::study::{Study, review};
use crate::report::Report;
use crate::run::command::{Failure, say};
use crate::run::console::emit;
use crate::run::session::{KeptRun, read_manifest, write_manifest};
use crate::run::stored::StoredRun;
use crate::run::{Manifest, RunFolder, RunState};

/// A kind of run of several stages.
pub(crate) trait Staged: Sized {
    /// The validated configuration, which the manifest keeps.
    type Config: DeserializeOwned;
    /// Resources to play the stages.
    type Kit;
    /// The results of the stages so far.
    type Results: Default;
    /// The content of `summary.json`.
    type Summary: Serialize;

    /// Rebuilds the run from a stored one.
    fn rebuild(config: Self::Config, run: &StoredRun<'_>) -> anyhow::Result<Self>;

    /// Returns the stage after those that have given `results`, all of which are finished; `None` after the last.
    fn next(&self, results: &Self::Results) -> anyhow::Result<Option<Stage<'_, Self>>>;
    /// Computes the summary of the run in this state.
    fn summarize(&self, results: &Self::Results, state: RunState) -> Self::Summary;
    /// Builds the report on all stages so far.
    fn report(&self, results: &Self::Results, summary: &Self::Summary) -> Report;

    /// Returns the fields of `run_started`; `None` if the first stage has the folder of the run, and announces it.
    fn started(&self) -> Option<Value>;
    /// Returns the text shown after a stage, which has left the run in this state: running if another stage follows.
    fn shown(&self, _results: &Self::Results, report: &Report, state: RunState) -> Option<String> {
        (state != RunState::Running).then(|| report.printed())
    }
    /// Whether steal time and load from other programs are reported at the end. They are not where all games
    /// are played to a number of nodes, or where each stage reports those of its own games.
    fn depends_on_time(&self, _results: &Self::Results) -> bool {
        false
    }
    /// Returns the exit code of a run that is finished.
    fn exit_code(&self, _results: &Self::Results) -> ExitCode {
        ExitCode::SUCCESS
    }
}

/// A stage of the run `T`.
pub(crate) struct Stage<'a, T: Staged> {
    /// Its folder inside that of the run; `None` for the folder of the run itself.
    folder: Option<String>,
    experiment: Box<Experiment<'a, T>>,
    own: Option<OwnRun>,
}

/// A stage that is a run of its own: its folder has a manifest and a report, and other commands take it as a run.
pub(crate) struct OwnRun {
    /// The manifest, which is written when the stage begins.
    pub(crate) manifest: Manifest,
    /// Least time between two plain lines of progress.
    pub(crate) interval: Duration,
}

impl OwnRun {
    /// Writes the manifest into the folder of the stage. If an earlier session has done so, only speeds that were measured
    /// since are added.
    fn open(&self, folder: &RunFolder, run: &KeptRun) -> anyhow::Result<KeptRun> {
        let mut manifest = self.manifest.clone();
        if let Ok(mut known) = read_manifest(&folder.manifest()) {
            if known.add_clock_scales(&manifest.clock_scales) {
                write_manifest(folder, &known)?;
            }
            manifest.clock_scales = known.clock_scales;
        } else if !folder.manifest().exists() {
            write_manifest(folder, &manifest)?;
        }
        Ok(KeptRun::new(manifest, folder.path(), run.is_json, Vec::new()))
    }
}

/// Reviews or plays the experiment of a stage, and adds its summary to the results. Returns its state.
type Experiment<'a, T> =
    dyn FnOnce(Mode<'_, T>, &mut <T as Staged>::Results) -> anyhow::Result<RunState> + 'a;

/// The use of a stage.
enum Mode<'a, T: Staged> {
    /// Reviews the records stored in this folder of a run.
    Review(&'a StoredRun<'a>, &'a str),
    /// Performs the missing tasks with these resources.
    Play(&'a T::Kit, Launch<'a>),
}

impl<'a, T: Staged> Stage<'a, T> {
    /// Returns a stage. `equip` makes its study ready to play, and `fold` adds its summary and its report to the results.
    pub(crate) fn new<P: View>(
        folder: Option<String>,
        study: P::Study,
        equip: impl FnOnce(P::Study, &T::Kit) -> P + 'a,
        fold: impl FnOnce(&mut T::Results, SummaryOf<P>, Report) + 'a,
    ) -> Self
    where
        P::Study: 'a,
    {
        let is_part = folder.is_some();
        let experiment = move |mode: Mode<'_, T>, results: &mut T::Results| match mode {
            Mode::Review(run, folder) => {
                let found = review(&study, run, folder)?;
                fold(results, found.summary, found.report);
                Ok(found.state)
            }
            Mode::Play(kit, launch) => {
                let play = equip(study, kit);
                let Executed { run_state, state, summary } = execute(&play, &launch, is_part)?;
                let report = play.study().report(&state, &summary);
                if is_part {
                    say(play.text(&state, &summary, &report, launch.folder.path()).trim_end());
                }
                if let Some(own) = launch.own {
                    own.write_report(report.clone(), run_state)?;
                }
                fold(results, summary, report);
                Ok(run_state)
            }
        };
        Self { folder, experiment: Box::new(experiment), own: None }
    }

    /// Returns the stage as a run of its own.
    pub(crate) fn run_by_itself(self, own: OwnRun) -> Self {
        Self { own: Some(own), ..self }
    }

    /// Adds the stored records to the results. Returns whether the stage is finished.
    fn review(self, run: &StoredRun<'_>, results: &mut T::Results) -> anyhow::Result<RunState> {
        match &self.folder {
            Some(folder) if !run.has_part(folder) => Ok(RunState::Interrupted),
            Some(folder) => (self.experiment)(Mode::Review(run, folder), results),
            None => (self.experiment)(Mode::Review(run, ""), results),
        }
    }

    /// Performs the missing tasks. The notices of the run are shown when it begins.
    fn play(
        self,
        kit: &T::Kit,
        run: &KeptRun,
        folder: &RunFolder,
        results: &mut T::Results,
    ) -> anyhow::Result<RunState> {
        let part = self.folder.map(|name| folder.part(&name)).transpose()?;
        let (folder, notices) = part.as_ref().map_or((folder, &run.notices[..]), |part| (part, &[][..]));
        let interval = self.own.as_ref().map(|own| own.interval);
        let own = match (self.own, &part) {
            (Some(own), Some(part)) => Some(own.open(part, run)?),
            _ => None,
        };
        let launch = Launch { run, folder, notices, interval, own: own.as_ref() };
        (self.experiment)(Mode::Play(kit, launch), results)
    }
}

/// Reports on a stored run of several stages.
pub(crate) fn report_stages<T: Staged>(run: &StoredRun<'_>) -> anyhow::Result<(RunState, Report)> {
    let staged = T::rebuild(run.config()?, run)?;
    let mut results = T::Results::default();
    let mut state = RunState::Finished;
    while state == RunState::Finished
        && let Some(stage) = staged.next(&results)?
    {
        state = stage.review(run, &mut results)?;
    }
    Ok((state, staged.report(&results, &staged.summarize(&results, state))))
}

/// Plays the missing stages of a run whose folder is open, writes summary and report after each, and ends the command.
pub(crate) fn complete_stages<T: Staged>(
    staged: &T,
    kit: &T::Kit,
    run: &KeptRun,
    folder: &RunFolder,
) -> Result<ExitCode, Failure> {
    let mut stages = Stages { staged, kit, run, folder, results: T::Results::default(), is_announced: false };
    let ended = stages.announce().and_then(|()| stages.play());
    stages.end(ended)
}

/// A run of several stages that is played.
struct Stages<'a, T: Staged> {
    staged: &'a T,
    kit: &'a T::Kit,
    run: &'a KeptRun,
    folder: &'a RunFolder,
    results: T::Results,
    /// Whether the start of the run was shown.
    is_announced: bool,
}

impl<'a, T: Staged> Stages<'a, T> {
    /// Shows the start of the run, unless its first stage does. Lists of runs show the title of its report.
    fn announce(&mut self) -> Result<(), Failure> {
        let Some(mut body) = self.staged.started() else { return Ok(()) };
        self.is_announced = true;
        self.run.notices.iter().for_each(|notice| say(notice));
        if self.run.is_json {
            body["run"] = json!(self.run.path);
            emit("run_started", body);
            self.run.notices.iter().for_each(|notice| emit("notice", json!({ "text": notice })));
        }
        if !self.folder.path().join("report.md").exists() {
            let summary = self.staged.summarize(&self.results, RunState::Running);
            self.run.write_report(self.staged.report(&self.results, &summary), RunState::Running)?;
        }
        Ok(())
    }

    /// Plays the stages one after the other, until one is not finished. Returns the state of the run.
    fn play(&mut self) -> Result<RunState, Failure> {
        let mut state = RunState::Finished;
        let mut next = self.next()?;
        while let Some(stage) = next {
            state = stage.play(self.kit, self.run, self.folder, &mut self.results)?;
            self.is_announced = true;
            next = if state == RunState::Finished { self.next()? } else { None };
            self.publish(if next.is_some() { RunState::Running } else { state })?;
        }
        Ok(state)
    }

    fn next(&self) -> Result<Option<Stage<'a, T>>, Failure> {
        self.staged.next(&self.results).map_err(|error| self.run.stopped(error))
    }

    /// Writes summary and report, and prints the report where the run asks for it.
    fn publish(&self, state: RunState) -> Result<(), Failure> {
        let summary = self.staged.summarize(&self.results, state);
        self.folder.write_summary(&summary)?;
        let report = self.staged.report(&self.results, &summary);
        let shown = self.staged.shown(&self.results, &report, state);
        self.run.write_report(report, state)?;
        if let Some(text) = shown {
            self.run.show(&text);
        }
        Ok(())
    }

    /// Ends the command. Errors: as [`KeptRun::conclude`].
    fn end(&self, ended: Result<RunState, Failure>) -> Result<ExitCode, Failure> {
        if !self.is_announced {
            // The journal of the run could not be opened.
            return self.run.conclude(ended);
        }
        let state = *ended.as_ref().unwrap_or(&RunState::Failed);
        if ended.is_err() {
            // The error of the run comes first: its cause may refuse the summary too.
            let _ = self.publish(state);
        }
        if self.staged.depends_on_time(&self.results) {
            self.run.report_disturbance();
        }
        if self.run.is_json {
            emit("run_ended", self.run.end_body(&ended, &self.staged.summarize(&self.results, state)));
        }
        let is_finished = matches!(ended, Ok(RunState::Finished));
        let code = self.run.conclude(ended)?;
        Ok(if is_finished { self.staged.exit_code(&self.results) } else { code })
    }
}
