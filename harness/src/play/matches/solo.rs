//! Runs of one engine against itself with options that differ from pair to pair: the common part of
//! `tune` and `screen`.

use std::sync::Arc;

use serde::Serialize;

use super::parts::Parts;
use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::config::{ConfigError, FieldPath, Problem};
use crate::play::matches::setup::{
    book_notices, cpu_sets, endgame_tables, load_book, machine_notices, untried,
};
use crate::play::matches::{
    Execution, ExecutionArgs, LoadedMatch, MatchConfig, MatchSummary, OptionSource, Preflight, RunKind,
    preflight,
};
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::run::command::{Failure, RunArgs};
use crate::run::session::{KeptRun, Session};
use crate::run::{FilesBefore, Identity, RunEngines, RunFiles, RunFolder};
use crate::uci::{Launcher, OptionDecl};

/// The folder of the games.
pub(crate) const GAMES: &str = "games";

/// A configured run whose engine has been started once.
pub(crate) struct Solo<'a> {
    session: Session<'a>,
    pub(crate) config: MatchConfig,
    execution: Execution,
    book: OpeningBook,
    tables: Option<Arc<Tables>>,
    cpu_sets: Vec<CpuSet>,
    /// The files of the engine before it was started.
    before: FilesBefore,
    trial: Preflight,
}

/// A run whose folder is open.
pub(crate) struct SoloRun {
    pub(crate) config: MatchConfig,
    execution: Execution,
    pub(crate) run: KeptRun,
    pub(crate) folder: RunFolder,
    launcher: Launcher,
    pub(crate) book: OpeningBook,
    tables: Option<Arc<Tables>>,
    cpu_sets: Vec<CpuSet>,
    cancel: Cancel,
}

impl<'a> Solo<'a> {
    /// Loads the configuration and its files, and starts the engine once.
    pub(crate) fn begin(kind: RunKind, args: &'a RunArgs) -> Result<Self, Failure> {
        let session = Session::begin(kind.name(), args)?;
        let execution = ExecutionArgs { concurrency: session.set_concurrency(), ..ExecutionArgs::default() };
        let loaded = LoadedMatch::load(&session.source, kind, execution)?;
        let config = &loaded.config;
        let book = load_book(&config.openings, config.variant, &FieldPath::root(), &session.source)?;
        let cpu_sets = cpu_sets(&loaded, &session.source)?;
        let tables = endgame_tables(config, &session.source)?;
        let before = FilesBefore::of(&config.engines);
        let trial = preflight(&loaded, &Launcher::of_this_binary(), &session.cancel)
            .map_err(|error| untried(error, &session.source, "interrupted before the first game"))?;
        let LoadedMatch { config, execution, .. } = loaded;
        Ok(Self { session, config, execution, book, tables, cpu_sets, before, trial })
    }

    /// Returns the options that the engine declares.
    pub(crate) fn declared(&self) -> &[OptionDecl] {
        &self.trial.options[0]
    }

    /// Places a problem in the configuration file.
    pub(crate) fn complain(&self, problem: Problem) -> ConfigError {
        self.session.source.complain(problem)
    }

    /// Opens the run folder. `settings` are the options that differ between pairs, and part of the
    /// identity.
    pub(crate) fn open(self, settings: &impl Serialize) -> Result<SoloRun, Failure> {
        let Self { session, config, execution, book, tables, cpu_sets, before, trial } = self;
        let identity = || {
            let engines = RunEngines::one(&config.engines[0], &trial.id_names[0], &before)?;
            let files = RunFiles::of_openings(&config.openings.file)?;
            Ok(Identity::new(&config, engines, files).with(settings))
        };
        let mut warnings = trial.warnings.clone();
        // Both sides are the same engine and cause the same warnings.
        warnings.truncate(warnings.len() / 2);
        let cancel = session.cancel.clone();
        let (mut run, folder) = session.open(identity(), execution.concurrency, warnings)?;
        run.notices.extend(tables.iter().flat_map(|tables| tables.notices.clone()));
        run.notices.extend(book_notices(&config, &book));
        run.notices.extend(machine_notices(&config, execution.concurrency));
        run.notices.iter().for_each(|notice| crate::run::command::say(notice));
        let launcher = Launcher::of_this_binary();
        Ok(SoloRun { config, execution, run, folder, launcher, book, tables, cpu_sets, cancel })
    }
}

impl SoloRun {
    /// Returns the resources to play the games.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts {
            folder: &self.folder,
            run: &self.run,
            execution: self.execution,
            book: self.book.clone(),
            launcher: self.launcher.clone(),
            tables: self.tables.clone(),
            cpu_sets: self.cpu_sets.clone(),
            cancel: self.cancel.clone(),
        }
    }

    /// Plays the missing games.
    pub(crate) fn play(
        &self,
        games: &MatchConfig,
        source: Arc<dyn OptionSource>,
    ) -> Result<MatchSummary, Failure> {
        self.parts().play_with(GAMES, games, Some(source))
    }
}
