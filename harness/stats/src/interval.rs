//! Confidence intervals of Elo, also where Student's t has none.
//!
//! Student's interval of the mean score is `m ± q d`, with the quantile `q` of `N - 1` degrees of freedom. It does not
//! exist while all items have the same result, and Elo is unbounded if it reaches a score of 0 or 1. Then the bounds are those of Gaffke: one item of
//! the worst (or best) result is added to the sample, and the mean is taken with random weights that
//! are uniform on the simplex. They assume nothing about the distribution of the results except its
//! range, so `n` wins out of `n` have the lower bound `0.05^(1/n)` of Clopper and Pearson.
//!
//! Source: Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
//! nonnegative variable" (2005); Phan, Thomas and Learned-Miller, "Towards Practical Mean Bounds
//! for Small Samples" (2021).

use std::f64::consts::PI;
use std::fmt;

use super::counts::{Sample, Tally};
use super::mean::LEVEL;
use super::numeric::{bisect_decreasing, student_critical};
use crate::units::{Elo, Share};

/// Probability of an error on one side of an interval that is closed on that side only.
const ONE_SIDED: f64 = 0.05;
/// Steps of Simpson's rule. Even.
const STEPS: u32 = 400;

/// A 95 % confidence interval of Elo, open on at most one side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EloInterval {
    /// Lower limit; `None` if the results do not bound Elo below.
    pub low: Option<Elo>,
    /// Upper limit; `None` if the results do not bound Elo above.
    pub high: Option<Elo>,
}

impl EloInterval {
    /// Returns the interval of the first engine's Elo; `None` without data.
    ///
    /// It has one limit at a score of 0 or 1, and if Student's interval reaches only one of them.
    ///
    /// ```
    /// use stretto_stats::counts::Pentanomial;
    /// use stretto_stats::interval::EloInterval;
    ///
    /// let interval = |pairs| EloInterval::of(&Pentanomial(pairs)).expect("results").to_string();
    /// assert_eq!(interval([33, 295, 656, 361, 43]), "3.2 to 18.4");
    /// // Ten pairs won: a score above 0.05^(1/10) = 74.1 %.
    /// assert_eq!(interval([0, 0, 0, 0, 10]), "above 182.7");
    /// ```
    pub fn of(tally: &impl Tally) -> Option<Self> {
        let sample = tally.sample();
        if sample.items() <= 0.0 {
            return None;
        }
        if let Some((low, high)) = student_limits(&sample) {
            return Some(Self { low: elo(low), high: elo(high) });
        }
        let (low, high) = limits_at(&sample, critical(&sample));
        Some(match (low <= 0.0, high >= 1.0) {
            (false, true) => Self { low: elo(lower_bound(&sample, ONE_SIDED)), high: None },
            (true, false) => Self { low: None, high: elo(upper_bound(&sample, ONE_SIDED)) },
            _ => Self {
                low: elo(lower_bound(&sample, ONE_SIDED / 2.0)),
                high: elo(upper_bound(&sample, ONE_SIDED / 2.0)),
            },
        })
    }
}

impl EloInterval {
    /// Whether a limit is absent, or differs from `value ± half` by more than a tenth of `half`.
    pub(crate) fn is_skewed(&self, value: Elo, half: Elo) -> bool {
        let parts = [self.low.map(|low| value.0 - low.0), self.high.map(|high| high.0 - value.0)];
        parts.into_iter().any(|part| part.is_none_or(|part| (part - half.0).abs() > 0.1 * half.0))
    }
}

impl fmt::Display for EloInterval {
    /// Formats `above 182.7`, `below -182.7` or `-24.8 to 24.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (Some(low), Some(high)) => write!(f, "{low} to {high}"),
            (Some(low), None) => write!(f, "above {low}"),
            (None, Some(high)) => write!(f, "below {high}"),
            (None, None) => f.write_str("n/a"),
        }
    }
}

/// Returns the limits of Student's 95 % interval of the mean score. `None` where it is no interval of Elo:
/// without data or spread, and where it reaches a score of 0 or 1.
pub(super) fn student_limits(sample: &Sample) -> Option<(f64, f64)> {
    checked_limits(sample, critical(sample))
}

/// Returns the limits of the mean score at this distance in standard errors, like [`student_limits`].
pub(super) fn checked_limits(sample: &Sample, errors: f64) -> Option<(f64, f64)> {
    let (low, high) = limits_at(sample, errors);
    (sample.has_spread() && low > 0.0 && high < 1.0).then_some((low, high))
}

/// Returns the half-width of Student's 95 % interval in standard errors; 0 with fewer than two items.
pub(super) fn critical(sample: &Sample) -> f64 {
    student_critical(LEVEL, (sample.items() - 1.0) as usize).unwrap_or(0.0)
}

/// Returns `m ± errors d`, where the standard error `d` is `sqrt(v / (N - 1))`; `m` twice without spread.
fn limits_at(sample: &Sample, errors: f64) -> (f64, f64) {
    let moments = sample.moments();
    let margin =
        if sample.has_spread() { errors * (moments.variance / (sample.items() - 1.0)).sqrt() } else { 0.0 };
    (moments.mean - margin, moments.mean + margin)
}

fn elo(score: f64) -> Option<Elo> {
    Elo::from_score(Share(score))
}

/// Returns a lower confidence limit of the mean score with this error probability.
fn lower_bound(sample: &Sample, error: f64) -> f64 {
    if sample.has_spread() {
        return quantile(sample, &with_one_more(sample, 0), error);
    }
    // The weight of the observed items is beta distributed.
    sample.moments().mean * error.powf(sample.items().recip())
}

/// Returns an upper confidence limit of the mean score with this error probability.
fn upper_bound(sample: &Sample, error: f64) -> f64 {
    if sample.has_spread() {
        return quantile(sample, &with_one_more(sample, sample.counts().len() - 1), 1.0 - error);
    }
    1.0 - (1.0 - sample.moments().mean) * error.powf(sample.items().recip())
}

/// Returns the score below which the mean with random weights is with this probability.
fn quantile(sample: &Sample, counts: &[f64], probability: f64) -> f64 {
    bisect_decreasing(0.0, 1.0, |score| weighted_above(sample, counts, score) - (1.0 - probability))
}

/// Returns the counts with one item of outcome `k` added.
fn with_one_more(sample: &Sample, k: usize) -> Vec<f64> {
    let mut counts = sample.counts().to_vec();
    counts[k] += 1.0;
    counts
}

/// Returns the probability that the mean with random weights is above `score`.
///
/// The weight of outcome `k` is `G_k / sum(G)` with `G_k` from the gamma distribution of shape
/// `counts[k]`, so this is the probability that `sum((value_k - score) G_k)` is positive.
///
/// Source: Imhof, "Computing the Distribution of Quadratic Forms in Normal Variables" (1961),
/// equation 3.2, with the variable `t / (1 - t)`.
fn weighted_above(sample: &Sample, counts: &[f64], score: f64) -> f64 {
    let terms: Vec<(f64, f64)> = counts
        .iter()
        .enumerate()
        .map(|(k, &count)| (count, sample.value(k) - score))
        .filter(|&(count, _)| count > 0.0)
        .collect();
    let scale = terms.iter().map(|(count, distance)| count * distance * distance).sum::<f64>().sqrt();
    if scale <= 0.0 {
        return 0.0;
    }
    let at_start = terms.iter().map(|(count, distance)| count * distance).sum::<f64>() / scale;
    let integrand = |t: f64| {
        if t <= 0.0 {
            return at_start;
        }
        // The limit at 1 is approached smoothly.
        let t = t.min(1.0 - 1e-9);
        let u = t / (1.0 - t) / scale;
        let (mut angle, mut ln_size) = (0.0, 0.0);
        for (count, distance) in &terms {
            angle += count * (distance * u).atan();
            ln_size += 0.5 * count * (distance * u).powi(2).ln_1p();
        }
        angle.sin() * (-ln_size).exp() / (t * (1.0 - t))
    };
    let step = 1.0 / f64::from(STEPS);
    let inner: f64 = (1..STEPS)
        .map(|index| if index % 2 == 1 { 4.0 } else { 2.0 } * integrand(f64::from(index) * step))
        .sum();
    let integral = (integrand(0.0) + inner + integrand(1.0)) * step / 3.0;
    0.5 + integral / PI
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::counts::{Pentanomial, Trinomial};
    use stretto::types::SplitMix64;

    fn interval(pairs: [u64; 5]) -> EloInterval {
        EloInterval::of(&Pentanomial(pairs)).unwrap()
    }

    /// Asserts that a limit is the Elo of this score.
    fn expect(limit: Option<Elo>, score: f64) {
        let (found, expected) = (limit.unwrap().0, elo(score).unwrap().0);
        assert!((found - expected).abs() < 0.01, "{found}, expected {expected}");
    }

    #[test]
    fn whitewash_has_the_exact_one_sided_bound() {
        // 20-0 and 0-20 in games, one pair, and many.
        for pairs in [1, 10, 100, 5_000] {
            let bound = 0.05_f64.powf(1.0 / pairs as f64);
            let (won, lost) = (interval([0, 0, 0, 0, pairs]), interval([pairs, 0, 0, 0, 0]));
            expect(won.low, bound);
            expect(lost.high, 1.0 - bound);
            assert_eq!((won.high, lost.low), (None, None));
        }
        assert_eq!(interval([0, 0, 0, 0, 10]).to_string(), "above 182.7");
        assert_eq!(interval([10, 0, 0, 0, 0]).to_string(), "below -182.7");
        let games = EloInterval::of(&Trinomial { losses: 0, draws: 0, wins: 20 }).unwrap();
        expect(games.low, 0.05_f64.powf(0.05));
    }

    #[test]
    fn equal_results_are_bounded_on_both_sides() {
        for pairs in [1, 50] {
            let bound = 0.5 * 0.025_f64.powf(1.0 / pairs as f64);
            let drawn = interval([0, 0, pairs, 0, 0]);
            expect(drawn.low, bound);
            expect(drawn.high, 1.0 - bound);
        }
        assert_eq!(interval([0, 0, 50, 0, 0]).to_string(), "-24.8 to 24.8");
        let won_and_drawn = interval([0, 0, 0, 3, 0]);
        expect(won_and_drawn.low, 0.75 * 0.025_f64.powf(1.0 / 3.0));
        expect(won_and_drawn.high, 1.0 - 0.25 * 0.025_f64.powf(1.0 / 3.0));
    }

    #[test]
    fn integral_agrees_with_the_closed_form() {
        for items in [1, 2, 10, 100] {
            for (k, value) in [(2, 0.5), (4, 1.0)] {
                let mut pairs = [0; 5];
                pairs[k] = items;
                let sample = Pentanomial(pairs).sample();
                let found = quantile(&sample, &with_one_more(&sample, 0), 0.05);
                let expected = value * 0.05_f64.powf(1.0 / items as f64);
                assert!((found - expected).abs() < 1e-7, "{pairs:?}: {found}, expected {expected}");
            }
        }
    }

    #[test]
    fn lopsided_match_has_one_limit() {
        // Weights of shapes 1, 1 and 5 on the scores 0, 3/4 and 1.
        let found = interval([0, 0, 0, 1, 5]);
        assert!((found.low.unwrap().0 - 55.04).abs() < 0.05 && found.high.is_none(), "{found}");
        assert_eq!(interval([5, 1, 0, 0, 0]).to_string(), "below -55.0");
    }

    #[test]
    fn ordinary_match_has_the_interval_of_student() {
        let pairs = Pentanomial([12, 60, 100, 80, 25]);
        let found = EloInterval::of(&pairs).unwrap();
        let half = 0.5 * (found.high.unwrap().0 - found.low.unwrap().0);
        let estimate = crate::elo::elo(&pairs).unwrap();
        assert!((half - estimate.half_width.unwrap().0).abs() < 1e-9);
        assert_eq!(EloInterval::of(&Pentanomial::default()), None);
    }

    #[test]
    fn every_small_match_has_a_finite_interval_around_its_elo() {
        for code in 0..3_u64.pow(5) {
            let pairs: [u64; 5] = std::array::from_fn(|k| code / 3_u64.pow(k as u32) % 3);
            let Some(found) = EloInterval::of(&Pentanomial(pairs)) else { continue };
            let value = elo(Pentanomial(pairs).score().unwrap().0);
            let limits = [found.low, found.high];
            assert!(limits.into_iter().flatten().count() > 0, "{pairs:?}");
            assert!(limits.into_iter().flatten().all(|limit| limit.0.is_finite()), "{pairs:?}");
            if let Some(value) = value {
                assert!(found.low.is_none_or(|low| low < value), "{pairs:?}: {found}");
                assert!(found.high.is_none_or(|high| high > value), "{pairs:?}: {found}");
            }
        }
    }

    #[test]
    fn intervals_of_lopsided_matches_cover_the_truth() {
        const MATCHES: u32 = 1_000;
        let mut random = SplitMix64::new(5);
        // Shares of the five results in percent, and pairs per match.
        for (shares, pairs) in [
            ([0, 0, 0, 5, 95], 10),
            ([2, 0, 0, 0, 98], 10),
            ([10, 0, 0, 0, 90], 6),
            ([0, 0, 10, 20, 70], 6),
            ([0, 0, 0, 20, 80], 20),
            ([0, 2, 96, 2, 0], 10),
            ([95, 5, 0, 0, 0], 10),
        ] {
            let truth = elo(Pentanomial(shares).score().unwrap().0).unwrap();
            let covers = |tally: &Pentanomial| {
                let found = EloInterval::of(tally).unwrap();
                found.low.is_none_or(|low| low <= truth) && found.high.is_none_or(|high| high >= truth)
            };
            // Few different tallies occur.
            let mut known = HashMap::new();
            let mut inside = 0;
            for _ in 0..MATCHES {
                let mut tally = Pentanomial::default();
                for _ in 0..pairs {
                    let mut left = random.below(100);
                    for (count, &share) in tally.0.iter_mut().zip(&shares) {
                        if left < share {
                            *count += 1;
                            break;
                        }
                        left -= share;
                    }
                }
                assert_eq!(tally.pairs(), pairs);
                inside += u32::from(*known.entry(tally).or_insert_with(|| covers(&tally)));
            }
            let coverage = f64::from(inside) / f64::from(MATCHES);
            // Three standard errors below 95 %.
            assert!(coverage > 0.929, "{shares:?}: {coverage}");
        }
    }
}
