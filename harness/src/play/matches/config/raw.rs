//! The fields of a configuration file of a match, and their validation.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_yaml::Mapping;

use super::match_config::{
    Affinity, DEFAULT_TIME_MARGIN_MS, Execution, ExecutionArgs, MatchConfig, PgnField, RunKind,
    threads_per_game,
};
use super::output::OutputConfig;
use super::scale_clock::ScaleClock;
use super::screen::RawScreen;
use super::stage::{STAGES, StageEntry};
use super::tune::TuneConfig;
use crate::base::cpus::undisturbed_threads;
use crate::config::engine::{OptionValue, RawEngine, check_limits, merge_options, read_options};
use crate::config::limits::{Limits, TimeControl};
use crate::config::schema::FileKind;
use crate::config::watchdog::RawWatchdog;
use crate::config::{ConfigError, EngineConfig, FieldPath, Problem, Source, Variant, yes};
use crate::play::adjudication::{Adjudication, TablesConfig, validate_adjudication};
use crate::play::openings::config::RawOpenings;
use crate::play::pairings::Pairings;
use crate::play::verdict::SprtConfig;
use crate::run::MAX_CONCURRENCY;

/// The configuration files of `match`, `tune` and `screen`, which read the same fields, as `sprt` does, with rules of their own.
pub(crate) const MATCH_FILE: FileKind = file_kind(RunKind::Match, |source| check(source, RunKind::Match));
pub(crate) const TUNE_FILE: FileKind = file_kind(RunKind::Tune, |source| check(source, RunKind::Tune));
pub(crate) const SCREEN_FILE: FileKind = file_kind(RunKind::Screen, |source| check(source, RunKind::Screen));

/// Returns the configuration files of a command, with the function that parses and validates them.
pub(super) const fn file_kind(kind: RunKind, check: fn(&Source) -> Result<(), ConfigError>) -> FileKind {
    FileKind::new::<RawMatch>(kind.name(), check)
}

fn check(source: &Source, kind: RunKind) -> Result<(), ConfigError> {
    LoadedMatch::load(source, kind, ExecutionArgs::default()).map(drop)
}

/// A match, a sequential test (sprt), a tuning (tune) or a screening (screen).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the configuration")]
#[schemars(rename = "Match")]
struct RawMatch {
    /// The engines: two or more in a match, two in a test, one in a tuning or screening. Positive Elo favours
    /// the first.
    engines: Vec<RawEngine>,
    /// UCI options of all engines without a value of their own.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, OptionValue>")]
    options: Mapping,
    /// Whether both games of a pair have the same opening.
    #[serde(default = "yes")]
    repeat: bool,
    /// Whether the engines swap colours for the second game of a pair.
    #[serde(default = "yes")]
    swap: bool,
    /// Number of first engines that play all others. Without it, every engine plays every other
    /// one.
    gauntlet: Option<NonZeroUsize>,
    /// Every engine plays those at most this many places before and after it. Excludes `gauntlet`.
    neighbours: Option<NonZeroUsize>,
    /// Time control of all engines.
    time_control: Option<TimeControl>,
    /// Nodes per move of all engines. May be combined with a clock.
    nodes: Option<NonZeroU64>,
    /// Depth per move of all engines, in plies. May be combined with a clock.
    depth: Option<NonZeroU32>,
    /// Time per move of all engines, in milliseconds, instead of a clock.
    movetime: Option<NonZeroU64>,
    /// Openings of the games. Without them, the 3000 built-in ones.
    openings: Option<RawOpenings>,
    /// Bounds of the test. Only in a test, or in a tuning whose result is to be tested.
    sprt: Option<SprtConfig>,
    /// Stages, played one after the other until one does not accept H1. Only in a test. A stage is `stc`, `ltc`, `smp`, or
    /// fields of its own.
    stages: Option<Vec<StageEntry>>,
    /// Parameters to tune. Only in a tuning.
    tune: Option<TuneConfig>,
    /// Settings to screen. Only in a screening.
    screen: Option<RawScreen>,
    /// Games of each pairing, even. Only in a match or screening.
    games: Option<u64>,
    /// Stops the run when an engine has failed so often: games lost by crashes, hangs or illegal moves, and faults between games.
    max_faults: Option<NonZeroU64>,
    /// Whether a wrong PV stops the run with exit code 1.
    #[serde(default)]
    strict_pv: bool,
    /// Whether mate scores are compared with their PVs.
    #[serde(default = "yes")]
    check_mate_pvs: bool,
    /// Games played at once. Without it, the cores (with a limit of nodes or depth the logical CPUs) divided by the threads of a game.
    concurrency: Option<NonZeroUsize>,
    /// Whether each game is pinned to cores of its own.
    #[serde(default)]
    affinity: Affinity,
    /// Whether the complete UCI dialogues are kept in logs/.
    #[serde(default)]
    logs: bool,
    /// Details recorded in the comments of games.pgn.
    #[serde(default)]
    pgn: Vec<PgnField>,
    /// Rules that end a game before the rules of chess do.
    #[serde(default)]
    adjudication: Adjudication,
    /// Endgame tables that adjudicate games.
    tablebases: Option<TablesConfig>,
    /// Milliseconds after the flag that are forgiven.
    #[serde(default = "default_margin")]
    time_margin: u64,
    /// Scales time controls and times per move to the speed of a reference machine, so that games on machines of unequal
    /// speed mean the same.
    scale_clock: Option<ScaleClock>,
    /// Outputs besides the run folder. Only in a match or test.
    output: Option<OutputConfig>,
    /// Seed of everything random.
    #[serde(default)]
    seed: u64,
    /// Variant of chess that is played.
    #[serde(default)]
    variant: Variant,
    /// Time limits after which a silent engine counts as hung.
    #[serde(default)]
    watchdog: RawWatchdog,
}

fn default_margin() -> u64 {
    DEFAULT_TIME_MARGIN_MS
}

/// A configuration file of a match, validated.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedMatch {
    /// The match, which is the identity of the run.
    pub config: MatchConfig,
    /// Execution settings, which may change on resuming.
    pub execution: Execution,
    /// Outputs besides the run folder.
    pub output: OutputConfig,
    /// Names of the options set for all engines, as written. An engine may lack them.
    pub common_options: Vec<String>,
}

impl LoadedMatch {
    /// Reads and validates a configuration of this kind. `args` take precedence over the file.
    pub fn load(source: &Source, kind: RunKind, args: ExecutionArgs) -> Result<Self, ConfigError> {
        // Before the section is parsed: where it is not allowed, no missing field of it matters.
        let has_test =
            source.value().is_ok_and(|value| value.get("sprt").is_some_and(|test| !test.is_null()));
        check_test(kind, has_test).map_err(|problem| source.complain(problem))?;
        source.parse::<RawMatch>()?.validate(kind, source, args).map_err(|problem| source.complain(problem))
    }
}

impl RawMatch {
    fn validate(
        mut self,
        kind: RunKind,
        source: &Source,
        args: ExecutionArgs,
    ) -> Result<LoadedMatch, Problem> {
        let root = FieldPath::root();
        if self.stages.is_some() {
            return root.key(STAGES).refuse(if kind == RunKind::Sprt {
                "this command takes a test without stages: leave the list out"
            } else {
                "only a test has stages: use `harness sprt`"
            });
        }
        let Self { time_control, nodes, depth, movetime, .. } = self;
        let shared = Limits { time_control, nodes, depth, movetime };
        check_limits(&shared, &root)?;
        let common_options = read_options(self.options.clone(), &root.key("options"))?;
        let engines = self.engines(kind, source, shared)?;
        check_chess960(&engines, self.variant, &root)?;
        self.scale_clock.as_ref().map_or(Ok(()), |scale| scale.check(&engines))?;
        let pairings = self.pairings(kind, engines.len())?;
        let sprt = self.sprt;
        sprt.as_ref().map_or(Ok(()), SprtConfig::check)?;
        self.tune = self.tune.filter(|_| kind == RunKind::Tune);
        self.tune.as_ref().map_or(Ok(()), TuneConfig::check)?;
        let screen =
            self.screen.take().filter(|_| kind == RunKind::Screen).map(RawScreen::validate).transpose()?;
        let has_settings = kind != RunKind::Screen || screen.is_some();
        root.key("screen").require(has_settings, "missing: expected the settings to screen")?;
        let games = self.length(kind)?;
        let concurrency = args.concurrency.or(self.concurrency);
        let is_possible = concurrency.is_none_or(|games| games.get() <= MAX_CONCURRENCY);
        let expected = format_args!("expected at most {MAX_CONCURRENCY} games at once");
        root.key("concurrency").require(is_possible, expected)?;
        let execution = Execution {
            concurrency: concurrency.map_or_else(|| default_concurrency(&engines), NonZeroUsize::get),
            affinity: self.affinity,
            shard: args.shard,
            logs: self.logs,
            max_faults: self.max_faults,
            strict_pv: args.strict_pv || self.strict_pv,
            check_mate_pvs: self.check_mate_pvs,
        };
        let refusal = format!("a {} has no further outputs; only a match or test has", kind.noun());
        root.key("output").require(self.output.is_none() || kind.compares_engines(), refusal)?;
        let output = self.output.map(|output| output.resolved(source)).unwrap_or_default();
        validate_adjudication(&root, &self.adjudication)?;
        let config = MatchConfig {
            kind,
            openings: self.openings.unwrap_or_default().validate(&root, source, self.seed)?,
            engines,
            pairings,
            repeat: self.repeat,
            swap: self.swap,
            sprt,
            tune: self.tune,
            screen,
            games,
            pgn: self.pgn,
            adjudication: self.adjudication,
            tablebases: self.tablebases.map(|tables| tables.validate(source)).transpose()?,
            time_margin: Duration::from_millis(self.time_margin),
            scale_clock: self.scale_clock,
            seed: self.seed,
            variant: self.variant,
            watchdog: self.watchdog.validate()?,
        };
        let common_options = common_options.into_iter().map(|option| option.name).collect();
        Ok(LoadedMatch { config, execution, output, common_options })
    }

    fn engines(
        &mut self,
        kind: RunKind,
        source: &Source,
        shared: Limits,
    ) -> Result<Vec<EngineConfig>, Problem> {
        let raw = std::mem::take(&mut self.engines);
        let path = FieldPath::root().key("engines");
        let count = raw.len();
        if kind.compares_engines() {
            path.require(count >= 2, format_args!("expected two engines or more, found {count}"))?;
        } else {
            path.require(count == 1, format_args!("expected one engine to {}, found {count}", kind.name()))?;
        }
        let mut engines: Vec<EngineConfig> = Vec::with_capacity(raw.len());
        for (index, engine) in raw.into_iter().enumerate() {
            let here = path.index(index);
            let options = merge_options(&self.options, engine.options);
            let engine = RawEngine { options, ..engine }.validate(&here, source.names(), shared)?;
            let expected = "no limit: expected time_control, nodes, depth or movetime, here or above";
            here.require(!engine.limits.is_empty(), expected)?;
            let is_new = !engines.iter().any(|other| other.name == engine.name);
            let taken = format_args!("`{}` is taken: names must differ", engine.name);
            here.key("name").require(is_new, taken)?;
            engines.push(engine);
        }
        if let [engine] = &engines[..] {
            let shifted = |sign| EngineConfig { name: format!("{} {sign}", engine.name), ..engine.clone() };
            engines = vec![shifted('+'), shifted('-')];
        }
        Ok(engines)
    }

    /// Returns the pairings of the engines. A test has two engines.
    fn pairings(&self, kind: RunKind, engines: usize) -> Result<Pairings, Problem> {
        let root = FieldPath::root();
        root.key("engines").require(
            kind != RunKind::Sprt || engines == 2,
            format_args!("a test is between two engines, found {engines}; `harness match` plays more"),
        )?;
        match (self.gauntlet.map(NonZeroUsize::get), self.neighbours.map(NonZeroUsize::get)) {
            (None, None) => Ok(Pairings::round_robin(engines)),
            (None, Some(places)) => Ok(Pairings::neighbours(engines, places)),
            (Some(challengers), None) => {
                let message = format!("{challengers}: expected fewer challengers than the {engines} engines");
                root.key("gauntlet").require(challengers < engines, message)?;
                Ok(Pairings::gauntlet(engines, challengers))
            }
            (Some(_), Some(_)) => {
                root.key("neighbours").refuse("a gauntlet and neighbours exclude each other")
            }
        }
    }

    /// Returns the maximum number of games of the run; `None` is unlimited.
    fn length(&self, kind: RunKind) -> Result<Option<u64>, Problem> {
        let root = FieldPath::root();
        let games = root.key("games");
        let most = self.sprt.and_then(|sprt| sprt.max_games);
        let most = most.map(|most| validate_games(&root.key("sprt").key("max_games"), most));
        match kind {
            RunKind::Sprt => {
                root.key("sprt").require(self.sprt.is_some(), "missing: a test needs bounds")?;
                games.require(self.games.is_none(), "a test has no fixed length; use sprt.max_games")?;
                most.transpose()
            }
            RunKind::Match | RunKind::Screen => match self.games {
                None => games.refuse(format!("missing: a {} needs a number of games", kind.noun())),
                Some(number) => validate_games(&games, number).map(Some),
            },
            RunKind::Tune => {
                let message = "a tuning has tune.iterations of tune.pairs, no number of games";
                games.require(self.games.is_none(), message)?;
                most.transpose()?;
                match &self.tune {
                    None => root.key("tune").refuse("missing: expected the parameters to tune"),
                    Some(tune) => Ok(Some(tune.all_pairs().saturating_mul(2))),
                }
            }
        }
    }
}

/// Returns the number of games at once, at least one: the logical CPUs divided by the threads of a game. Games on time have
/// physical cores instead.
pub(super) fn default_concurrency(engines: &[EngineConfig]) -> usize {
    let is_timed = engines.iter().any(EngineConfig::is_timed);
    let processors = if is_timed { undisturbed_threads() } else { num_cpus::get() };
    (processors / threads_per_game(engines)).max(1)
}

/// Rejects a section `sprt` in a run of fixed length.
fn check_test(kind: RunKind, has_test: bool) -> Result<(), Problem> {
    let is_allowed = !has_test || matches!(kind, RunKind::Sprt | RunKind::Tune);
    let message = format!("a {} has a fixed length and tests nothing; use `harness sprt`", kind.noun());
    FieldPath::root().key("sprt").require(is_allowed, message)
}

/// Rejects a value of `UCI_Chess960` that contradicts the variant of the games.
fn check_chess960(engines: &[EngineConfig], variant: Variant, parent: &FieldPath) -> Result<(), Problem> {
    let wanted = (variant == Variant::Chess960).to_string();
    for (index, engine) in engines.iter().enumerate() {
        let value = engine.option("UCI_Chess960").unwrap_or(&wanted);
        let other = if variant == Variant::Chess960 { "standard" } else { "chess960" };
        parent.key("engines").index(index).key("options").key("UCI_Chess960").require(
            value.eq_ignore_ascii_case(&wanted),
            format_args!("{value} contradicts the variant: omit it, or set `variant: {other}`"),
        )?;
    }
    Ok(())
}

/// Rejects a number of games that is odd or zero.
pub(crate) fn validate_games(path: &FieldPath, games: u64) -> Result<u64, Problem> {
    let expected = format_args!("{games}: expected an even number above 0, games come in pairs");
    path.require(games > 0 && games.is_multiple_of(2), expected).map(|()| games)
}
