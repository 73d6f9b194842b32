//! Creation of opening sets: random legal plies, filtered by an engine's evaluation.
//!
//! Candidate `i` depends only on the seed and on `i`, each search starts from `ucinewgame`, and
//! candidates are accepted in order. So with a single-threaded engine the same configuration gives
//! the same file for any concurrency.
//!
//! This is no experiment of the executor: it has no run folder and no journal, and cannot be
//! resumed. It writes one file when it is done; an unfinished set is not written.

mod candidate;
pub(crate) mod command;
pub(crate) mod config;
mod maker;

pub use config::OpeningSetConfig;
use maker::{MadeOpenings, make_openings, trial};
