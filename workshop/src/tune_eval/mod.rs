//! Fit of the classical evaluation's weights to games.
//!
//! This is Texel tuning (Österlund, 2014): the evaluation of a quiet position, through a logistic
//! curve, should predict the result of its game. For speed it uses the trace of the engine's
//! evaluation terms: a position is a short list of counts, and the evaluation is a formula with a
//! known gradient (`model`). `games` reads PGN, `select` selects positions, `scale` fits the curve,
//! `fit` the weights, `outcome` the scale of the recorded scores, and `source` formats the
//! weights as engine source. `wdl` fits the engine's model of win, draw and loss. The caller is `cli`.
//!
//! This is no experiment of the executor: a fit is one computation without tasks or journal. An
//! interrupted fit keeps the best weights so far; `--resume` starts it again from the beginning. Another
//! interruption replaces them only by better ones.

pub(crate) mod command;
pub(crate) mod config;

mod fit;
mod games;
mod model;
mod outcome;
mod report;
mod scale;
mod select;
mod source;
mod stored;
mod tuner;
mod wdl;

pub(crate) use config::Training;
pub use config::TuneEvalConfig;
pub use games::read_games;
pub(crate) use model::sigmoid;
pub(crate) use report::tune_eval_report;
pub(crate) use scale::{is_inside, of_values as scale_of};
pub(crate) use source::render;
pub(crate) use stored::report_stored;
pub(crate) use tuner::{POINT_OF_VIEW, TuneEvalEvent, TuneEvalSummary, Tuned, tune_eval};
pub(crate) use wdl::{GamesFile, WdlFit, WdlRow, fit_wdl};
