//! The error of static evaluations against deep scores of two engines.
//!
//! Self-play cannot show an error that both sides share; here another engine has half of the say. `positions` reads the test
//! set and divides it into groups, `errors` computes the figures, `estimate` gives them intervals, and `command` prints them.
//! `scripts/eval-set.py` makes the test set. The caller is `cli`.

pub(crate) mod command;

mod errors;
mod estimate;
mod positions;
