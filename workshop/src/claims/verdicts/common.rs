//! Ratios with intervals, and the verdicts that claims of several subjects share.

use super::super::claim::Verdict::{self, Confirmed, Depends, Refuted, Undecided};
use super::super::claim::{mean, mean_and_half};
use stretto_stats::proportion::wilson;

/// A ratio with its confidence limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::claims) struct Ratio {
    pub(in crate::claims) mean: f64,
    pub(in crate::claims) low: f64,
    pub(in crate::claims) high: f64,
}

impl Ratio {
    /// A ratio of 1 with an interval of no width.
    pub(in crate::claims) const ONE: Self = Self { mean: 1.0, low: 1.0, high: 1.0 };

    /// Returns a share of a count, with Wilson's interval; `None` of nothing.
    pub(in crate::claims) fn of_counts(some: u64, all: u64) -> Option<Self> {
        let (low, high) = wilson(some, all)?;
        Some(Self { mean: some as f64 / all as f64, low: low.0, high: high.0 })
    }

    /// Returns the ratio of two sums over games. The values of one game depend on each other, so the interval is that
    /// of a ratio of sums.
    pub(in crate::claims) fn of_sums(sums: &[(f64, f64)]) -> Self {
        let length = mean(sums.iter().map(|sum| sum.1));
        let ratio = mean(sums.iter().map(|sum| sum.0)) / length;
        let residuals: Vec<f64> = sums.iter().map(|&(part, all)| part - ratio * all).collect();
        let half = mean_and_half(&residuals).1 / length;
        Self { mean: ratio, low: ratio - half, high: ratio + half }
    }

    /// Formats a share with its interval, such as `83.8 % (79.1 to 87.6)`.
    pub(in crate::claims) fn percent(self) -> String {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|share| 100.0 * share);
        format!("{mean:.1} % ({low:.1} to {high:.1})")
    }
}

impl From<Ratio> for [f64; 2] {
    fn from(ratio: Ratio) -> Self {
        [ratio.low, ratio.high]
    }
}

/// Returns how many intervals lie below and how many above a limit.
pub(super) fn sides(intervals: &[impl Copy + Into<[f64; 2]>], limit: f64) -> (usize, usize) {
    let limits = || intervals.iter().map(|&interval| Into::<[f64; 2]>::into(interval));
    (limits().filter(|[_, high]| *high < limit).count(), limits().filter(|[low, _]| *low > limit).count())
}

/// Returns the verdict of a claim that some case satisfies and none violates.
pub(super) const fn any_of(satisfy: usize, violate: usize) -> Verdict {
    match (satisfy, violate) {
        (0, 0) => Undecided,
        (0, _) => Refuted,
        (_, 0) => Confirmed,
        _ => Depends,
    }
}

/// Returns the verdict of a claim on all cases, which depends on the case if only some satisfy or violate it.
pub(super) const fn all_of(satisfy: usize, violate: usize, cases: usize) -> Verdict {
    match (satisfy, violate) {
        (0, 0) => Undecided,
        (all, _) if all == cases => Confirmed,
        (_, all) if all == cases => Refuted,
        _ => Depends,
    }
}

/// Returns the verdict of a claim on all cases, which depends on the case only if some satisfy and some violate it.
pub(super) const fn divided(satisfy: usize, violate: usize, cases: usize) -> Verdict {
    match (satisfy, violate) {
        (0, _) | (_, 0) if satisfy < cases && violate < cases => Undecided,
        _ => all_of(satisfy, violate, cases),
    }
}

/// Returns the verdict of a claim in two parts.
pub(super) const fn both(one: bool, other: bool) -> Verdict {
    match (one, other) {
        (true, true) => Confirmed,
        (false, false) => Refuted,
        _ => Depends,
    }
}

pub(super) fn near(found: f64, claimed: f64, tolerance: f64) -> bool {
    (found - claimed).abs() <= tolerance
}

/// Returns the verdict of a claim without exceptions, from the violations among cases.
pub(in crate::claims) fn no_exception(exceptions: u64, cases: u64) -> Verdict {
    match (exceptions, cases) {
        (_, 0) => Undecided,
        (0, _) => Confirmed,
        _ => Refuted,
    }
}

/// Returns the verdict of a claim that holds for two quantities, such as nodes and time: theirs if
/// they agree.
pub(in crate::claims) fn agreeing(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (one, other) if one == other => one,
        (Undecided, _) | (_, Undecided) => Undecided,
        _ => Depends,
    }
}
