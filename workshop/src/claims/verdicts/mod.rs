//! The verdicts: a pure function for each measured claim, from the measured data to the verdict.
//!
//! The experiments measure; only this module decides. The table in the tests has, for each of them,
//! data for its verdict and data that reverse it. Claims about averages are decided by confidence
//! limits, corrected for the number of tries where the claim may choose among them. N2, N22, N26 and
//! B8 are decided by point estimates with the tolerances of [`limits`](super::limits), and so are the
//! size of the factor of N7 and the shares of N36. A claim that the data cannot settle is
//! [`Verdict::Undecided`]. [`Verdict::Depends`] needs a measured condition under which the claim holds. A claim that
//! follows without a measurement is [`Verdict::Arithmetic`] and has no function here.

mod books;
mod search;
mod tables;
#[cfg(test)]
mod tests;

pub(super) use books::*;
pub(super) use search::*;
pub(super) use tables::*;

use super::claim::Verdict;
use super::claim::Verdict::{Confirmed, Depends, Refuted, Undecided};
use stretto_stats::proportion::wilson;

/// A ratio with its confidence limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Ratio {
    /// A ratio of 1 with an interval of no width.
    pub(super) const ONE: Self = Self { mean: 1.0, low: 1.0, high: 1.0 };

    /// Returns a share of a count, with Wilson's interval; `None` of nothing.
    pub(super) fn of_counts(some: u64, all: u64) -> Option<Self> {
        let (low, high) = wilson(some, all)?;
        Some(Self { mean: some as f64 / all as f64, low: low.0, high: high.0 })
    }
}

/// Returns the verdict of a claim in two parts.
const fn both(one: bool, other: bool) -> Verdict {
    match (one, other) {
        (true, true) => Confirmed,
        (false, false) => Refuted,
        _ => Depends,
    }
}

fn near(found: f64, claimed: f64, tolerance: f64) -> bool {
    (found - claimed).abs() <= tolerance
}

/// Returns the verdict of a claim without exceptions, from the violations among cases.
pub(super) fn no_exception(exceptions: u64, cases: u64) -> Verdict {
    match (exceptions, cases) {
        (_, 0) => Undecided,
        (0, _) => Confirmed,
        _ => Refuted,
    }
}

/// Returns the verdict of a claim that holds for two quantities, such as nodes and time: theirs if
/// they agree.
pub(super) fn agreeing(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (one, other) if one == other => one,
        (Undecided, _) | (_, Undecided) => Undecided,
        _ => Depends,
    }
}
