//! What the games of a run need besides their configuration, and its preparation.

use std::sync::Arc;

use super::config::LoadedMatch;
use super::setup::{book_notices, cpu_sets, endgame_tables, load_book, machine_notices};
use super::{Execution, ExecutionArgs, MatchConfig, Outputs, RunKind};
use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::config::{ConfigError, FieldPath};
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::pool::{Setup, Trial, preflight, untried};
use crate::run::FilesBefore;
use crate::run::command::Failure;
use crate::run::session::Session;
use crate::uci::Launcher;

/// Openings, tables and processors of the games.
#[derive(Clone, Debug)]
pub(crate) struct Equipment {
    /// The openings. Each match begins with the one that its own configuration has as `start`.
    pub book: OpeningBook,
    /// Starts the engines.
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
