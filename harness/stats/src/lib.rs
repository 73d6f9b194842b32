//! Match statistics for engine tests: pure functions from result counts to estimates, likelihood ratios and
//! verdicts.
//!
//! This layer knows no games, engines, files or clocks. Its callers are the match runner (after
//! each pair) and the reports (from the journal). No function returns NaN or infinity for any
//! counts: a quantity that may not exist is an `Option`, and each docstring describes one-sided and
//! empty data.
//!
//! The formulas follow Michel Van den Bergh's papers and fishtest; each item names its source.

pub mod bounds;
pub mod brownian;
pub mod counts;
pub mod effects;
pub mod elo;
pub mod factor;
pub mod holm;
pub mod interval;
pub mod llr;
mod logistic;
pub mod mean;
pub mod numeric;
pub mod overshoot;
pub mod proportion;
pub mod ratings;
pub mod summary;
pub mod symmetric;
pub mod unbiased;
pub mod units;
pub mod wald;
