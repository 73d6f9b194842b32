//! The settings of a search besides the position and the limits.

use crate::eval::Evaluation;
use crate::search::Teamwork;
use crate::search::driver_kind::Driver;
use crate::search::limits::Limits;
use crate::search::switches::Settings;
use crate::search::time::NodeClock;
use crate::strength::Strength;
use crate::tablebase::Tablebases;
use crate::types::{Mebibytes, Millis};

/// The source of the search's switches and tunables.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "an engine has one of them, copied once a search")]
pub enum Mode {
    /// The defaults, compiled in as constants.
    Play,
    /// Values set by the user.
    Lab(Settings),
}

impl Mode {
    /// Changes switches or tunables; from then on they are read from the user's settings.
    pub fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = match self {
            Self::Play => Settings::default(),
            Self::Lab(settings) => settings.clone(),
        };
        change(&mut settings);
        *self = Self::Lab(settings);
    }
}

/// The settings of a search besides the position and the limits.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The source of switches and tunables.
    pub mode: Mode,
    /// The search algorithm below the root.
    pub driver: Driver,
    /// The evaluation of leaf positions.
    pub evaluation: Evaluation,
    /// The endgame tablebases and how they are probed.
    pub tables: Tablebases,
    /// The number of lines to report. Range: at least 1.
    pub multipv: usize,
    /// The cooperation of the threads.
    pub teamwork: Teamwork,
    /// The latency of each move between engine and clock.
    pub move_overhead: Millis,
    /// Whether the engine also thinks on the opponent's time. If so, it spends more of its own time
    /// on a move.
    pub ponders: bool,
    /// The speed of a clock that counts nodes; `None` for real time.
    pub node_clock: Option<NodeClock>,
    /// Whether this is analysis: a forced move is searched like any other.
    pub is_analysis: bool,
    /// The playing strength; `None` for full strength. Analysis is always at full strength.
    pub strength: Option<Strength>,
    /// Whether the engine takes as long as a human would before it answers below full strength.
    pub simulates_thinking: bool,
}

impl Configuration {
    /// Returns the playing strength of a search with these limits.
    pub(super) fn strength_for(&self, limits: &Limits) -> Option<Strength> {
        let is_analysis = self.is_analysis || limits.infinite || limits.mate.is_some();
        self.strength.filter(|_| !is_analysis)
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            mode: Mode::Play,
            driver: Driver::default(),
            evaluation: Evaluation::default(),
            tables: Tablebases::default(),
            multipv: 1,
            teamwork: Teamwork::default(),
            move_overhead: DEFAULT_OVERHEAD,
            ponders: false,
            node_clock: None,
            is_analysis: false,
            strength: None,
            simulates_thinking: false,
        }
    }
}

/// The latency per move that is assumed unless the user sets another: pipe, scheduler, match tool.
pub const DEFAULT_OVERHEAD: Millis = Millis(10);

/// The size of a new engine's hash table.
pub const DEFAULT_HASH: Mebibytes = Mebibytes(16);
/// The largest hash table that can be set.
pub const MAX_HASH: Mebibytes = Mebibytes(33_554_432);
/// The number of threads of a new engine.
pub const DEFAULT_THREADS: usize = 1;
/// The largest number of threads that can be set.
pub const MAX_THREADS: usize = 1024;
