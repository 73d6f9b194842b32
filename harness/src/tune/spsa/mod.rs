//! SPSA tuning of engine options: provides the options of each pair of games and processes the
//! results.
//!
//! A tuning run is a match of an engine against itself with options that differ from pair to pair.
//! The runner plays and stores the games; this module provides the options (`OptionSource`) and
//! updates the parameters (`gradient`). All state is computed from the games, so an interrupted run
//! resumes exactly.

pub(crate) mod gradient;
mod lines;
mod quick_tuning;
mod report;
pub(crate) mod run;
mod tuning;

pub(crate) use gradient::Spsa;
pub(crate) use report::tune_report;
pub(crate) use tuning::{Tuning, UNTESTED, parameters};
