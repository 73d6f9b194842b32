//! The validated configuration of a match, and its execution settings, which do not affect the measured quantity. A resumed
//! run may change all but the shard, so none is part of the run's identity.

use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scale_clock::ScaleClock;
use super::screen::ScreenConfig;
use super::tune::TuneConfig;
use crate::config::{EngineConfig, Variant, Watchdog, seconds, yes};
use crate::play::adjudication::{Adjudication, TablesConfig};
use crate::play::openings::config::OpeningsConfig;
use crate::play::pairings::Pairings;
use crate::play::verdict::SprtConfig;
use crate::run::Manifest;
use crate::run::shard::Shard;

/// Default of the time after the flag that is forgiven.
pub(super) const DEFAULT_TIME_MARGIN_MS: u64 = 50;

/// A detail in the comments of games.pgn, besides score, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PgnField {
    /// `n=`: nodes that the engine reports last for the move.
    Nodes,
    /// `nps=`: nodes per second.
    Nps,
    /// `sd=`: selective depth in plies, as reported last.
    Seldepth,
    /// `h=`: hash fill, in permille.
    Hashfull,
    /// `tb=`: tablebase hits, as reported last.
    Tbhits,
    /// `tl=`: time left on the clock.
    Clock,
    /// `latency=`: time used beyond the time that the engine reported.
    Latency,
    /// `pv=`: the last principal variation, in UCI notation.
    Pv,
    /// `[%eval 0.12]` and, on a clock, `[%clk 0:00:01.998]`, which Lichess and python-chess read. The score is White's.
    Tags,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_yes(value: &bool) -> bool {
    *value
}

/// A validated match, which is the identity of its run.
///
/// Scores and Elo of a pairing are those of its first engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchConfig {
    /// The kind of run.
    pub kind: RunKind,
    /// The players, with distinct names. Shape: two or more; exactly two in a test; the same engine
    /// twice in a tuning or screening.
    pub engines: Vec<EngineConfig>,
    /// The pairings. Omitted from the manifest with two engines, which have only one.
    #[serde(default, skip_serializing_if = "Pairings::is_single")]
    pub pairings: Pairings,
    /// Whether both games of a pair have the same opening.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeat: bool,
    /// Whether the engines swap colours for the second game of a pair.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub swap: bool,
    /// Openings from which games start.
    pub openings: OpeningsConfig,
    /// Bounds of the test. Present in a test, and in a tuning whose result is tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtConfig>,
    /// Parameters to tune. Present in a tuning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneConfig>,
    /// Settings to screen. Present in a screening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<ScreenConfig>,
    /// Maximum number of games of each pairing, even. `None` only in a test without `max_games`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// Details recorded in the comments of games.pgn, for which they are kept in the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pgn: Vec<PgnField>,
    /// Rules that end a game before the rules of chess do.
    pub adjudication: Adjudication,
    /// Endgame tables that adjudicate games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<TablesConfig>,
    /// Time after the flag that is forgiven.
    #[serde(with = "seconds")]
    pub time_margin: Duration,
    /// Scaling of clocks to the speed of a reference machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_clock: Option<ScaleClock>,
    /// Seed of everything random.
    pub seed: u64,
    /// Variant of chess that is played, which also decides how castling is written.
    pub variant: Variant,
    /// Time limits after which a silent engine counts as hung.
    pub watchdog: Watchdog,
}

impl MatchConfig {
    /// Returns a match of `games` games between two engines, with defaults for everything else.
    pub(crate) fn between(engines: [EngineConfig; 2], games: u64, openings: OpeningsConfig) -> Self {
        let time_margin = Duration::from_millis(DEFAULT_TIME_MARGIN_MS);
        let (engines, games) = (engines.into(), Some(games));
        Self { engines, repeat: true, swap: true, openings, games, time_margin, ..Self::default() }
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.engines.iter().map(|engine| engine.name.as_str()).collect()
    }

    /// Returns a text on the players: `a against b` or `3 engines in 3 pairings`.
    pub(crate) fn contest(&self) -> String {
        match self.names()[..] {
            [first, second] => format!("{first} against {second}"),
            _ => format!("{} engines in {} pairings", self.engines.len(), self.pairings.count()),
        }
    }

    /// Returns the configured name of the only engine, which plays itself under its name with a sign.
    pub(crate) fn single_engine(&self) -> &str {
        let name = self.engines.first().map_or("", |engine| &engine.name);
        name.strip_suffix(" +").unwrap_or(name)
    }

    /// Returns the maximum number of pairs in each pairing; `None` is unlimited.
    pub fn max_rounds(&self) -> Option<u64> {
        self.games.map(|games| games / 2)
    }

    /// Returns the maximum number of pairs in all pairings and shards; `None` is unlimited.
    pub fn max_pairs(&self) -> Option<u64> {
        self.max_rounds().map(|rounds| rounds.saturating_mul(self.pairings.count()))
    }

    /// Returns the index of a game's opening, from its pair and its half of the pair.
    pub fn opening(&self, pair: u64, half: u8) -> u64 {
        let round = self.pairings.round(pair);
        if self.repeat { round } else { 2 * round + u64::from(half) }
    }

    /// Returns the maximum number of openings played; `None` is unlimited.
    pub fn max_openings(&self) -> Option<u64> {
        self.max_rounds().map(|rounds| if self.repeat { rounds } else { 2 * rounds })
    }

    /// Returns the number of threads of a game that run at once: those of the engine with most, and of a second one
    /// if an engine ponders. In lockstep one thread of an engine runs at a time.
    pub fn threads(&self) -> usize {
        threads_per_game(&self.engines)
    }

    /// Returns whether a clock or a time per move limits any engine.
    pub fn is_timed(&self) -> bool {
        self.engines.iter().any(EngineConfig::is_timed)
    }
}

/// Returns the threads of one game that run at once. Only one side thinks at a time, unless an engine ponders.
pub(super) fn threads_per_game(engines: &[EngineConfig]) -> usize {
    let mut threads: Vec<usize> = engines.iter().map(EngineConfig::running_threads).collect();
    threads.sort_unstable_by(|a, b| b.cmp(a));
    let at_once = if engines.iter().any(|engine| engine.ponder) { 2 } else { 1 };
    threads.iter().take(at_once).sum::<usize>().max(1)
}

/// The kind of a run, which decides when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A sequential test, which ends when a bound is crossed.
    Sprt,
    /// A fixed number of games.
    #[default]
    Match,
    /// A fixed number of games of an engine against itself, whose tuned parameters change from pair
    /// to pair.
    Tune,
    /// A fixed number of games of an engine against itself, with other settings in each pair.
    Screen,
}

impl RunKind {
    /// Returns the word used in folder names and reports.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Whether the games compare the engines. In a tuning or screening the two sides are one engine with
    /// other options in every pair, so a score of the first side over all pairs means nothing.
    pub(crate) fn compares_engines(self) -> bool {
        matches!(self, Self::Sprt | Self::Match)
    }

    /// Returns the noun used in messages.
    pub(super) fn noun(self) -> &'static str {
        self.words().1
    }

    /// Returns the name of the command and the noun.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Sprt => ("sprt", "test"),
            Self::Match => ("match", "match"),
            Self::Tune => ("tune", "tuning"),
            Self::Screen => ("screen", "screening"),
        }
    }
}

/// Whether each game is pinned to cores of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Affinity {
    /// The operating system schedules the games.
    #[default]
    Off,
    /// Each game gets as many whole cores as it has threads.
    Auto,
}

/// Execution settings given on the command line, which take precedence over the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecutionArgs {
    /// Games played at once.
    pub concurrency: Option<NonZeroUsize>,
    /// The part of the match to play.
    pub shard: Shard,
    /// Whether a wrong PV stops the run.
    pub strict_pv: bool,
}

/// The execution of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// Games played at once. Range: at least 1.
    pub concurrency: usize,
    /// Whether each game is pinned to cores of its own.
    pub affinity: Affinity,
    /// The part of the match that is played.
    pub shard: Shard,
    /// Whether the complete UCI dialogues are kept in logs/.
    pub logs: bool,
    /// Games lost by crashes, hangs or illegal moves of one engine that stop the run.
    pub max_faults: Option<NonZeroU64>,
    /// Whether a wrong PV stops the run.
    pub strict_pv: bool,
    /// Whether mate scores are compared with their PVs.
    pub check_mate_pvs: bool,
}

impl Execution {
    /// Returns the execution of a match with nothing configured except the number of games at once.
    pub fn with_concurrency(concurrency: usize) -> Self {
        Self { concurrency, check_mate_pvs: true, ..Self::default() }
    }

    /// Returns the execution settings recorded in the manifest of a stored run, for its report.
    pub(crate) fn recorded(manifest: &Manifest) -> Self {
        Self { shard: manifest.shard, ..Self::with_concurrency(manifest.host.concurrency) }
    }

    /// Returns the maximum number of pairs played here; `None` is unlimited.
    pub fn own_pairs(&self, config: &MatchConfig) -> Option<u64> {
        let rounds = config.max_rounds().map(|rounds| self.shard.part_of(rounds));
        rounds.map(|rounds| rounds.saturating_mul(config.pairings.count()))
    }
}
