//! Median-unbiased Elo after a sequential test has stopped.
//!
//! A test stops when its data look extreme, so the plain estimate is biased. Here the LLR's path is
//! modelled as Brownian motion between the bounds, and outcomes are ordered by bound and stopping
//! time. The estimate is the Elo at which half of all outcomes would have been worse; the
//! confidence limits follow from the same ordering.
//!
//! Source: Siegmund, "Sequential Analysis" (1985), sections 3.5 and 4.5; fishtest `sprt.py`. As
//! there, the method is accurate for small differences and only indicative for large ones.

use std::fmt;

use serde::Serialize;

use super::bounds::Sprt;
use super::counts::Tally;
use super::interval::EloInterval;
use super::llr::Model;
use super::numeric::bisect_decreasing;
use super::wald::llr_motion;
use crate::base::units::{Elo, NELO_PER_T, Share};

/// Elo limit of the search. The data do not bound Elo on a side on which the confidence limit is beyond it.
pub const SEARCH_LIMIT: Elo = Elo(1500.0);

/// Median-unbiased estimates from a stopped or running test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MedianUnbiased {
    /// Median-unbiased logistic Elo, independent of the model of the test. Range: within
    /// [`SEARCH_LIMIT`].
    pub elo: Elo,
    /// Lower confidence limit; `None` if the data do not bound Elo below.
    pub low: Option<Elo>,
    /// Upper confidence limit; `None` if the data do not bound Elo above.
    pub high: Option<Elo>,
    /// Probability of a worse outcome if both engines were equal.
    pub los: Share,
}

impl MedianUnbiased {
    /// Returns the confidence interval.
    pub fn interval(&self) -> EloInterval {
        EloInterval { low: self.low, high: self.high }
    }
}

impl fmt::Display for MedianUnbiased {
    /// Formats `1.4 (95 %: 0.1 to 2.7)` or `-629.8 (95 %: below -326.6)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (95 %: {})", self.elo, self.interval())
    }
}

/// Returns the estimate and its interval at the given confidence (0.95 for 95 %); `None` if all
/// results are alike, because the data then have no variance to model the path with.
///
/// For a running test, the outcome is its current LLR at its current length.
pub fn median_unbiased(tally: &impl Tally, sprt: &Sprt, confidence: Share) -> Option<MedianUnbiased> {
    let outcome = Outcome::of(tally, sprt)?;
    let tail = 0.5 * (1.0 - confidence.0.clamp(0.0, 1.0));
    let excess = |elo: f64, probability: f64| outcome.worse_if(Elo(elo)).0 - probability;
    let elo_where_worse_is = |probability: f64| {
        Elo(bisect_decreasing(-SEARCH_LIMIT.0, SEARCH_LIMIT.0, |elo| excess(elo, probability)))
    };
    // At a limit that lies within the search, the excess changes its sign.
    let is_bounded_below = excess(-SEARCH_LIMIT.0, 1.0 - tail) > 0.0;
    let is_bounded_above = excess(SEARCH_LIMIT.0, tail) < 0.0;
    Some(MedianUnbiased {
        elo: elo_where_worse_is(0.5),
        low: is_bounded_below.then(|| elo_where_worse_is(1.0 - tail)),
        high: is_bounded_above.then(|| elo_where_worse_is(tail)),
        los: outcome.worse_if(Elo(0.0)),
    })
}

/// The end of the LLR's path and the parameters of its motion.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    low_score: f64,
    high_score: f64,
    /// Variance of an item's score.
    variance: f64,
    lower: f64,
    upper: f64,
    items: f64,
    llr: f64,
}

impl Outcome {
    fn of(tally: &impl Tally, sprt: &Sprt) -> Option<Self> {
        if tally.sample().items() <= 0.0 || tally.sample().moments().variance <= 0.0 {
            return None;
        }
        let sample = tally.sample().regularized();
        let moments = sample.moments();
        let game_deviation = (moments.variance * sample.games_per_item()).sqrt();
        let [low_score, high_score] = [sprt.elo0(), sprt.elo1()].map(|elo| match sprt.model() {
            Model::Normalized => 0.5 + elo / NELO_PER_T * game_deviation,
            Model::Logistic => Elo(elo).to_score().0,
        });
        let (lower, upper) = (sprt.bounds().lower.0, sprt.bounds().upper.0);
        let slope = llr_motion(low_score, high_score, moments.mean, moments.variance).drift;
        let llr = (slope * sample.items()).clamp(lower, upper);
        // A path beyond a bound is cut back along its mean slope to the moment it would have
        // crossed.
        let beyond = slope * sample.items() < lower || slope * sample.items() > upper;
        let items = if beyond { llr / slope } else { sample.items() };
        Some(Self { low_score, high_score, variance: moments.variance, lower, upper, items, llr })
    }

    /// Returns the probability of a worse outcome if the first engine's true strength were `elo`.
    fn worse_if(&self, elo: Elo) -> Share {
        let motion = llr_motion(self.low_score, self.high_score, elo.to_score().0, self.variance);
        motion.worse_outcome(self.items, self.llr, self.lower, self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::stats::bounds::Verdict;
    use crate::stats::counts::Pentanomial;
    use crate::stats::elo::elo;
    use crate::stats::overshoot::OvershootTracker;

    fn estimate(counts: [u64; 5], elo0: f64, elo1: f64) -> MedianUnbiased {
        let sprt = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap();
        median_unbiased(&Pentanomial(counts), &sprt, Share(0.95)).unwrap()
    }

    #[test]
    fn passed_test_is_corrected_down_and_failed_test_up() {
        let passed = Pentanomial([100, 900, 2000, 1100, 130]);
        let naive = elo(&passed).unwrap().value;
        assert!(estimate(passed.0, 0.0, 10.0).elo < naive);
        let failed = passed.reversed();
        assert!(estimate(failed.0, -10.0, 0.0).elo.0 > -naive.0);
    }

    #[test]
    fn interval_contains_the_estimate() {
        for counts in
            [[12, 60, 100, 80, 25], [0, 0, 0, 1, 3], [0, 1, 1, 0, 0], [1, 1, 0, 0, 0], [5, 0, 0, 0, 5]]
        {
            let found = estimate(counts, 0.0, 5.0);
            assert!(found.low.is_none_or(|low| low <= found.elo), "{counts:?}: {found:?}");
            assert!(found.high.is_none_or(|high| found.elo <= high), "{counts:?}: {found:?}");
            assert!((0.0..=1.0).contains(&found.los.0), "{counts:?}: {found:?}");
        }
    }

    #[test]
    fn limit_beyond_the_search_is_absent() {
        let lost = estimate([14, 1, 0, 0, 0], 0.0, 5.0);
        assert_eq!(lost.low, None, "{lost:?}");
        assert!(lost.high.is_some() && lost.to_string().contains(" (95 %: below -"), "{lost}");
        let won = estimate([0, 0, 0, 1, 14], -5.0, 0.0);
        assert!(won.low.is_some() && won.high.is_none(), "{won:?}");
        assert!(won.to_string().contains(" (95 %: above "), "{won}");
    }

    #[test]
    fn results_that_are_all_alike_have_no_estimate() {
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).unwrap();
        for counts in [[0, 0, 0, 0, 0], [0, 0, 0, 0, 14], [0, 0, 50, 0, 0], [5, 0, 0, 0, 0]] {
            assert_eq!(median_unbiased(&Pentanomial(counts), &sprt, Share(0.95)), None, "{counts:?}");
        }
    }

    #[test]
    fn reversed_match_has_mirrored_estimates() {
        let mine = estimate([12, 60, 100, 80, 25], -2.0, 6.0);
        let yours = estimate([25, 80, 100, 60, 12], -6.0, 2.0);
        assert!((mine.elo.0 + yours.elo.0).abs() < 1e-9);
        assert!((mine.low.unwrap().0 + yours.high.unwrap().0).abs() < 1e-9);
        assert!((mine.los.0 + yours.los.0 - 1.0).abs() < 1e-9);
    }

    /// Simulates tests at `truth` with independent pairs; returns the shares of tests whose estimate
    /// is above the truth and whose interval contains it.
    fn coverage(random: &mut SplitMix64, shares: [u64; 5], tests: u32) -> (f64, f64) {
        let truth = elo(&Pentanomial(shares.map(|share| 1_000_000 * share))).unwrap().value;
        let sprt = Sprt::new(Model::Normalized, 0.0, 40.0, 0.05, 0.05).unwrap();
        let total: u64 = shares.iter().sum();
        let (mut above, mut inside) = (0, 0);
        for _ in 0..tests {
            let (mut pairs, mut overshoot) = (Pentanomial::default(), OvershootTracker::new(1));
            loop {
                let mut left = random.below(total);
                let result = shares.iter().position(|&share| {
                    let is_here = left < share;
                    left = left.saturating_sub(share);
                    is_here
                });
                pairs.0[result.unwrap()] += 1;
                if overshoot.judge(pairs.pairs(), sprt.llr(&pairs), &sprt.bounds()) != Verdict::Continue {
                    break;
                }
            }
            let found = median_unbiased(&pairs, &sprt, Share(0.95)).unwrap();
            above += u32::from(found.elo > truth);
            inside += u32::from(
                found.low.is_none_or(|low| low <= truth) && found.high.is_none_or(|high| truth <= high),
            );
        }
        (f64::from(above) / f64::from(tests), f64::from(inside) / f64::from(tests))
    }

    #[test]
    fn interval_covers_the_truth_away_from_h0() {
        // At H0, half-way, at about H1 and beyond it.
        let mut random = SplitMix64::new(20);
        for shares in [[10, 40, 100, 40, 10], [9, 37, 100, 43, 11], [8, 34, 98, 47, 13], [6, 28, 90, 56, 20]]
        {
            let (above, inside) = coverage(&mut random, shares, 300);
            // Three standard errors of 300 tests: 0.087 at a half, 0.038 at 95 %.
            assert!((above - 0.5).abs() < 0.087, "{shares:?}: {above} of the estimates are above the truth");
            assert!((inside - 0.95).abs() < 0.038, "{shares:?}: {inside} of the intervals cover");
        }
    }

    #[test]
    fn no_data_gives_no_estimate() {
        let sprt = Sprt::new(Model::Logistic, 0.0, 5.0, 0.05, 0.05).unwrap();
        assert_eq!(median_unbiased(&Pentanomial::default(), &sprt, Share(0.95)), None);
    }
}
