//! Openings, tables, processors and outputs of the games of a run, and the steps from the arguments to its open folder.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde::de::IgnoredAny;

use super::config::LoadedMatch;
use super::setup::{book_notices, check_open_files, cpu_sets, endgame_tables, load_book, machine_notices};
use super::{Execution, ExecutionArgs, MatchConfig, Outputs, RunKind};
use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::base::system::files::is_script;
use crate::config::{ConfigError, EngineConfig, FieldPath};
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::pool::{Setup, Trial, preflight, untried};
use crate::run::builds::record::EngineBuild;
use crate::run::clock_scale::ClockScale;
use crate::run::command::{Failure, RunArgs};
use crate::run::session::{KeptRun, Session};
use crate::run::{EngineIdentity, FilesBefore, Host, Identity, Manifest, RunEngines, RunFiles, RunFolder};
use crate::uci::Launcher;

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
    /// Own name and author of each engine, for the PGN; none where one engine plays itself.
    pub ids: Vec<(String, String)>,
    /// Speed of this machine, by which clocks are scaled.
    pub clock_scale: Option<ClockScale>,
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
        let (source, launcher) = (&session.source, Launcher::of_this_binary());
        check_open_files(config, execution, source)?;
        Ok(Self {
            book: load_book(&config.openings, config.variant, parent, source)?,
            cpu_sets: cpu_sets(config, execution, source)?,
            tables: endgame_tables(config, source)?,
            launcher,
            ids: Vec::new(),
            clock_scale: None,
            outputs: Arc::default(),
            cancel: session.cancel.clone(),
        })
    }

    /// Finds or measures the speed of this machine, if clocks are scaled by it.
    fn scale_clocks(
        &mut self,
        config: &MatchConfig,
        execution: &Execution,
        session: &mut Session<'_>,
    ) -> Result<(), Failure> {
        let Some(scale) = &config.scale_clock else { return Ok(()) };
        let copies = execution.concurrency.saturating_mul(config.threads());
        let engines = scale.measured(&config.engines);
        self.clock_scale = Some(session.clock_scale(engines, copies, scale.nps.get())?);
        Ok(())
    }

    /// Returns the factor of clocks and times per move. Units: permille.
    pub(super) fn clock_permille(&self) -> Option<u32> {
        self.clock_scale.as_ref().map(|scale| scale.permille)
    }

    /// Returns the notices on clocks, tables, openings and the machine. Those on openings do not matter if no game follows.
    pub(crate) fn notices(&self, config: &MatchConfig, games: usize, is_decided: bool) -> Vec<String> {
        let mut notices: Vec<String> = self.clock_scale.iter().map(ToString::to_string).collect();
        notices.extend(self.tables.iter().flat_map(|tables| tables.notices.clone()));
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
    pub(crate) fn new(mut session: Session<'a>, kind: RunKind, args: ExecutionArgs) -> Result<Self, Failure> {
        let loaded = LoadedMatch::load(&session.source, kind, args)?;
        let (equipment, before, trials) = try_engines(&loaded, &FieldPath::root(), &mut session)?;
        Ok(Self { session, loaded, equipment, before, trials })
    }
}

/// Loads the files of a match, with openings in a field of `parent`, and starts every engine once. Returns also the files
/// of the engines before that.
pub(super) fn try_engines(
    loaded: &LoadedMatch,
    parent: &FieldPath,
    session: &mut Session<'_>,
) -> Result<(Equipment, FilesBefore, Vec<Trial>), Failure> {
    let LoadedMatch { config, execution, common_options, .. } = loaded;
    let mut equipment = Equipment::load(config, execution, parent, session)?;
    let before = FilesBefore::of(&config.engines);
    let (launcher, cancel) = (equipment.launcher.clone(), session.cancel.clone());
    let setup = Setup::new(launcher, config.watchdog, config.variant, config.is_timed(), cancel);
    let trials = preflight(&config.engines, common_options, &setup)
        .map_err(|error| untried(error, &session.source, "interrupted before the first game"))?;
    equipment.scale_clocks(config, execution, session)?;
    Ok((equipment, before, trials))
}

/// Returns the identity of a match whose engines were started once.
///
/// Errors: a file cannot be read.
pub(super) fn identity<'a>(
    config: &'a MatchConfig,
    trials: &[Trial],
    before: &FilesBefore,
) -> io::Result<Identity<&'a MatchConfig>> {
    let id_names: Vec<String> = trials.iter().map(|trial| trial.id_name.clone()).collect();
    let engines = RunEngines::several(&config.engines, &id_names, before)?;
    Ok(Identity::new(config, engines, RunFiles::of_openings(&config.openings.file)?))
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
    /// Returns the manifest of a match.
    ///
    /// Errors: a file cannot be read.
    pub(crate) fn describe(&self, now: &str) -> io::Result<Manifest> {
        let LoadedMatch { config, execution, .. } = &self.loaded;
        let source = &self.session.source;
        let identity = identity(config, &self.trials, &self.before)?;
        let host = Host::here(execution.concurrency);
        let config_file = std::path::absolute(&source.file)?;
        let manifest =
            Manifest::describe(config.kind.name(), &identity, host, config_file, source.text(), now)?;
        Ok(Manifest { shard: execution.shard, ..manifest })
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

/// Pairings of equal engines that have a notice of their own.
const MOST_SAME: usize = 10;

/// Returns a notice for each pairing whose engines are the same program with the same options and
/// limits. Programs and files are compared by content, also those built from different commits. `builds` are the
/// engines built from commits.
///
/// A tuning or screening plays an engine against itself on purpose and has none.
pub(crate) fn same_engine_notices(
    config: &MatchConfig,
    manifest: &Manifest,
    builds: &[EngineBuild],
) -> Vec<String> {
    if !matches!(config.kind, RunKind::Match | RunKind::Sprt) {
        return Vec::new();
    }
    let identity = manifest.identity_of::<IgnoredAny, IgnoredAny>().unwrap_or_default();
    let contents: Vec<Content> = config
        .engines
        .iter()
        .zip(&identity.engines.engines)
        .map(|(engine, known)| content(engine, known, builds))
        .collect();
    let pairings = config.pairings.as_slice().iter().map(|pairing| pairing.engines());
    let is_same = |engines: &[usize; 2]| {
        let [first, second] = engines.map(|engine| contents.get(engine));
        first.is_some() && first == second
    };
    let notice = |engines: [usize; 2]| {
        let [first, second] = engines.map(|engine| &config.engines[engine].name);
        format!(
            "{first} and {second} are the same program with the same options and limits (A/A): any difference between them is chance"
        )
    };
    let same: Vec<[usize; 2]> = pairings.filter(is_same).collect();
    let shown = same.iter().take(MOST_SAME).map(|&engines| notice(engines));
    let others = (same.len() > MOST_SAME).then(|| format!("{} pairings are A/A in all", same.len()));
    shown.chain(others).collect()
}

/// The content of an engine: its configuration without names, commit and, except for scripts, paths, and the hashes of its
/// program and files.
type Content = (EngineConfig, Option<String>, Vec<String>);

/// Returns the content of an engine from its configuration and its identity in the manifest, which has no hash of
/// a program built from a commit.
fn content(engine: &EngineConfig, identity: &EngineIdentity, builds: &[EngineBuild]) -> Content {
    let build =
        builds.iter().find(|build| build.engine == engine.name).map(|build| build.record.blake3.clone());
    let binary = identity.binary.as_ref().map(|binary| binary.blake3.clone()).or(build);
    let config = EngineConfig {
        name: String::new(),
        // Scripts with equal text may start different programs.
        program: if is_script(&engine.program) { engine.program.clone() } else { PathBuf::new() },
        // Without the hash of the program, the commit stands for it.
        git: engine.git.clone().filter(|_| binary.is_none()),
        rating: None,
        ..engine.clone()
    };
    (config, binary, identity.files.values().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;

    /// Returns the notices of a match between two commits, whose programs have these hashes.
    fn notices(hashes: Option<[&str; 2]>, options: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let git = |name: &str, revision: &str| {
            format!("{{ name: {name}, git: {{ revision: {revision} }} {options} }}")
        };
        let text = format!(
            "engines: [{}, {}]\nnodes: 9\ngames: 2\n",
            git("dev", "aaaa"),
            git("base", "bbbb").replace(options, "")
        );
        let source = Source::new(dir.path().join("match.yaml"), text);
        let config = LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap().config;
        let engine = |name: &str| format!("{{ name: {name}, id_name: x, bench: 5 }}");
        let identity = format!("{{ config: {{}}, engines: [{}, {}] }}", engine("dev"), engine("base"));
        let identity: serde_yaml::Value = serde_yaml::from_str(&identity).unwrap();
        let manifest = Manifest::describe("match", &identity, Host::here(1), source.file, "", "").unwrap();
        let build = |(name, hash): (&str, &str)| {
            let text = format!(
                "{{ engine: {name}, revision: {name}, repository: /r, version: 1, commit: {name}, subject: s, \
                 folder: '', build: make, built: '', seconds: 1, blake3: {hash} }}"
            );
            serde_yaml::from_str::<EngineBuild>(&text).unwrap()
        };
        let builds = hashes.map(|[dev, base]| [("dev", dev), ("base", base)].map(build).to_vec());
        same_engine_notices(&config, &manifest, &builds.unwrap_or_default())
    }

    #[test]
    fn commits_with_equal_programs_are_the_same_engine() {
        let same = notices(Some(["p", "p"]), "");
        assert!(same[0].starts_with("dev and base are the same program with the same options"), "{same:?}");
        assert_eq!(notices(Some(["p", "q"]), ""), [""; 0]);
        assert_eq!(notices(Some(["p", "p"]), ", options: { Hash: 8 }"), [""; 0]);
        assert_eq!(notices(None, ""), [""; 0], "without hashes the commits differ");
    }
}
