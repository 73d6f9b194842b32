//! What `smp`, `bench` and `ablate` do alike: plan searches, have them done, report.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use serde::Serialize;

use super::session::{KeptRun, Session};
use super::{Failure, untried};
use crate::config::{EngineConfig, FieldPath, Problem, SearchesConfig};
use crate::progress::SearchesDisplay;
use crate::report::Report;
use crate::runner::RunState;
use crate::searches::{self, Load, Measurement, Observer, Plan, Records, load_positions};
use crate::store::{EngineIdentity, FileHash, RunFolder};
use crate::uci_client::Launcher;

/// What makes two measurements the same.
#[derive(Serialize)]
pub(super) struct Identity<'a, C: Serialize> {
    pub(super) config: &'a C,
    pub(super) engines: Vec<EngineIdentity<'a>>,
    pub(super) positions: FileHash,
}

impl<'a, C: Serialize> Identity<'a, C> {
    /// Hashes engines and positions; `id_names` are what the engines call themselves.
    pub(super) fn of(
        config: &'a C,
        engines: &'a [EngineConfig],
        id_names: &'a [String],
        searches: &SearchesConfig,
    ) -> std::io::Result<Self> {
        let engines = engines.iter().zip(id_names).map(|(engine, id)| EngineIdentity::of(engine, id));
        let engines = engines.collect::<std::io::Result<_>>()?;
        Ok(Self { config, engines, positions: FileHash::of(&searches.positions)? })
    }
}

/// Plans the searches; bad positions are a mistake in the configuration that names them.
pub(super) fn plan(
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
        launcher: Launcher::of_this_binary(),
        cancel: session.cancel.clone(),
    })
}

/// Starts every engine once; what they call themselves, and warnings for the user.
pub(super) fn trial(session: &Session<'_>, plan: &Plan) -> Result<(Vec<String>, Vec<String>), Failure> {
    plan.trial().map_err(|error| untried(error, &session.source, "interrupted before the first search"))
}

/// Searches that have been done, and what they say.
pub(super) struct Measured<S> {
    pub(super) run: KeptRun,
    pub(super) records: Records,
    pub(super) state: RunState,
    pub(super) summary: S,
}

/// Does what is missing of the searches.
pub(super) fn measure<M: Measurement>(
    (mut run, folder): (KeptRun, RunFolder),
    plan: &Plan,
    measurement: &M,
) -> Result<Measured<M::Summary>, Failure> {
    let mut records = Records::open(folder, plan).map_err(anyhow::Error::from)?;
    run.note_torn(records.torn_bytes, "search");
    let mut display = SearchesDisplay::new(plan, run.is_json);
    display.start(&run.path, plan, records.done.len());
    for notice in &run.notices {
        display.notice(notice);
    }
    let (state, summary) = searches::run(measurement, plan, &mut records, &mut display).map_err(|error| {
        display.abandon();
        run.stopped(error)
    })?;
    display.finish(&summary);
    Ok(Measured { run, records, state, summary })
}

impl<S> Measured<S> {
    /// Writes and shows what the searches say, and ends the command.
    pub(super) fn report(&self, report: &Report) -> Result<ExitCode, Failure> {
        self.run.report(report)?;
        self.run.end(self.state)
    }
}
