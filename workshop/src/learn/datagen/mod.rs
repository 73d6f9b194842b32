//! Generates training games: fast self-play games of the engine in this process, with few nodes per
//! move.
//!
//! A game depends only on its number. The file of games is therefore the same for any number of
//! threads and interruptions. [`DatagenPlay`] makes the games: its tasks are
//! batches of games, which are saved in their order. The line of the
//! journal vouches for the bytes of its batch. The caller is the command line.

pub(crate) mod command;
pub(crate) mod config;
pub(crate) mod files;
mod nodes;
mod openings;
mod play;
mod record;
mod report;
mod rescore;
mod run;
mod study;
mod view;

pub use config::DatagenConfig;
pub(crate) use config::{DataAdjudication, DataEvaluation};
pub(crate) use record::{BatchRecord, DatagenTotals};
pub(crate) use report::datagen_report;
pub(crate) use rescore::rescore;
pub(crate) use run::DatagenPlay;
pub(crate) use study::DatagenStudy;
