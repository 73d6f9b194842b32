//! Time limits of the watchdog.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::locate::FieldPath;
use super::seconds;
use super::source::Problem;

/// Time limits after which a silent engine counts as hung.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Watchdog")]
pub(crate) struct RawWatchdog {
    /// Seconds from start to `uciok`.
    uci: f64,
    /// Seconds from `isready` to `readyok`.
    ready: f64,
    /// Seconds from `ucinewgame` to `readyok`. Without it, `ready`.
    new_game: Option<f64>,
    /// Seconds from `go` to `bestmove` where no real time limits the move (nodes, depth, node clocks), and from `stop` to
    /// `bestmove` after a flag fell.
    answer: f64,
    /// Seconds of a suspended harness after which a game on time is void and replayed.
    stall: f64,
    /// Seconds from `quit` to the exit of the engine, after which it is killed.
    quit: f64,
    /// Share of CPU time taken by the hypervisor (steal time) above which a game is void and
    /// replayed.
    max_steal_time: Option<f64>,
    /// Share of CPU time used by other programs above which a game on time is void and replayed.
    max_other_load: Option<f64>,
}

impl Default for RawWatchdog {
    fn default() -> Self {
        Self {
            uci: 10.0,
            ready: 60.0,
            new_game: None,
            answer: 60.0,
            stall: Watchdog::STALL.as_secs_f64(),
            quit: Watchdog::QUIT.as_secs_f64(),
            max_steal_time: None,
            max_other_load: None,
        }
    }
}

/// Time limits after which a silent engine counts as hung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watchdog {
    /// From the start to `uciok`.
    #[serde(with = "seconds")]
    pub uci: Duration,
    /// From `isready` to `readyok`.
    #[serde(with = "seconds")]
    pub ready: Duration,
    /// From `ucinewgame` to `readyok`, where it differs from the default. Units: milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_game_ms: Option<u64>,
    /// From `go` to `bestmove` where no real time limits the move: nodes, depth, node clocks. Also from `stop` to
    /// `bestmove` after a flag fell.
    #[serde(with = "seconds")]
    pub answer: Duration,
    /// Time during which the harness itself did not run, after which the clocks of a game are
    /// meaningless: a game on time is void and replayed.
    #[serde(with = "seconds", default = "usual_stall", skip_serializing_if = "is_usual_stall")]
    pub stall: Duration,
    /// From `quit` to the exit of the engine, after which it is killed.
    #[serde(with = "seconds", default = "usual_quit", skip_serializing_if = "is_usual_quit")]
    pub quit: Duration,
    /// Steal time, as a share of the requested CPU time (busy plus steal), above which a game is void and
    /// replayed. Absent: no limit. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steal_time_permille: Option<u32>,
    /// Share of CPU time used by other programs above which a game on time is void and replayed. Absent: no
    /// limit. Units: permille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_other_load_permille: Option<u32>,
}

impl Watchdog {
    /// Default of [`Watchdog::stall`]: one second.
    pub const STALL: Duration = Duration::from_secs(1);
    /// Default of [`Watchdog::quit`], as in fastchess: engines may save what they learnt, or a profile.
    pub const QUIT: Duration = Duration::from_mins(1);

    /// Returns the time from `ucinewgame` to `readyok`.
    pub(crate) fn new_game(&self) -> Duration {
        self.new_game_ms.map_or(self.ready, Duration::from_millis)
    }

    /// Returns limits for searches that may take this long.
    pub(crate) fn for_searches(answer: Duration) -> Self {
        let ready = answer.max(Duration::from_mins(1));
        Self {
            uci: Duration::from_secs(10),
            ready,
            new_game_ms: None,
            answer,
            stall: Self::STALL,
            quit: Self::QUIT,
            max_steal_time_permille: None,
            max_other_load_permille: None,
        }
    }
}

impl Default for Watchdog {
    fn default() -> Self {
        Self::for_searches(Duration::from_mins(1))
    }
}

fn usual_stall() -> Duration {
    Watchdog::STALL
}

fn is_usual_stall(stall: &Duration) -> bool {
    *stall == Watchdog::STALL
}

fn usual_quit() -> Duration {
    Watchdog::QUIT
}

fn is_usual_quit(quit: &Duration) -> bool {
    *quit == Watchdog::QUIT
}

impl RawWatchdog {
    pub(crate) fn validate(self) -> Result<Watchdog, Problem> {
        let span = |key, seconds: f64| {
            if (0.001..=86_400.0).contains(&seconds) {
                return Ok(Duration::from_secs_f64(seconds));
            }
            let path = FieldPath::root().key("watchdog").key(key);
            path.refuse(format!("{seconds}: expected seconds, 0.001 to 86400"))
        };
        let (uci, ready) = (span("uci", self.uci)?, span("ready", self.ready)?);
        let new_game = self.new_game.map(|seconds| span("new_game", seconds)).transpose()?;
        let permille = |key, share: Option<f64>| match share {
            None => Ok(None),
            Some(share) if (0.001..1.0).contains(&share) => Ok(Some((1e3 * share).round() as u32)),
            Some(share) => {
                let path = FieldPath::root().key("watchdog").key(key);
                path.refuse(format!("{share}: expected a share, 0.001 to less than 1"))
            }
        };
        Ok(Watchdog {
            uci,
            ready,
            new_game_ms: new_game.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            answer: span("answer", self.answer)?,
            stall: span("stall", self.stall)?,
            quit: span("quit", self.quit)?,
            max_steal_time_permille: permille("max_steal_time", self.max_steal_time)?,
            max_other_load_permille: permille("max_other_load", self.max_other_load)?,
        })
    }
}
