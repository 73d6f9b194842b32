//! The verdicts: a pure function for each measured claim, from the measured data to the verdict.
//!
//! The experiments measure; only this module decides. The table in the tests has, for each of them,
//! data for its verdict and data that reverse it. Claims about averages are decided by confidence
//! limits, corrected for the number of tries where the claim may choose among them. Point estimates with the
//! tolerances of [`limits`](super::limits) decide N22, N26, T17, T26, B4 and B8, the size of the factor of N7 and
//! the shares of N36. A claim that the data cannot settle is
//! [`Verdict::Undecided`](super::claim::Verdict::Undecided). [`Verdict::Depends`](super::claim::Verdict::Depends) needs a measured condition under which the claim holds. A claim that
//! follows without a measurement is [`Verdict::Arithmetic`](super::claim::Verdict::Arithmetic) and has no function here.

mod books;
mod common;
mod search;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use books::*;
pub(super) use common::{Ratio, agreeing, no_exception};
pub(super) use search::*;
pub(super) use tables::*;

use common::{all_of, any_of, both, divided, near, sides};
