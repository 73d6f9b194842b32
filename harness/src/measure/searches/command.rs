//! Common start of `smp`, `bench` and `ablate`: arguments without a configuration file, positions, and a trial of the
//! engines.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::counted::Counter;
use super::plan::{notices, quota_notice};
use super::{Job, Load, Measurement, Outline, Plan, SearchPlay, SearchStudy, SearchesConfig, load_positions};
use crate::config::{EngineConfig, FieldPath, Problem};
use crate::pool::untried;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::complete;
use crate::run::quick::{self, QuickArgs, QuickConfig, Setting};
use crate::run::session::Session;
use crate::run::{FilesBefore, Identity, RunEngines, RunFiles};
use crate::uci::Launcher;
use stretto::machine::control_group::processor_quota;

/// Returns the identity of a measurement: hashes engines and positions. `id_names` are the engines' names by `id name`,
/// `before` the files before the engines were started.
pub(crate) fn identity<'a, C>(
    config: &'a C,
    engines: &[EngineConfig],
    id_names: &[String],
    before: &FilesBefore,
    searches: &SearchesConfig,
) -> std::io::Result<Identity<&'a C>> {
    let engines = RunEngines::several(engines, id_names, before)?;
    Ok(Identity::new(config, engines, RunFiles::of_positions(&searches.positions)?))
}

/// Does the searches of `bench` or `smp`: tries the engines, opens the run and completes it.
pub(crate) fn measure<C: Serialize>(session: Session<'_>, config: C) -> Result<ExitCode, Failure>
where
    Job<C>: Measurement,
{
    let mut job = Job { config, id_names: Vec::new(), positions: 0 };
    let plan = plan(&session, job.outline().searches, job.outline().engines, job.loads())?;
    job.positions = plan.positions.len();
    let before = FilesBefore::of(job.outline().engines);
    let (id_names, warnings) = trial(&session, &plan)?;
    job.id_names = id_names;
    let Outline { engines, searches, .. } = job.outline();
    let identity = identity(&job.config, engines, &job.id_names, &before, searches);
    let (mut run, folder) = session.open(identity, searches.concurrency, warnings)?;
    let counters = plan.counter.iter();
    run.notices.extend(counters.map(|counter| format!("instructions are counted with {}", counter.name())));
    complete(&SearchPlay::new(SearchStudy::new(job, plan.processors), plan), &run, &folder, None)?;
    Ok(ExitCode::SUCCESS)
}

/// Plans the searches. Invalid positions are reported at the field `positions.file`.
pub(crate) fn plan(
    session: &Session<'_>,
    config: &SearchesConfig,
    engines: &[EngineConfig],
    loads: Vec<Load>,
) -> Result<Plan, Failure> {
    let positions =
        load_positions(&config.positions, config.count.map(NonZeroUsize::get)).map_err(|message| {
            let path = FieldPath::root().key("positions").key("file");
            session.source.complain(Problem::new(path, message))
        })?;
    Ok(Plan {
        engines: engines.to_vec(),
        loads,
        positions,
        config: config.clone(),
        counter: config.instructions.then(Counter::find).transpose()?,
        launcher: Launcher::of_this_binary(),
        cancel: session.cancel.clone(),
        processors: num_cpus::get(),
    })
}

/// Starts every engine once and returns the `id name`s and warnings for the user: on options, and on
/// settings whose figures would mislead.
pub(crate) fn trial(session: &Session<'_>, plan: &Plan) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (id_names, mut warnings) = plan
        .trial()
        .map_err(|error| untried(error, &session.source, "interrupted before the first search"))?;
    warnings.extend(notices(plan));
    warnings.extend(quota_notice(plan, processor_quota()));
    Ok((id_names, warnings))
}

/// Default depth if no limit is given. Units: plies.
const DEFAULT_DEPTH: u64 = 12;

/// Sets the default depth of a draft without a limit.
pub(crate) fn default_to_depth(draft: &mut QuickConfig) {
    if !has_limit(draft) {
        draft.set_default("depth", DEFAULT_DEPTH);
    }
}

/// Whether the draft, or an override, has a limit of the searches.
pub(crate) fn has_limit(draft: &QuickConfig) -> bool {
    ["nodes", "depth", "movetime"].iter().any(|field| draft.is_given(field))
}

/// The common arguments of `bench` and `smp`.
#[derive(Debug, Args)]
#[command(mut_arg("config", quick::with_engines))]
pub(crate) struct QuickSearches {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    quick: QuickArgs,
    /// EPD or FEN file of positions [default: 60 positions from games].
    #[arg(long, value_name = "FILE", help_heading = quick::HEADING)]
    positions: Option<PathBuf>,
    /// Searches of each position, or the maximum with a target.
    #[arg(long, value_name = "N", help_heading = quick::HEADING)]
    repetitions: Option<NonZeroU32>,
}

impl QuickSearches {
    /// Returns the arguments of the run. Without a configuration file, one is built from the engines
    /// and settings. `defaults` are fields for which nothing else was given.
    pub(crate) fn prepare(
        &self,
        mut settings: Vec<Setting>,
        threads: Option<NonZeroU32>,
        defaults: impl FnOnce(&mut QuickConfig),
    ) -> Result<RunArgs, Failure> {
        let is_positions = |path: &&PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            ["epd", "fen"].contains(&extension.to_ascii_lowercase().as_str())
        };
        if let Some(file) = self.run.config.iter().find(is_positions) {
            return Failure::usage(format!(
                "{}: expected engines or a configuration file (YAML); a file of positions is given with --positions",
                file.display()
            ));
        }
        let absolute = |file: &PathBuf| std::path::absolute(file).context("--positions");
        let positions = self.positions.as_ref().map(absolute).transpose()?;
        settings.extend([
            Setting::new("--positions", "positions.file", positions.map(|file| file.display().to_string())),
            Setting::new("--repetitions", "repetitions", self.repetitions.map(NonZeroU32::get)),
        ]);
        let made = self.quick.source(&self.run, settings, threads, |draft| {
            defaults(draft);
            Ok(())
        })?;
        Ok(self.run.with_made(made))
    }
}
