//! The harness: matches, statistics and benchmarks for any UCI engines.
//!
//! The layers, each importing only from its left: `base → stats → report → config → uci → run →
//! endgames → play → measure → tune → learn → books → claims → cli`.
//!
//! A test travels like this: [`cli`] parses the arguments and [`play::matches`] loads the
//! configuration. The executor of [`run`] hands out pairs of games by [`play::schedule`] to its
//! workers. Each worker plays them through [`uci`] under [`play::referee`]. Every finished game
//! goes to the journal, and [`play::verdict`] evaluates the statistics after each pair.

pub mod base;
pub mod books;
pub mod claims;
pub mod cli;
pub mod config;
pub mod endgames;
pub mod learn;
pub mod measure;
pub mod play;
pub mod report;
pub mod run;
pub mod stats;
pub mod tune;
pub mod uci;
