//! The validated configuration of a match.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::RunKind;
use super::screen::ScreenConfig;
use super::tune::TuneConfig;
use crate::config::{EngineConfig, Variant, Watchdog, seconds, yes};
use crate::play::adjudication::{Adjudication, TablesConfig};
use crate::play::openings::config::OpeningsConfig;
use crate::play::pairings::Pairings;
use crate::play::sprt::SprtConfig;

/// Default of the time after the flag that is forgiven.
pub(super) const DEFAULT_TIME_MARGIN_MS: u64 = 50;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Seed of everything random.
    pub seed: u64,
    /// Variant of chess.
    pub variant: Variant,
    /// Time limits after which a silent engine counts as hung.
    pub watchdog: Watchdog,
}

impl MatchConfig {
    /// Returns a match of `games` games between two engines, with defaults for everything else.
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
            pgn: Vec::new(),
            adjudication: Adjudication::default(),
            tablebases: None,
            time_margin: Duration::from_millis(DEFAULT_TIME_MARGIN_MS),
            seed: 0,
            variant: Variant::Standard,
            watchdog: Watchdog::default(),
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
