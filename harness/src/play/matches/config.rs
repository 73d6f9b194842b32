//! The schema of `harness sprt`, `match`, `tune` and `screen`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::thread::available_parallelism;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_yaml::Mapping;

use crate::config::engine::{
    EngineConfig, OptionValue, RawEngine, check_limits, merge_options, read_options,
};
use crate::config::limits::{Limits, TimeControl};
use crate::config::schema::FileKind;
use crate::config::watchdog::{RawWatchdog, Watchdog};
use crate::config::{ConfigError, FieldPath, Problem, Source, Variant, seconds};
use crate::play::adjudication::{Adjudication, RawTables, TablesConfig, validate_adjudication};
use crate::play::openings::config::{OpeningsConfig, RawOpenings};
use crate::play::pairings::Pairings;
use crate::play::sprt::{RawSprt, SprtConfig};
use crate::run::shard::Shard;
use crate::tune::screen::config::{RawScreen, ScreenConfig};
use crate::tune::spsa::config::{RawTune, TuneConfig};

/// What decides when a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A sequential test: until a bound is crossed.
    Sprt,
    /// A fixed number of games.
    Match,
    /// A fixed number of games of an engine against itself, whose numbers move from pair to pair.
    Tune,
    /// A fixed number of games of an engine against itself, in each pair with other settings.
    Screen,
}

impl RunKind {
    /// The word used in folder names and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sprt => "sprt",
            Self::Match => "match",
            Self::Tune => "tune",
            Self::Screen => "screen",
        }
    }

    /// What a message calls it.
    fn noun(self) -> &'static str {
        match self {
            Self::Sprt => "test",
            Self::Match => "match",
            Self::Tune => "tuning",
            Self::Screen => "screening",
        }
    }

    /// Does one engine play against itself, and how does a message call what is done to it?
    fn alone(self) -> Option<&'static str> {
        match self {
            Self::Sprt | Self::Match => None,
            Self::Tune => Some("that is tuned"),
            Self::Screen => Some("whose settings are judged"),
        }
    }
}

/// A detail in the comments of games.pgn, besides score, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PgnField {
    /// `n=`: nodes searched.
    Nodes,
    /// `nps=`: nodes per second.
    Nps,
    /// `sd=`: selective depth.
    Seldepth,
    /// `h=`: hash fill, in permille.
    Hashfull,
    /// `tb=`: tablebase hits.
    Tbhits,
    /// `tl=`: time left on the clock.
    Clock,
    /// `latency=`: time used beyond the time that the engine reported.
    Latency,
    /// `pv=`: principal variation.
    Pv,
}

/// Whether each game is pinned to cores of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Affinity {
    /// The system schedules.
    #[default]
    Off,
    /// Each game gets as many whole cores as it has threads.
    Auto,
}

/// The configuration files of these four commands, which have the same fields.
pub(crate) const FILES: [FileKind; 4] = [
    FileKind::new::<RawMatch>("match"),
    FileKind::new::<RawMatch>("sprt"),
    FileKind::new::<RawMatch>("tune"),
    FileKind::new::<RawMatch>("screen"),
];

/// A match, a sequential test (sprt), a tuning (tune) or a screening (screen).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the configuration")]
#[schemars(rename = "Match")]
struct RawMatch {
    /// The engines: two or more in a match, two in a test, one in a tuning or screening. Positive
    /// Elo means that the first is stronger.
    engines: Vec<RawEngine>,
    /// UCI options of every engine that has none of its own by that name.
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
    /// Openings from which games start.
    openings: RawOpenings,
    /// Bounds of the test. Only in a test, or in a tuning whose result is to be tested.
    sprt: Option<RawSprt>,
    /// Parameters to tune. Only in a tuning.
    tune: Option<RawTune>,
    /// Settings to screen. Only in a screening.
    screen: Option<RawScreen>,
    /// Games of each pairing, even. Only in a match or screening.
    games: Option<u64>,
    /// Stops the run when an engine has lost this many games by crashes, hangs or illegal moves.
    /// Without it, the run goes on.
    max_faults: Option<NonZeroU64>,
    /// Games played at once. Without it, as many as the cores allow.
    concurrency: Option<NonZeroUsize>,
    /// Whether each game is pinned to cores of its own.
    #[serde(default)]
    affinity: Affinity,
    /// Whether the complete UCI dialogues are kept in logs/.
    #[serde(default)]
    logs: bool,
    /// Whether the final positions are written to final.epd.
    #[serde(default)]
    epd: bool,
    /// Details recorded in the comments of games.pgn.
    #[serde(default)]
    pgn: Vec<PgnField>,
    /// Rules that end a game before the rules of chess do.
    #[serde(default)]
    adjudication: Adjudication,
    /// Endgame tables that adjudicate games.
    tablebases: Option<RawTables>,
    /// Milliseconds after the flag that are forgiven.
    #[serde(default = "default_margin")]
    time_margin: u64,
    /// Seed of everything random.
    #[serde(default)]
    seed: u64,
    /// Variant of chess.
    #[serde(default)]
    variant: Variant,
    /// Time limits after which a silent engine counts as hung.
    #[serde(default)]
    watchdog: RawWatchdog,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_yes(value: &bool) -> bool {
    *value
}

fn default_margin() -> u64 {
    50
}

/// A checked match or test; scores and Elo of a pairing are its first engine's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the configuration")]
pub struct MatchConfig {
    /// What ends the run.
    pub kind: RunKind,
    /// The players, with different names. Shape: two or more; exactly two in a test; in a tuning or screening the same one twice.
    pub engines: Vec<EngineConfig>,
    /// Who plays whom; with two engines there is nothing to say.
    #[serde(default, skip_serializing_if = "Pairings::is_single")]
    pub pairings: Pairings,
    /// Do both games of a pair have the same opening?
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeat: bool,
    /// Do the engines swap colours for the second game of a pair?
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub swap: bool,
    /// Openings from which games start.
    pub openings: OpeningsConfig,
    /// Present when `kind` is a test; in a tuning where one is to follow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtConfig>,
    /// Present when `kind` is a tuning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneConfig>,
    /// Present when `kind` is a screening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<ScreenConfig>,
    /// Games of each pairing at most; even. `None` only for a test without `max_games`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Names of the options that stand in the block of all engines, as written there. An engine that lacks one of them is not
    /// mistaken. Of no influence beyond the check: `engines` have their values.
    #[serde(skip)]
    pub common_options: Vec<String>,
    /// The run stops when an engine has lost so many games by faults other than lost clocks. Not part of a run's identity: a
    /// resumed run may forgive more.
    #[serde(skip)]
    pub max_faults: Option<NonZeroU64>,
    /// Games played at once. Likewise: a resumed run may use other cores.
    #[serde(skip)]
    pub concurrency: usize,
    /// Whether each game has processors of its own; likewise.
    #[serde(skip)]
    pub affinity: Affinity,
    /// The part that is played here; of a run's circumstances as well.
    #[serde(skip)]
    pub shard: Shard,
    /// Are the engines' dialogues kept whole? Does not change the games.
    #[serde(skip)]
    pub logs: bool,
    /// Are the final positions written to `final.epd`? Likewise.
    #[serde(skip)]
    pub epd: bool,
    /// What stands in the comments of `games.pgn`, and is kept for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pgn: Vec<PgnField>,
    /// Early decisions.
    pub adjudication: Adjudication,
    /// Endgame tables that decide games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<TablesConfig>,
    /// Overdraft of a clock that is forgiven.
    #[serde(with = "seconds")]
    pub time_margin: Duration,
    /// Of everything random in the run.
    pub seed: u64,
    /// The rules of castling.
    pub variant: Variant,
    /// Silence that counts as a fault.
    pub watchdog: Watchdog,
}

impl MatchConfig {
    /// A match of so many games between two engines, with nothing else asked for.
    pub(crate) fn between(engines: [EngineConfig; 2], games: u64, openings: OpeningsConfig) -> Self {
        Self {
            kind: RunKind::Match,
            engines: engines.into(),
            pairings: Pairings::round_robin(2),
            repeat: true,
            swap: true,
            openings,
            sprt: None,
            tune: None,
            screen: None,
            games: Some(games),
            common_options: Vec::new(),
            max_faults: None,
            concurrency: 1,
            affinity: Affinity::Off,
            shard: Shard::default(),
            logs: false,
            epd: false,
            pgn: Vec::new(),
            adjudication: Adjudication::default(),
            tablebases: None,
            time_margin: Duration::from_millis(default_margin()),
            seed: 0,
            variant: Variant::Standard,
            watchdog: Watchdog::default(),
        }
    }

    /// Reads and checks a configuration for `kind`.
    pub fn load(source: &Source, kind: RunKind) -> Result<Self, ConfigError> {
        let raw: RawMatch = source.parse()?;
        raw.validate(kind, source).map_err(|problem| source.complain(problem))
    }

    /// Pairs of games at most in each pairing; `None` is unlimited.
    pub fn max_rounds(&self) -> Option<u64> {
        self.games.map(|games| games / 2)
    }

    /// Pairs of games at most in all pairings, of which the shard plays its part; `None` is unlimited.
    pub fn max_pairs(&self) -> Option<u64> {
        self.max_rounds().map(|rounds| rounds.saturating_mul(self.pairings.count()))
    }

    /// Pairs of games at most that are played here.
    pub fn own_pairs(&self) -> Option<u64> {
        let rounds = self.max_rounds().map(|rounds| self.shard.part_of(rounds));
        rounds.map(|rounds| rounds.saturating_mul(self.pairings.count()))
    }

    /// Which opening a game has, counted from 0: by its pair, and by which half of it it is.
    pub fn opening(&self, pair: u64, half: u8) -> u64 {
        let round = self.pairings.round(pair);
        if self.repeat { round } else { 2 * round + u64::from(half) }
    }

    /// Openings played at most; `None` is unlimited.
    pub fn max_openings(&self) -> Option<u64> {
        self.max_rounds().map(|rounds| if self.repeat { rounds } else { 2 * rounds })
    }

    /// The threads a game needs: those of the engine that has most, and of a second one where engines ponder.
    pub fn threads(&self) -> usize {
        threads_of_a_game(&self.engines)
    }

    /// Does a clock or a time per move limit any engine?
    pub fn is_timed(&self) -> bool {
        self.engines.iter().any(EngineConfig::is_timed)
    }
}

impl RawMatch {
    fn validate(self, kind: RunKind, source: &Source) -> Result<MatchConfig, Problem> {
        let root = FieldPath::root();
        let shared = Limits {
            time_control: self.time_control,
            nodes: self.nodes,
            depth: self.depth,
            movetime: self.movetime,
        };
        check_limits(&shared, &root)?;
        let common_options = read_options(self.options.clone(), &root.key("options"))?;
        let engines = validate_engines(kind, self.engines, &self.options, source, shared)?;
        let pairings = validate_pairings(kind, engines.len(), self.gauntlet, self.neighbours)?;
        let sprt = self.sprt.map(RawSprt::validate).transpose()?;
        let tune = self.tune.filter(|_| kind == RunKind::Tune).map(RawTune::validate).transpose()?;
        let screen = self.screen.filter(|_| kind == RunKind::Screen).map(RawScreen::validate).transpose()?;
        if kind == RunKind::Screen && screen.is_none() {
            return Err(Problem::new(root.key("screen"), "missing: which settings are judged"));
        }
        let games = validate_length(kind, sprt, tune.as_ref(), self.games)?;
        let concurrency = self.concurrency.map_or_else(|| default_concurrency(&engines), NonZeroUsize::get);
        validate_adjudication(&root, &self.adjudication)?;
        Ok(MatchConfig {
            kind,
            openings: self.openings.validate(&root, source, self.seed)?,
            engines,
            pairings,
            repeat: self.repeat,
            swap: self.swap,
            sprt,
            tune,
            screen,
            games,
            common_options: common_options.into_iter().map(|option| option.name).collect(),
            max_faults: self.max_faults,
            concurrency,
            affinity: self.affinity,
            shard: Shard::default(),
            logs: self.logs,
            epd: self.epd,
            pgn: self.pgn,
            adjudication: self.adjudication,
            tablebases: self.tablebases.map(|tables| tables.validate(source)).transpose()?,
            time_margin: Duration::from_millis(self.time_margin),
            seed: self.seed,
            variant: self.variant,
            watchdog: self.watchdog.validate()?,
        })
    }
}

fn validate_engines(
    kind: RunKind,
    raw: Vec<RawEngine>,
    options: &Mapping,
    source: &Source,
    shared: Limits,
) -> Result<Vec<EngineConfig>, Problem> {
    let path = FieldPath::root().key("engines");
    if let Some(what) = kind.alone().filter(|_| raw.len() != 1) {
        let message = format!("expected the one engine {what}, found {}", raw.len());
        return Err(Problem::new(path, message));
    }
    if kind.alone().is_none() && raw.len() < 2 {
        return Err(Problem::new(path, format!("expected two engines or more, found {}", raw.len())));
    }
    let mut engines: Vec<EngineConfig> = Vec::with_capacity(raw.len());
    for (index, engine) in raw.into_iter().enumerate() {
        let here = path.index(index);
        let options = merge_options(options, engine.options);
        let engine = RawEngine { options, ..engine }.validate(&here, source.dir(), shared)?;
        if engine.limits.is_empty() {
            return Err(Problem::new(
                here,
                "no limit: expected time_control, nodes, depth or movetime, here or above",
            ));
        }
        if engines.iter().any(|other| other.name == engine.name) {
            return Err(Problem::new(
                here.key("name"),
                format!("`{}` is taken: names must differ", engine.name),
            ));
        }
        engines.push(engine);
    }
    if let [engine] = &engines[..] {
        let shifted = |sign| EngineConfig { name: format!("{} {sign}", engine.name), ..engine.clone() };
        engines = vec![shifted('+'), shifted('-')];
    }
    Ok(engines)
}

/// Who plays whom; a test is between two.
fn validate_pairings(
    kind: RunKind,
    engines: usize,
    gauntlet: Option<NonZeroUsize>,
    neighbours: Option<NonZeroUsize>,
) -> Result<Pairings, Problem> {
    let root = FieldPath::root();
    if kind == RunKind::Sprt && engines != 2 {
        let message = format!("a test is between two engines, found {engines}; `harness match` plays more");
        return Err(Problem::new(root.key("engines"), message));
    }
    match (gauntlet.map(NonZeroUsize::get), neighbours.map(NonZeroUsize::get)) {
        (None, None) => Ok(Pairings::round_robin(engines)),
        (None, Some(places)) => Ok(Pairings::neighbours(engines, places)),
        (Some(challengers), None) if challengers < engines => Ok(Pairings::gauntlet(engines, challengers)),
        (Some(challengers), None) => {
            let message = format!("{challengers}: expected fewer challengers than the {engines} engines");
            Err(Problem::new(root.key("gauntlet"), message))
        }
        (Some(_), Some(_)) => {
            Err(Problem::new(root.key("neighbours"), "a gauntlet and neighbours exclude each other"))
        }
    }
}

/// The longest the run may get, in games.
fn validate_length(
    kind: RunKind,
    sprt: Option<SprtConfig>,
    tune: Option<&TuneConfig>,
    games: Option<u64>,
) -> Result<Option<u64>, Problem> {
    let root = FieldPath::root();
    let (path, length) = match (kind, sprt) {
        (RunKind::Sprt, None) => {
            return Err(Problem::new(root.key("sprt"), "missing: a test needs its bounds"));
        }
        (RunKind::Sprt, Some(_)) if games.is_some() => {
            return Err(Problem::new(root.key("games"), "a test has no fixed length; use sprt.max_games"));
        }
        (RunKind::Sprt, Some(sprt)) => (root.key("sprt").key("max_games"), sprt.max_games),
        (RunKind::Match | RunKind::Screen, Some(_)) => {
            let message =
                format!("a {} has a fixed length and tests nothing; use `harness sprt`", kind.noun());
            return Err(Problem::new(root.key("sprt"), message));
        }
        (RunKind::Match | RunKind::Screen, None) if games.is_none() => {
            let message = format!("missing: a {} needs a number of games", kind.noun());
            return Err(Problem::new(root.key("games"), message));
        }
        (RunKind::Match | RunKind::Screen, None) => (root.key("games"), games),
        (RunKind::Tune, _) if games.is_some() => {
            let message = "a tuning has tune.iterations of tune.pairs, no number of games";
            return Err(Problem::new(root.key("games"), message));
        }
        (RunKind::Tune, _) => {
            if let Some(most) = sprt.and_then(|sprt| sprt.max_games) {
                validate_games(root.key("sprt").key("max_games"), most)?;
            }
            let missing = || Problem::new(root.key("tune"), "missing: which parameters are tuned");
            return Ok(Some(tune.ok_or_else(missing)?.all_pairs().saturating_mul(2)));
        }
    };
    length.map(|games| validate_games(path, games)).transpose()
}

/// Refuses a number of games that is odd or none.
pub(crate) fn validate_games(path: FieldPath, games: u64) -> Result<u64, Problem> {
    if games == 0 || games % 2 == 1 {
        let message = format!("{games}: expected an even number above 0, games come in pairs");
        return Err(Problem::new(path, message));
    }
    Ok(games)
}

/// As many games as the cores carry.
fn default_concurrency(engines: &[EngineConfig]) -> usize {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    (cores / threads_of_a_game(engines)).max(1)
}

/// Only one side thinks at a time, unless one ponders.
fn threads_of_a_game(engines: &[EngineConfig]) -> usize {
    let mut threads: Vec<usize> = engines.iter().map(|engine| engine.threads().max(1)).collect();
    threads.sort_unstable_by(|a, b| b.cmp(a));
    let at_once = if engines.iter().any(|engine| engine.ponder) { 2 } else { 1 };
    threads.iter().take(at_once).sum::<usize>().max(1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::play::openings::Format;
    use crate::stats::llr::Model;

    const GOOD: &str = "\
engines:
  - { name: one, command: sh, options: { Hash: 16, Threads: 2, Clear: null, Ponder: false } }
  - name: two
    command: sh
    nodes: 5000
time_control: 2+0.02
openings: { file: book.epd }
sprt: { elo0: 0, elo1: 10 }
seed: 9
";

    fn load(text: &str, kind: RunKind) -> Result<MatchConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("book.epd"), "").unwrap();
        let source = Source::new(dir.path().join("test.yaml"), text.to_owned());
        let prefix = format!("{}/", dir.path().display());
        MatchConfig::load(&source, kind).map_err(|error| error.to_string().replace(&prefix, ""))
    }

    /// The configuration as a match has it.
    fn without_test(text: &str) -> String {
        text.replace("sprt: { elo0: 0, elo1: 10 }\n", "")
    }

    #[test]
    fn defaults_and_overrides() {
        let config = load(GOOD, RunKind::Sprt).unwrap();
        let [one, two] = &config.engines[..] else { panic!("two engines") };
        let names: Vec<_> = one.options.iter().map(|option| option.name.as_str()).collect();
        assert_eq!(names, ["Threads", "Hash", "Clear", "Ponder"]);
        assert_eq!(one.options[2].value, None);
        assert_eq!(one.limits.to_string(), "2+0.02");
        assert_eq!(two.limits.to_string(), "5000 nodes");
        assert_eq!((config.openings.seed, config.games, one.threads()), (9, None, 2));
        assert_eq!(config.sprt.unwrap().model, Model::Normalized);
    }

    #[test]
    fn complaints_name_line_and_path() {
        let cases = [
            ("elo0: 0,", "elo0: 12,", "test.yaml:8:15: sprt.elo0: 12: expected less than elo1"),
            ("nodes: 5000", "nodez: 5000", "test.yaml:5:5: engines[1]: unknown field `nodez`"),
            ("nodes: 5000", "nodes: none", "test.yaml:5:12: engines[1].nodes: invalid type"),
            ("2+0.02", "2+x", "test.yaml:6:15: time_control: `x` in time control `2+x`"),
            ("name: two", "name: one", "test.yaml:3:11: engines[1].name: `one` is taken"),
            (
                "command: sh\n",
                "command: no-such\n",
                "test.yaml:4:14: engines[1].command: no engine `no-such`",
            ),
            ("book.epd", "nobook.epd", "test.yaml:7:19: openings.file: no such file `nobook.epd`"),
            ("Ponder: false", "hash: 3", "test.yaml:2:83: engines[0].options.hash: set twice"),
            ("elo1: 10", "elo1: 10, alpha: 0.7", "sprt.alpha: 0.7: expected"),
            ("elo1: 10", "elo1: 10, max_games: 7", "sprt.max_games: 7: expected an even number"),
            ("seed: 9", "watchdog: { answer: -1 }", "watchdog.answer: -1: expected seconds"),
            ("seed: 9", "watchdog: { stolen: 1 }", "watchdog.stolen: 1: expected a share"),
            (
                "seed: 9",
                "variant: shogi",
                "variant: unknown variant `shogi`, expected `standard` or `chess960`",
            ),
        ];
        for (from, to, expected) in cases {
            let error = load(&GOOD.replace(from, to), RunKind::Sprt).unwrap_err();
            assert!(error.contains(expected), "{error}\n  should contain\n{expected}");
        }
    }

    #[test]
    fn lengths_fit_the_kind() {
        let fixed = GOOD.replace("seed: 9", "games: 20");
        assert!(load(&fixed, RunKind::Sprt).unwrap_err().contains("no fixed length"));
        let error = load(&fixed, RunKind::Match).unwrap_err();
        assert!(error.contains("sprt: a match has a fixed length"), "{error}");
        assert!(load(&without_test(GOOD), RunKind::Match).unwrap_err().contains("games: missing"));
        let config = load(&without_test(&fixed), RunKind::Match).unwrap();
        assert_eq!((config.max_pairs(), config.sprt), (Some(10), None));
    }

    #[test]
    fn the_test_of_a_tuning_has_an_even_length() {
        let two = "  - name: two\n    command: sh\n    nodes: 5000\n";
        let tune = "tune: { iterations: 5, parameters: [{ name: Hash }] }";
        let tuning = GOOD.replace(two, "").replace("seed: 9", tune);
        let of = |length: &str| load(&tuning.replace("elo1: 10", length), RunKind::Tune);
        let config = of("elo1: 10, max_games: 8").unwrap();
        assert_eq!((config.games, config.sprt.unwrap().max_games), (Some(80), Some(8)));
        let error = of("elo1: 10, max_games: 7").unwrap_err();
        assert!(error.contains("sprt.max_games: 7: expected an even number"), "{error}");
    }

    #[test]
    fn the_name_of_a_file_says_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.epd", "a.PGN", "a.bin", "a.txt"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let format = |openings: &str| {
            let text = GOOD.replace("file: book.epd", openings);
            let source = Source::new(dir.path().join("test.yaml"), text);
            MatchConfig::load(&source, RunKind::Sprt)
                .map(|config| config.openings.format)
                .map_err(|e| e.to_string())
        };
        let plies = NonZeroU32::new(8);
        assert_eq!(format("file: a.txt").unwrap(), Format::Epd);
        assert_eq!(format("file: a.PGN").unwrap(), Format::Pgn { plies: None });
        assert_eq!(format("file: a.bin, plies: 8").unwrap(), Format::Polyglot { plies: plies.unwrap() });
        assert_eq!(format("file: a.txt, format: pgn, plies: 8").unwrap(), Format::Pgn { plies });
        assert!(format("file: a.bin").unwrap_err().contains("openings.plies: missing"));
        assert!(
            format("file: a.epd, plies: 2").unwrap_err().contains("openings.plies: positions have no moves")
        );
    }

    #[test]
    fn who_plays_whom() {
        let three = GOOD.replace("  - name: two", "  - { name: three, command: sh }\n  - name: two");
        assert!(load(&three, RunKind::Sprt).unwrap_err().contains("engines: a test is between two"));
        let games = without_test(&three).replace("seed: 9", "games: 20");
        let config = load(&games, RunKind::Match).unwrap();
        assert_eq!(
            (config.pairings.count(), config.max_rounds(), config.max_pairs()),
            (3, Some(10), Some(30))
        );
        let gauntlet = |count: u32| load(&format!("{games}gauntlet: {count}\n"), RunKind::Match);
        assert_eq!(gauntlet(1).unwrap().pairings.as_slice().len(), 2);
        assert!(gauntlet(3).unwrap_err().contains("gauntlet: 3: expected fewer challengers than the 3"));
        let chain = format!("{games}neighbours: 1\n");
        assert_eq!(load(&chain, RunKind::Match).unwrap().pairings.as_slice().len(), 2);
        let both = load(&format!("{chain}gauntlet: 1\n"), RunKind::Match).unwrap_err();
        assert!(both.contains("neighbours: a gauntlet and neighbours exclude each other"), "{both}");
        assert!(load(&chain.replace("neighbours: 1", "neighbours: 0"), RunKind::Match).is_err());
        let known =
            load(&games.replace("name: three,", "name: three, rating: 1900,"), RunKind::Match).unwrap();
        assert_eq!(known.engines.iter().map(|engine| engine.rating).max(), Some(Some(1900)));
    }

    #[test]
    fn options_of_all_give_way_to_an_engines_own() {
        let text = format!("{GOOD}options: {{ hash: 64, Contempt: 0 }}\n");
        let config = load(&text, RunKind::Sprt).unwrap();
        let options = |index: usize| -> Vec<(&str, Option<&str>)> {
            let options = config.engines[index].options.iter();
            options.map(|option| (option.name.as_str(), option.value.as_deref())).collect()
        };
        assert_eq!(config.common_options, ["hash", "Contempt"]);
        assert_eq!(options(1), [("hash", Some("64")), ("Contempt", Some("0"))]);
        assert_eq!(
            options(0),
            [
                ("Threads", Some("2")),
                ("Hash", Some("16")),
                ("Contempt", Some("0")),
                ("Clear", None),
                ("Ponder", Some("false"))
            ]
        );
        let error = load(&format!("{GOOD}options: {{ Hash: [1] }}\n"), RunKind::Sprt).unwrap_err();
        assert!(error.contains("options.Hash: expected a text"), "{error}");
    }

    #[test]
    fn every_engine_needs_a_limit() {
        let error = load(&GOOD.replace("time_control: 2+0.02\n", ""), RunKind::Sprt).unwrap_err();
        assert!(error.contains("engines[0]: no limit"), "{error}");
    }
}
