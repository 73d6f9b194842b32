//! Runs of one engine against itself, whose options differ from pair to pair: what `tune` and `screen` have in common.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::parts::Parts;
use super::session::{KeptRun, Session};
use super::{Failure, RunArgs, cpu_sets, endgame_tables, load_book, untried};
use crate::cancel::Cancel;
use crate::config::{ConfigError, FieldPath, MatchConfig, Problem, RunKind};
use crate::cpus::CpuSet;
use crate::openings::OpeningBook;
use crate::referee::Tables;
use crate::runner::{Dealer, Preflight, Summary, preflight};
use crate::store::{EngineIdentity, FileHash, RunFolder};
use crate::uci_client::{Launcher, OptionDecl};

/// The folder of the games.
pub(super) const GAMES: &str = "games";
/// Least time between two lines on what the games have come to.
const NEWS_INTERVAL: Duration = Duration::from_secs(30);

/// What makes two runs the same.
#[derive(Serialize)]
struct Identity<'a, S> {
    config: &'a MatchConfig,
    engine: EngineIdentity<'a>,
    openings: FileHash,
    #[serde(flatten)]
    settings: &'a S,
}

/// A run that is configured, and whose engine has been tried.
pub(super) struct Solo<'a> {
    session: Session<'a>,
    pub(super) config: MatchConfig,
    book: OpeningBook,
    tables: Option<Arc<Tables>>,
    cpu_sets: Vec<CpuSet>,
    trial: Preflight,
}

/// A run whose folder is open.
pub(super) struct SoloRun {
    pub(super) config: MatchConfig,
    pub(super) run: KeptRun,
    pub(super) folder: RunFolder,
    launcher: Launcher,
    book: OpeningBook,
    tables: Option<Arc<Tables>>,
    cpu_sets: Vec<CpuSet>,
    cancel: Cancel,
}

impl<'a> Solo<'a> {
    /// Reads what is needed, and starts the engine once.
    pub(super) fn begin(kind: RunKind, args: &'a RunArgs) -> Result<Self, Failure> {
        let session = Session::begin(kind.name(), args)?;
        let mut config = MatchConfig::load(&session.source, kind)?;
        config.concurrency = session.concurrency(config.concurrency);
        let book = load_book(&config.openings, config.variant, &FieldPath::root(), &session.source)?;
        let cpu_sets = cpu_sets(&config, &session.source)?;
        let tables = endgame_tables(&config, &session.source, &session.cancel)?;
        let trial = preflight(&config, &Launcher::of_this_binary(), &session.cancel)
            .map_err(|error| untried(error, &session.source, "interrupted before the first game"))?;
        Ok(Self { session, config, book, tables, cpu_sets, trial })
    }

    /// The options of the engine.
    pub(super) fn declared(&self) -> &[OptionDecl] {
        &self.trial.options[0]
    }

    /// A mistake in the configuration.
    pub(super) fn complain(&self, problem: Problem) -> ConfigError {
        self.session.source.complain(problem)
    }

    /// Opens the folder of the run; `settings` are what differs from pair to pair, and part of what the run is.
    pub(super) fn open(self, settings: &impl Serialize) -> Result<SoloRun, Failure> {
        let Self { session, config, book, tables, cpu_sets, trial } = self;
        let identity = || {
            Ok(Identity {
                config: &config,
                engine: EngineIdentity::of(&config.engines[0], &trial.id_names[0])?,
                openings: FileHash::of(&config.openings.file)?,
                settings,
            })
        };
        let mut warnings = trial.warnings.clone();
        // Both sides are the same engine, and say the same.
        warnings.truncate(warnings.len() / 2);
        let cancel = session.cancel.clone();
        let (run, folder) = session.open(identity(), config.concurrency, warnings)?;
        run.notices.iter().for_each(|notice| super::say(notice));
        let launcher = Launcher::of_this_binary();
        Ok(SoloRun { config, run, folder, launcher, book, tables, cpu_sets, cancel })
    }
}

impl SoloRun {
    /// What plays the games.
    pub(super) fn parts(&self) -> Parts<'_> {
        Parts {
            folder: &self.folder,
            run: &self.run,
            book: self.book.clone(),
            launcher: self.launcher.clone(),
            tables: self.tables.clone(),
            cpu_sets: self.cpu_sets.clone(),
            cancel: self.cancel.clone(),
        }
    }

    /// Plays what is missing of the games; now and then `line` says what they have come to.
    pub(super) fn play(
        &self,
        games: &MatchConfig,
        dealer: Arc<dyn Dealer>,
        line: impl Fn() -> String,
    ) -> Result<Summary, Failure> {
        let last = Cell::new(Instant::now());
        let news = || {
            (last.get().elapsed() >= NEWS_INTERVAL).then(|| {
                last.set(Instant::now());
                line()
            })
        };
        self.parts().play_dealt(GAMES, games, Some(dealer), &news)
    }
}
