//! Openings, tables, processors and outputs of the games of a run, and the steps from the arguments to its open folder.

use std::sync::Arc;

use serde::Serialize;

use super::config::LoadedMatch;
use super::setup::{book_notices, cpu_sets, endgame_tables, load_book, machine_notices};
use super::{Execution, ExecutionArgs, MatchConfig, Outputs, RunKind};
use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::config::{ConfigError, FieldPath, Problem};
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::pool::{Setup, Trial, preflight, untried};
use crate::run::command::{Failure, RunArgs};
use crate::run::session::{KeptRun, Session};
use crate::run::{FilesBefore, Identity, RunEngines, RunFiles, RunFolder};
use crate::uci::{Launcher, OptionDecl};

/// Openings, tables and processors of the games.
#[derive(Clone, Debug)]
pub(crate) struct Equipment {
    /// The openings. Each match begins with the one that its own configuration has as `start`.
    pub book: OpeningBook,
    /// The launcher of all engines; a worker adds its processors.
    pub launcher: Launcher,
    /// Endgame tables that decide games.
    pub tables: Option<Arc<Tables>>,
    /// The processors of each game at once; empty where games run anywhere.
    pub cpu_sets: Vec<CpuSet>,
    /// Outputs besides the run folder.
    pub outputs: Arc<Outputs>,
    /// The stop request of the run.
    pub cancel: Cancel,
}

impl Equipment {
    /// Loads the openings, which are configured in a field of `parent`, and finds tables and processors.
    ///
    /// Errors: a file or a setting is invalid.
    pub(crate) fn load(
        config: &MatchConfig,
        execution: &Execution,
        parent: &FieldPath,
        session: &Session<'_>,
    ) -> Result<Self, ConfigError> {
        let source = &session.source;
        Ok(Self {
            book: load_book(&config.openings, config.variant, parent, source)?,
            cpu_sets: cpu_sets(config, execution, source)?,
            tables: endgame_tables(config, source)?,
            launcher: Launcher::of_this_binary(),
            outputs: Arc::default(),
            cancel: session.cancel.clone(),
        })
    }

    /// Returns the notices on tables, openings and the machine. Those on openings do not matter if no game follows.
    pub(crate) fn notices(&self, config: &MatchConfig, games: usize, is_decided: bool) -> Vec<String> {
        let mut notices: Vec<String> = self.tables.iter().flat_map(|tables| tables.notices.clone()).collect();
        if !is_decided {
            notices.extend(book_notices(config, &self.book));
        }
        notices.extend(machine_notices(config, games));
        notices
    }
}

/// A run of games whose configuration and files are loaded, and whose engines were started once.
pub(crate) struct Prepared<'a> {
    pub session: Session<'a>,
    pub loaded: LoadedMatch,
    pub equipment: Equipment,
    /// The files of the engines before they were started.
    pub before: FilesBefore,
    pub trials: Vec<Trial>,
}

impl<'a> Prepared<'a> {
    /// Loads the configuration and its files, and starts every engine once.
    pub(crate) fn new(session: Session<'a>, kind: RunKind, args: ExecutionArgs) -> Result<Self, Failure> {
        let loaded = LoadedMatch::load(&session.source, kind, args)?;
        let LoadedMatch { config, execution, common_options, .. } = &loaded;
        let equipment = Equipment::load(config, execution, &FieldPath::root(), &session)?;
        let before = FilesBefore::of(&config.engines);
        let (launcher, cancel) = (equipment.launcher.clone(), session.cancel.clone());
        let setup = Setup::new(launcher, config.watchdog, config.variant, config.is_timed(), cancel);
        let trials = preflight(&config.engines, common_options, &setup)
            .map_err(|error| untried(error, &session.source, "interrupted before the first game"))?;
        Ok(Self { session, loaded, equipment, before, trials })
    }
}

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
