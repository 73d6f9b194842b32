//! Plays a match or test: its tasks are pairs of games, its records are games.
//!
//! The executor plays a [`MatchPlay`], and reports on its [`MatchStudy`]. A game is in the journal before it is
//! counted; a complete pair is on disk before the next message is read. When a bound is crossed the
//! schedule closes and pairs under way are finished. On a stop request games under way are
//! abandoned, and played again when the run is resumed.

mod audits;
mod blocks;
pub(crate) mod command;
mod conditions;
pub(crate) mod config;
mod counts_command;
mod disturbance;
mod equipment;
mod expect;
mod game_list;
pub(crate) mod merge;
mod openings_report;
mod outputs;
mod plan;
mod play;
mod repeats;
mod report;
pub mod setup;
pub(crate) mod stages;
mod standings;
mod study;
mod summary;
mod view;
mod worker;
mod wrong_pvs;

pub use config::{Affinity, Execution, ExecutionArgs, LoadedMatch, MatchConfig, PgnField, RunKind};
pub use disturbance::DisturbanceStats;
pub(crate) use equipment::{Equipment, GAMES, Prepared, SelfPlay, prepare};
pub use outputs::Outputs;
pub(crate) use play::{MatchPlay, match_stage};
pub(crate) use repeats::RepeatedPairs;
pub(crate) use report::{MatchHistory, match_report};
pub(crate) use standings::{Standing, Standings};
pub(crate) use study::{MatchStudy, OptionSource};
pub(crate) use summary::{EngineSummary, MatchSummary, PairingSummary, Summarizer};
