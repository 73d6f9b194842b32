//! Median-unbiased Elo after a sequential test has stopped.
//!
//! A test stops when its data look extreme, so the plain estimate is biased. Here the LLR's path is
//! modelled as Brownian motion between the bounds, and outcomes are ordered by bound and stopping
//! time. The estimate is the Elo at which half of all outcomes would have been worse; the
//! confidence limits follow from the same ordering.
//!
//! Source: Siegmund, "Sequential Analysis" (1985), sections 3.5 and 4.5; fishtest `sprt.py`. As
//! there, the method is accurate for small differences and only indicative for large ones.

use std::error::Error;
use std::fmt;

use super::bounds::{Sprt, Verdict};
use super::counts::{Sample, Tally};
use super::interval::{EloInterval, student_limits};
use super::llr::Model;
use super::numeric::bisect_decreasing;
use super::wald::llr_motion;
use crate::units::{Elo, NELO_PER_T, Share};

/// Elo limit of the search. The data do not bound Elo on a side on which the confidence limit is beyond it.
pub const SEARCH_LIMIT: Elo = Elo(1500.0);

/// Median-unbiased estimates from a stopped or running test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MedianUnbiased {
    /// Median-unbiased logistic Elo, independent of the model of the test. Range: within
    /// [`SEARCH_LIMIT`].
    pub elo: Elo,
    /// Lower confidence limit; `None` if the data do not bound Elo below, or do not determine the variance.
    pub low: Option<Elo>,
    /// Upper confidence limit; `None` if the data do not bound Elo above, or do not determine the variance.
    pub high: Option<Elo>,
    /// Probability of a worse outcome if both engines were equal; `None` if the data do not determine the variance.
    pub los: Option<Share>,
}

impl MedianUnbiased {
    /// Returns the confidence interval.
    pub fn interval(&self) -> EloInterval {
        EloInterval { low: self.low, high: self.high }
    }
}

impl fmt::Display for MedianUnbiased {
    /// Formats `1.4 (95 %: 0.1 to 2.7)`, `-629.8 (95 %: below -326.6)` or `527.0 (95 %: n/a)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (95 %: {})", self.elo, self.interval())
    }
}

/// The reason why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEstimate {
    /// The data have no variance to model the path with.
    NoSpread,
    /// The path was observed long after it had crossed a bound.
    NoStop,
}

impl fmt::Display for NoEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSpread => "does not apply: all results are alike",
            Self::NoStop => {
                "does not apply: the LLR is far beyond a bound, so no test stopped at these counts"
            }
        })
    }
}

impl Error for NoEstimate {}

/// Largest distance beyond a bound at which a test may have stopped with any last result, as a share of
/// the bound. It leaves room for games that were under way when the bound was crossed.
const LATE_RESULTS: f64 = 0.05;

/// Probability of an error on each side of the interval.
const TAIL: f64 = 0.025;

/// Returns the estimate and its 95 % interval.
///
/// For a running test, the outcome is its current LLR at its current length.
///
/// The model takes the variance of the pairs as known. Where the score has no interval of
/// [`elo`](super::elo::elo), the pairs are too few or too lopsided for that: there is an estimate without interval and
/// likelihood of superiority.
///
/// Errors: all results are alike, or no test can have stopped there.
///
/// ```
/// use stretto_stats::bounds::Sprt;
/// use stretto_stats::counts::Pentanomial;
/// use stretto_stats::elo::elo;
/// use stretto_stats::llr::Model;
/// use stretto_stats::unbiased::median_unbiased;
///
/// let test = Sprt::new(Model::Normalized, 0.0, 10.0, 0.05, 0.05)?;
/// let passed = Pentanomial([33, 295, 656, 361, 43]);
/// let corrected = median_unbiased(&passed, &test)?;
/// // A test that passed did so by luck in part: the plain estimate of 10.8 Elo is too high.
/// assert!(corrected.elo < elo(&passed).expect("a score between 0 and 1").value);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn median_unbiased(tally: &impl Tally, sprt: &Sprt) -> Result<MedianUnbiased, NoEstimate> {
    let outcome = Outcome::of(tally, sprt).ok_or(NoEstimate::NoSpread)?;
    if !may_stop_at(tally, sprt) {
        return Err(NoEstimate::NoStop);
    }
    let excess = |elo: f64, probability: f64| outcome.worse_if(Elo(elo)).0 - probability;
    let elo_where_worse_is = |probability: f64| {
        Elo(bisect_decreasing(-SEARCH_LIMIT.0, SEARCH_LIMIT.0, |elo| excess(elo, probability)))
    };
    let is_variance_known = student_limits(&tally.sample()).is_some();
    // At a limit that lies within the search, the excess changes its sign.
    let is_bounded_below = is_variance_known && excess(-SEARCH_LIMIT.0, 1.0 - TAIL) > 0.0;
    let is_bounded_above = is_variance_known && excess(SEARCH_LIMIT.0, TAIL) < 0.0;
    Ok(MedianUnbiased {
        elo: elo_where_worse_is(0.5),
        low: is_bounded_below.then(|| elo_where_worse_is(1.0 - TAIL)),
        high: is_bounded_above.then(|| elo_where_worse_is(TAIL)),
        los: is_variance_known.then(|| outcome.worse_if(Elo(0.0))),
    })
}

/// Returns whether a test that is evaluated after each item runs on, or may have stopped, at this tally: one
/// of the results was the last, and the LLR without it is between the bounds.
fn may_stop_at(tally: &impl Tally, sprt: &Sprt) -> bool {
    let (bounds, llr) = (sprt.bounds(), sprt.llr(tally).0);
    let beyond = (llr - bounds.upper.0).max(bounds.lower.0 - llr);
    let bound = if llr > 0.0 { bounds.upper.0 } else { -bounds.lower.0 };
    let is_between = |tally: &Sample| bounds.verdict(sprt.llr(tally)) == Verdict::Continue;
    beyond <= LATE_RESULTS * bound || tally.sample().without_one().any(|before| is_between(&before))
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
    use crate::bounds::Verdict;
    use crate::counts::Pentanomial;
    use crate::elo::elo;
    use crate::overshoot::OvershootTracker;
    use stretto::types::SplitMix64;

    fn estimate(counts: [u64; 5], elo0: f64, elo1: f64) -> MedianUnbiased {
        let sprt = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap();
        median_unbiased(&Pentanomial(counts), &sprt).unwrap()
    }

    #[test]
    fn passed_test_is_corrected_down_and_failed_test_up() {
        let passed = Pentanomial([33, 295, 656, 361, 43]);
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
            assert!(found.los.is_none_or(|los| (0.0..=1.0).contains(&los.0)), "{counts:?}: {found:?}");
        }
    }

    #[test]
    fn short_or_lopsided_tests_have_no_interval() {
        // At an Elo of 285, six of six pairs are won with probability 0.34 if all others are lost.
        for counts in [[0, 0, 0, 1, 5], [0, 0, 1, 2, 1], [0, 0, 2, 1, 9], [5, 1, 0, 0, 0]] {
            let found = estimate(counts, 0.0, 60.0);
            assert_eq!((found.low, found.high, found.los), (None, None, None), "{counts:?}");
            assert!(found.to_string().ends_with(" (95 %: n/a)"), "{found}");
        }
    }

    #[test]
    fn limit_beyond_the_search_is_absent() {
        let lost = estimate([6, 4, 0, 0, 0], -120.0, 0.0);
        assert_eq!(lost.low, None, "{lost:?}");
        assert!(lost.high.is_some() && lost.to_string().contains(" (95 %: below -"), "{lost}");
        let won = estimate([0, 0, 0, 4, 6], 0.0, 120.0);
        assert!(won.low.is_some() && won.high.is_none(), "{won:?}");
        assert!(won.to_string().contains(" (95 %: above "), "{won}");
    }

    #[test]
    fn counts_at_which_no_test_stops_have_no_estimate() {
        let found = |counts: [u64; 5], elo0: f64, elo1: f64| {
            let sprt = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap();
            let found = median_unbiased(&Pentanomial(counts), &sprt);
            (sprt.llr(&Pentanomial(counts)).0, found.err())
        };
        let (llr, error) = found([400, 8000, 20_000, 12_000, 800], 0.0, 2.0);
        assert!(llr > 40.0 && error == Some(NoEstimate::NoStop), "{llr} {error:?}");
        let (llr, error) = found([800, 12_000, 20_000, 8000, 400], 0.0, 2.0);
        assert!(llr < -40.0 && error == Some(NoEstimate::NoStop), "{llr} {error:?}");
        // A third beyond the bound, in steps of about 0.01.
        let (llr, error) = found([36, 720, 1800, 1080, 72], 0.0, 2.0);
        assert!((3.6..4.6).contains(&llr) && error == Some(NoEstimate::NoStop), "{llr} {error:?}");
        // The lower bound is at -1.6, and the upper one at 4.4 has no part in it.
        let uneven = Sprt::new(Model::Normalized, 0.0, 2.0, 0.01, 0.2).unwrap();
        let few = Pentanomial([2, 30, 50, 20, 1].map(|count| count * 14));
        assert!((-1.81..-1.7).contains(&uneven.llr(&few).0));
        assert_eq!(median_unbiased(&few, &uneven), Err(NoEstimate::NoStop));
        // Just beyond the bound: the published totals of a finished test.
        let (llr, error) = found([379, 10_170, 21_828, 10_640, 343], 0.0, 2.0);
        assert!((2.945..2.955).contains(&llr) && error.is_none(), "{llr} {error:?}");
    }

    #[test]
    fn test_that_stops_far_beyond_a_bound_by_its_last_pair_has_an_estimate() {
        let sprt = Sprt::new(Model::Normalized, 0.0, 200.0, 0.05, 0.05).unwrap();
        let (mut random, mut far) = (SplitMix64::new(8), 0);
        for _ in 0..200 {
            let pairs = stopped(&mut random, [10, 20, 100, 60, 40], &sprt);
            let found = median_unbiased(&pairs, &sprt);
            assert_ne!(found, Err(NoEstimate::NoStop), "{pairs}");
            let llr = sprt.llr(&pairs).0;
            far += u32::from(llr.abs() > (1.0 + LATE_RESULTS) * sprt.bounds().upper.0);
        }
        assert!(far > 10, "{far}");
    }

    #[test]
    fn path_beyond_a_bound_is_cut_back_in_time() {
        // The same frequencies, so the same path, seen just beyond the bound and 3 % later.
        for (elo0, elo1, shares) in [(0.0, 0.473, [1, 20, 50, 30, 2]), (-0.473, 0.0, [2, 30, 50, 20, 1])] {
            let sprt = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap();
            let seen = |factor: u64| {
                let counts = Pentanomial(shares.map(|count| count * factor));
                assert!(sprt.llr(&counts).0.abs() > sprt.bounds().upper.0, "{factor}");
                median_unbiased(&counts, &sprt).unwrap()
            };
            let (early, late) = (seen(100), seen(103));
            assert!((early.elo.0 - late.elo.0).abs() < 0.05, "{early} {late}");
        }
    }

    #[test]
    fn results_that_are_all_alike_have_no_estimate() {
        let sprt = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).unwrap();
        for counts in [[0, 0, 0, 0, 0], [0, 0, 0, 0, 14], [0, 0, 50, 0, 0], [5, 0, 0, 0, 0]] {
            let found = median_unbiased(&Pentanomial(counts), &sprt);
            assert_eq!(found, Err(NoEstimate::NoSpread), "{counts:?}");
        }
        assert_eq!(NoEstimate::NoSpread.to_string(), "does not apply: all results are alike");
    }

    #[test]
    fn reversed_match_has_mirrored_estimates() {
        let mine = estimate([12, 60, 100, 80, 25], -2.0, 6.0);
        let yours = estimate([25, 80, 100, 60, 12], -6.0, 2.0);
        assert!((mine.elo.0 + yours.elo.0).abs() < 1e-9);
        assert!((mine.low.unwrap().0 + yours.high.unwrap().0).abs() < 1e-9);
        assert!((mine.los.unwrap().0 + yours.los.unwrap().0 - 1.0).abs() < 1e-9);
    }

    /// Simulates a test with independent pairs, corrected for overshoot; returns its pairs.
    fn stopped(random: &mut SplitMix64, shares: [u64; 5], sprt: &Sprt) -> Pentanomial {
        let total: u64 = shares.iter().sum();
        let (mut pairs, mut overshoot) = (Pentanomial::default(), OvershootTracker::default());
        loop {
            let mut left = random.below(total);
            let result = shares.iter().position(|&share| {
                let is_here = left < share;
                left = left.saturating_sub(share);
                is_here
            });
            pairs.0[result.unwrap()] += 1;
            if overshoot.judge(sprt.llr(&pairs), &sprt.bounds()) != Verdict::Continue {
                return pairs;
            }
        }
    }

    /// Simulates tests at `truth` with independent pairs; returns the shares of tests whose estimate
    /// is above the truth and whose interval contains it.
    fn coverage(random: &mut SplitMix64, shares: [u64; 5], tests: u32) -> (f64, f64) {
        let truth = elo(&Pentanomial(shares.map(|share| 1_000_000 * share))).unwrap().value;
        let sprt = Sprt::new(Model::Normalized, 0.0, 40.0, 0.05, 0.05).unwrap();
        let (mut above, mut inside) = (0, 0);
        for _ in 0..tests {
            let pairs = stopped(random, shares, &sprt);
            let found = median_unbiased(&pairs, &sprt).unwrap();
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
        let found = median_unbiased(&Pentanomial::default(), &sprt);
        assert_eq!(found, Err(NoEstimate::NoSpread));
    }
}
