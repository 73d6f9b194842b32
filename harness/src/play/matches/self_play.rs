//! Runs of one engine against itself with options that differ from pair to pair: the common part of
//! `tune` and `screen`.

use serde::Serialize;

use super::config::LoadedMatch;
use super::{Equipment, Execution, ExecutionArgs, MatchConfig, Prepared, RunKind};
use crate::config::{ConfigError, Problem};
use crate::run::command::{Failure, RunArgs};
use crate::run::session::{KeptRun, Session};
use crate::run::{Identity, RunEngines, RunFiles, RunFolder};
use crate::uci::OptionDecl;

/// The folder of the games.
pub(crate) const GAMES: &str = "games";

/// A run whose folder is open.
pub(crate) struct SelfPlay {
    pub config: MatchConfig,
    pub execution: Execution,
    pub equipment: Equipment,
    pub run: KeptRun,
    pub folder: RunFolder,
}

/// Prepares a run of this kind.
pub(crate) fn prepare(kind: RunKind, args: &RunArgs) -> Result<Prepared<'_>, Failure> {
    let session = Session::begin(kind.name(), args)?;
    let execution = ExecutionArgs { concurrency: session.set_concurrency(), ..ExecutionArgs::default() };
    Prepared::new(session, kind, execution)
}

impl Prepared<'_> {
    /// Returns the options that the engine declares.
    pub(crate) fn declared(&self) -> &[OptionDecl] {
        &self.trials[0].options
    }

    /// Places a problem in the configuration file.
    pub(crate) fn complain(&self, problem: Problem) -> ConfigError {
        self.session.source.complain(problem)
    }

    /// Opens the folder of a run of one engine against itself. `settings` are the options that differ between pairs, and
    /// part of the identity.
    pub(crate) fn open_self_play(self, settings: &impl Serialize) -> Result<SelfPlay, Failure> {
        let Self { session, loaded: LoadedMatch { config, execution, .. }, equipment, before, trials } = self;
        let identity = || {
            let engines = RunEngines::one(&config.engines[0], &trials[0].id_name, &before)?;
            let files = RunFiles::of_openings(&config.openings.file)?;
            Ok(Identity::new(&config, engines, files).with(settings))
        };
        let (mut run, folder) =
            session.open(identity(), execution.concurrency, trials[0].warnings.clone())?;
        run.notices.extend(equipment.notices(&config, execution.concurrency, false));
        Ok(SelfPlay { config, execution, equipment, run, folder })
    }
}
