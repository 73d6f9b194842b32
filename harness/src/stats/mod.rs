//! What a match says: pure functions from counts of results to estimates, ratios and verdicts.
//!
//! Nothing here knows of games, engines, files or clocks; callers are the match runner (after each pair) and the
//! reports (from the journal). No function returns NaN or an infinity for any counts: where a quantity does not
//! exist the return type is an `Option`, and each docstring says what is done with one-sided or empty data.
//!
//! The formulas are those of Michel Van den Bergh's papers and of fishtest, rewritten; each item names its source.

pub mod bounds;
pub mod brownian;
pub mod counts;
pub mod effects;
pub mod elo;
pub mod factor;
pub mod holm;
pub mod llr;
pub mod numeric;
pub mod overshoot;
pub mod proportion;
pub mod ratings;
pub mod summary;
pub mod symmetric;
pub mod unbiased;
pub mod wald;
