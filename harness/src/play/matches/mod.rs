//! Plays a match or test: its tasks are pairs of games, its records are games.
//!
//! The executor plays a [`MatchPlay`], and reports on its [`MatchStudy`]. A game is in the journal before it is
//! counted; a complete pair is on disk before the next message is read. When a bound is crossed the
//! schedule closes and pairs under way are finished. On a stop request games under way are
//! abandoned, and played again when the run is resumed.

pub(crate) mod command;
mod conditions;
pub(crate) mod config;
mod counts_command;
mod disturbance;
mod equipment;
mod exports;
pub(crate) mod identity;
mod lead;
pub(crate) mod merge;
mod openings_report;
mod outputs;
pub(crate) mod plan_command;
mod play;
mod pv_report;
mod repeats;
mod report;
mod roster;
pub(crate) mod self_play;
pub mod setup;
pub(crate) mod stage;
mod standings;
mod study;
mod summary;
mod view;
mod worker;

use std::fmt;

use thiserror::Error;

#[cfg(test)]
pub(crate) use config::OutputFile;
pub use config::{Affinity, Execution, MatchConfig, PgnField};
pub use config::{ExecutionArgs, LoadedMatch, RunKind};
pub use disturbance::DisturbanceStats;
pub(crate) use equipment::{Equipment, Prepared};
pub use outputs::Outputs;
pub(crate) use play::MatchPlay;
pub(crate) use report::{MatchHistory, match_report};
pub(crate) use standings::{KNOWN, Standing, Standings};
pub(crate) use study::MatchStudy;
pub(crate) use summary::{EngineSummary, MatchSummary, PairingSummary, Summarizer};

use crate::base::cancel::Cancel;
use crate::base::wording::plural;
use crate::config::EngineOption;
use crate::play::pv_error::PvError;
use crate::play::record::GameRecord;
use crate::play::referee::OpeningError;
use crate::pool::EngineError;

/// Why a match could not be started or finished. Everything played so far is saved.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    /// An opening cannot be set up.
    #[error("opening: {0}")]
    Opening(#[from] OpeningError),
    /// An opening leaves nothing to play.
    #[error("opening {label}: the game is over in `{fen}`")]
    OpeningOver { fen: String, label: String },
    /// An engine could not be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine lost `hangs` of its `games` by a hang at its first move.
    #[error(
        "engine {name} hung at its first move in {hangs} of {games} games, at `go` with {limits}; the dialogues are in faults/ of the \
         run folder. Remove the cause and resume the run"
    )]
    HangsAtOnce { name: String, hangs: u64, games: u64, limits: String },
    /// An engine lost `faults` games by crashes, hangs or illegal moves, and `max_faults` is `most`.
    #[error(
        "engine {name} has failed in {faults} {} by crashes, hangs or illegal moves, and max_faults is {most}; the dialogues are in \
         faults/ of the run folder. Remove the cause and resume the run, or also raise the limit: --set max_faults=N",
        plural(*faults as usize, "game")
    )]
    Faulty { name: String, faults: u64, most: u64 },
    /// An engine reported a wrong PV, and `strict_pv` is set. Games count from 1; `position` and `line` are lines of UCI.
    #[error(
        "game {game}: {name}: {error}, and strict_pv is set\n  {position}\n  {line}\n  bestmove {best_move}"
    )]
    WrongPv { name: String, game: u64, error: PvError, position: String, line: String, best_move: String },
    /// The test's bounds make no sense.
    #[error(transparent)]
    Sprt(#[from] stretto_stats::bounds::SprtError),
}

/// Chooses the options of a pair's engines where they differ from pair to pair, and counts the
/// games.
pub(crate) trait OptionSource: fmt::Debug + Send + Sync {
    /// Returns the options of the pair's first and second engine. Waits while games under way
    /// decide them; `None` if the run is stopped meanwhile.
    fn pair_options(&self, pair: u64, cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]>;

    /// Counts a game of the journal, of an earlier session or of this one.
    fn count(&self, game: &GameRecord);

    /// Returns a line on the result of the games so far.
    fn line(&self) -> String;
}
