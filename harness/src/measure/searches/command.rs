//! Common start of `smp`, `bench` and `ablate`: loads the positions and tries the engines.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use serde::Serialize;

use super::counted::Counter;
use super::notices::{notices, quota_notice};
use super::{Job, Load, Measurement, Plan, SearchPlay, SearchStudy, SearchesConfig, load_positions};
use crate::base::system::control_group::cpu_limit;
use crate::config::{EngineConfig, FieldPath, Problem};
use crate::pool::untried;
use crate::run::command::Failure;
use crate::run::executor::complete;
use crate::run::session::Session;
use crate::run::{FilesBefore, Identity, RunEngines, RunFiles};
use crate::uci::Launcher;

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
    let plan = plan(&session, job.searches(), job.engines(), job.loads())?;
    job.positions = plan.positions.len();
    let before = FilesBefore::of(job.engines());
    let (id_names, warnings) = trial(&session, &plan)?;
    job.id_names = id_names;
    let identity = identity(&job.config, job.engines(), &job.id_names, &before, job.searches());
    let (mut run, folder) = session.open(identity, job.searches().concurrency, warnings)?;
    let counters = plan.counter.iter();
    run.notices.extend(counters.map(|counter| format!("instructions are counted with {}", counter.name())));
    let study = SearchStudy::new(job, plan.processors);
    complete(&SearchPlay::new(study, plan), &run, &folder, None)?;
    Ok(ExitCode::SUCCESS)
}

/// Adopts the number of searches at once of the session.
pub(crate) fn adopt(session: &Session<'_>, config: &mut SearchesConfig) {
    config.concurrency = session.concurrency(config.concurrency);
}

/// Plans the searches. Invalid positions are reported at the field `positions.file`.
pub(crate) fn plan(
    session: &Session<'_>,
    config: &SearchesConfig,
    engines: &[EngineConfig],
    loads: Vec<Load>,
) -> Result<Plan, Failure> {
    let positions =
        load_positions(&config.positions, config.count.map(NonZeroUsize::get)).map_err(|error| {
            let path = FieldPath::root().key("positions").key("file");
            session.source.complain(Problem::new(path, error.to_string()))
        })?;
    Ok(Plan {
        engines: engines.to_vec(),
        loads,
        positions,
        config: config.clone(),
        counter: config.instructions.then(Counter::find).transpose().map_err(anyhow::Error::from)?,
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
    warnings.extend(quota_notice(plan, cpu_limit()));
    Ok((id_names, warnings))
}
