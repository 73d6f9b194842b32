//! Strength estimates from a fixed number of games: Elo, normalised Elo, likelihood of superiority.
//!
//! These are the plain estimates that every match runner prints. After a sequential test has stopped they are biased
//! towards the bound that was crossed; use [`unbiased`](super::unbiased) there.
//!
//! Point estimates use the raw counts, without the regularisation of the LLR. If all items have the
//! same result (all draws, all wins), quantities that need a variance are `None`, and Elo has no
//! error bar; a score of 0 or 1 has no Elo. Errors and the likelihood of superiority need Student's
//! interval of the score, see [`EloInterval`](super::interval::EloInterval) for limits without it. fishtest and
//! fastchess use the normal distribution and `v / N` instead, which differs in the digits shown up to some hundred
//! pairs and covers too little with few.

use super::counts::{Pentanomial, Sample, Tally};
use super::interval::{checked_limits, critical, student_limits};
use super::numeric::student_cdf;
use super::proportion::sign_test;
use crate::units::{Elo, NELO_PER_T, NormalizedElo, Share};

/// Relative variance of an estimate up to which it counts as 0. Rounding leaves less than this.
const NO_ERROR: f64 = 1e-12;

/// A value and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Estimate<U> {
    /// Estimate from the raw counts.
    pub value: U,
    /// `None` where the data do not bound the value on both sides.
    pub half_width: Option<U>,
}

/// Returns the logistic Elo of the first engine; `None` without data, and at a score of 0 or 1.
///
/// The half-width is `(e(m + q d) - e(m - q d)) / 2` for a mean score m of standard error `d = sqrt(v / (N - 1))`, with
/// the quantile q of Student's t with N - 1 degrees of freedom. It is `None` without spread or when the interval of
/// the score reaches 0 or 1, where Elo is unbounded.
///
/// Source: fishtest `stat_util.py`, `get_elo`, for the value; Student, "The Probable Error of a Mean" (1908), for the
/// error.
///
/// ```
/// use stretto_stats::counts::Pentanomial;
/// use stretto_stats::elo::elo;
///
/// // 1388 pairs with a score of 51.55 %.
/// let found = elo(&Pentanomial([33, 295, 656, 361, 43])).expect("a score between 0 and 1");
/// assert_eq!(found.value.to_string(), "10.8");
/// assert_eq!(found.half_width.expect("an interval").to_string(), "7.6");
///
/// // Nothing bounds the Elo of an engine that won every game.
/// assert_eq!(elo(&Pentanomial([0, 0, 0, 0, 10])), None);
/// ```
pub fn elo(tally: &impl Tally) -> Option<Estimate<Elo>> {
    let sample = tally.sample();
    // Without data the mean is 0 as well.
    let value = Elo::from_score(Share(sample.moments().mean))?;
    Some(Estimate { value, half_width: half_width_at(tally, critical(&sample)) })
}

/// Returns half the width of the interval of Elo whose score limits are this many standard errors from the mean.
///
/// `None` where this interval of the score reaches 0 or 1. Elo is not linear in the score, so the half-width at one
/// quantile does not follow from that at another.
pub fn half_width_at(tally: &impl Tally, errors: f64) -> Option<Elo> {
    let (low, high) = checked_limits(&tally.sample(), errors)?;
    let [low, high] = [low, high].map(|score| Elo::from_score(Share(score)));
    Some(Elo(0.5 * (high?.0 - low?.0)))
}

/// Returns the normalised Elo of the first engine; `None` without spread.
///
/// The half-width is that of the delta method, `q C sqrt(f / (g (N - 1)))` with N items of g games and the quantile q of
/// Student's t with N - 1 degrees of freedom. With the t-value `t = (m - 1/2) / s` of an item,
/// `f = 1 - t skewness + t^2 (kurtosis - 1) / 4` contains the error of the standard deviation `s`. fastchess prints
/// the half-width for `f = 1`, which is too narrow in lopsided matches. There is no half-width where Elo has none, or
/// where `f` is 0.
///
/// Source: Van den Bergh, "Normalized Elo", for the value; Lehmann, "Elements of Large-Sample Theory"
/// (1999), section 2.5, for the error.
///
/// ```
/// use stretto_stats::counts::Pentanomial;
/// use stretto_stats::elo::normalized_elo;
///
/// let found = normalized_elo(&Pentanomial([33, 295, 656, 361, 43])).expect("results that differ");
/// assert_eq!(found.value.to_string(), "18.4");
/// assert_eq!(found.half_width.expect("an interval").to_string(), "13.0");
/// ```
pub fn normalized_elo(tally: &impl Tally) -> Option<Estimate<NormalizedElo>> {
    let sample = tally.sample();
    if !sample.has_spread() {
        return None;
    }
    let moments = sample.moments();
    let game_deviation = (moments.variance * sample.games_per_item()).sqrt();
    let value = NormalizedElo(NELO_PER_T * (moments.mean - 0.5) / game_deviation);
    let games = (sample.items() - 1.0) * sample.games_per_item();
    let factor = t_value_variance(&sample);
    let half_width = student_limits(&sample)
        .filter(|_| factor > NO_ERROR)
        .map(|_| NormalizedElo(critical(&sample) * NELO_PER_T * (factor / games).sqrt()));
    Some(Estimate { value, half_width })
}

/// Returns the asymptotic variance of the t-value of a sample with spread, times the number of items.
///
/// An item of standardized score z changes t by `z - t (z^2 - 1) / 2`, whose mean square is
/// `1 - t skewness + t^2 (kurtosis - 1) / 4`.
fn t_value_variance(sample: &Sample) -> f64 {
    let (moments, frequencies) = (sample.moments(), sample.frequencies());
    let deviation = moments.variance.sqrt();
    let t = (moments.mean - 0.5) / deviation;
    let square = |k: usize| {
        let z = (sample.value(k) - moments.mean) / deviation;
        frequencies[k] * (z - 0.5 * t * (z * z - 1.0)).powi(2)
    };
    (0..sample.counts().len()).map(square).sum()
}

/// Returns the likelihood of superiority: the probability that the first engine is the stronger
/// one, `F((m - 1/2) / sqrt(v / (N - 1)))` with Student's distribution function F of N - 1 degrees of
/// freedom.
///
/// It is outside 2.5 to 97.5 % exactly where [`EloInterval`](super::interval::EloInterval) excludes 0. `None` where that interval does not
/// exist: a few results, or almost equal ones, say too little
/// about the variance. fishtest and fastchess take the normal distribution, which gives 100.0 % after two
/// pairs.
///
/// ```
/// use stretto_stats::counts::Pentanomial;
/// use stretto_stats::elo::los;
///
/// // The score is 2.78 standard errors above one half.
/// let superior = los(&Pentanomial([33, 295, 656, 361, 43]));
/// assert_eq!(superior.expect("an interval").to_string(), "99.7 %");
/// ```
pub fn los(tally: &impl Tally) -> Option<Share> {
    let sample = tally.sample();
    student_limits(&sample)?;
    let (moments, degrees) = (sample.moments(), sample.items() - 1.0);
    Some(Share(student_cdf((moments.mean - 0.5) / (moments.variance / degrees).sqrt(), degrees)))
}

/// Returns the two-sided p-value of pairs if both engines are equally strong: that of the t-test where
/// the score has Student's interval, otherwise that of the sign test on pairs.
///
/// Equal engines win and lose pairs with equal probability, so the sign test is exact.
pub fn equality_p_value(pairs: &Pentanomial) -> Share {
    let [ll, ld, _, wd, ww] = pairs.0;
    los(pairs).map_or_else(|| sign_test(wd + ww, ll + ld), |los| Share(2.0 * los.0.min(1.0 - los.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Trinomial;
    use crate::interval::EloInterval;
    use stretto::types::SplitMix64;

    #[test]
    fn perfect_score_has_no_elo() {
        for whitewash in [Pentanomial([0, 0, 0, 0, 20]), Pentanomial([1, 0, 0, 0, 0])] {
            assert_eq!(elo(&whitewash), None);
            assert_eq!((normalized_elo(&whitewash), los(&whitewash)), (None, None));
        }
    }

    #[test]
    fn identical_results_have_elo_but_no_variance_estimates() {
        let draws = Trinomial { losses: 0, draws: 50, wins: 0 };
        assert_eq!(elo(&draws), Some(Estimate { value: Elo(0.0), half_width: None }));
        assert_eq!((normalized_elo(&draws), los(&draws)), (None, None));
        let won_and_drawn = Pentanomial([0, 0, 0, 3, 0]);
        let Estimate { value, half_width } = elo(&won_and_drawn).unwrap();
        assert!((value.0 - 190.848_5).abs() < 1e-3, "{value:?}");
        assert_eq!((half_width, normalized_elo(&won_and_drawn), los(&won_and_drawn)), (None, None, None));
    }

    #[test]
    fn interval_reaching_score_one_has_no_half_width() {
        assert_eq!(elo(&Pentanomial([0, 0, 0, 1, 5])).unwrap().half_width, None);
        assert!(elo(&Pentanomial([0, 0, 1, 20, 5])).unwrap().half_width.is_some());
        // The normal distribution would give 0.569 to 0.931.
        assert_eq!(elo(&Pentanomial([0, 0, 1, 2, 1])).unwrap().half_width, None);
    }

    /// Returns random pairs with these weights of the five results.
    fn sample(weights: [u64; 5], pairs: u64, random: &mut SplitMix64) -> Pentanomial {
        let mut tally = Pentanomial::default();
        for _ in 0..pairs {
            let mut left = random.below(weights.iter().sum());
            for (count, &weight) in tally.0.iter_mut().zip(&weights) {
                if left < weight {
                    *count += 1;
                    break;
                }
                left -= weight;
            }
        }
        tally
    }

    #[test]
    fn normalized_elo_intervals_of_lopsided_matches_cover_the_truth() {
        const MATCHES: u32 = 1000;
        let mut random = SplitMix64::new(4);
        // Scores 0.54, 0.70, 0.81, 0.91 and 0.19.
        for weights in [
            [12, 60, 100, 80, 25],
            [1, 5, 30, 40, 24],
            [1, 3, 16, 30, 50],
            [0, 1, 6, 20, 73],
            [50, 30, 16, 3, 1],
        ] {
            let truth = normalized_elo(&Pentanomial(weights)).unwrap().value.0;
            let covers = |tally: Pentanomial| {
                let found = normalized_elo(&tally).unwrap();
                (found.value.0 - truth).abs() <= found.half_width.unwrap().0
            };
            let covered = (0..MATCHES).filter(|_| covers(sample(weights, 400, &mut random))).count();
            let coverage = covered as f64 / f64::from(MATCHES);
            // Three standard errors of 0.7 %.
            assert!((0.929..=0.971).contains(&coverage), "{weights:?}: {coverage}");
        }
    }

    #[test]
    fn normalized_elo_error_follows_skewness_and_kurtosis() {
        for counts in [[12, 60, 100, 80, 25], [0, 1, 6, 20, 73], [30, 0, 40, 0, 90]] {
            let sample = Pentanomial(counts).sample();
            let (moments, p) = (sample.moments(), sample.frequencies());
            let central =
                |power| (0..5).map(|k| p[k] * (sample.value(k) - moments.mean).powi(power)).sum::<f64>();
            let (skewness, kurtosis) =
                (central(3) / moments.variance.powf(1.5), central(4) / moments.variance.powi(2));
            let t = (moments.mean - 0.5) / moments.variance.sqrt();
            let expected = 1.0 - t * skewness + t * t * (kurtosis - 1.0) / 4.0;
            assert!((t_value_variance(&sample) - expected).abs() < 1e-12, "{counts:?}");
        }
    }

    #[test]
    fn normalized_elo_without_a_valid_error_has_no_half_width() {
        // The score has no interval within 0 and 1.
        assert_eq!(normalized_elo(&Pentanomial([198, 2, 0, 0, 0])).unwrap().half_width, None);
        // The t-value of these two results is smallest at two to one, so its first-order error is 0.
        let stationary = normalized_elo(&Pentanomial([0, 0, 0, 200, 100])).unwrap();
        assert!(stationary.value.0 > 500.0 && stationary.half_width.is_none(), "{stationary:?}");
    }

    #[test]
    fn likelihood_of_superiority_of_few_pairs_is_that_of_the_t_test() {
        // Two pairs of 3/2 and 2 points: the normal distribution would give 99.999 %.
        assert_eq!(los(&Pentanomial([0, 0, 0, 1, 1])), None);
        // Three pairs: mean 5/12, variance 1/72, t -1 with two degrees of freedom.
        let found = los(&Pentanomial([0, 1, 2, 0, 0])).unwrap().0;
        assert!((found - (0.5 - 0.5 / 3.0_f64.sqrt())).abs() < 1e-12, "{found}");
    }

    /// Returns every tally of at most this many pairs.
    fn all_tallies(most: u64) -> impl Iterator<Item = Pentanomial> {
        let codes = 0..(most + 1).pow(5);
        codes
            .map(move |code| {
                Pentanomial(std::array::from_fn(|k| code / (most + 1).pow(k as u32) % (most + 1)))
            })
            .filter(move |tally| tally.pairs() <= most)
    }

    #[test]
    fn interval_excludes_zero_exactly_where_the_likelihood_of_superiority_does() {
        let mut excluded = 0;
        for tally in all_tallies(8) {
            let Some(los) = los(&tally) else { continue };
            let EloInterval { low: Some(low), high: Some(high) } = EloInterval::of(&tally).unwrap() else {
                panic!("{tally}: one-sided, with a likelihood of superiority");
            };
            let excludes = low.0 > 0.0 || high.0 < 0.0;
            assert_eq!(excludes, !(0.025..=0.975).contains(&los.0), "{tally}: {low} to {high}, LOS {los}");
            excluded += u32::from(excludes);
        }
        assert!(excluded > 100, "{excluded}");
    }

    #[test]
    fn interval_of_few_pairs_uses_students_t() {
        // Mean 17/28, v 171/3136, N - 1 = 6, and the published quantile 2.44691: scores 0.3742 to 0.8401.
        let tally = Pentanomial([0, 1, 2, 4, 0]);
        let moments = tally.sample().moments();
        let margin = 2.446_912 * (moments.variance / 6.0).sqrt();
        let of = |score: f64| Elo::from_score(Share(score)).unwrap().0;
        let found = elo(&tally).unwrap().half_width.unwrap().0;
        let expected = 0.5 * (of(moments.mean + margin) - of(moments.mean - margin));
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        assert_eq!(half_width_at(&tally, 6.0), None, "the score is unbounded at six standard errors");
    }

    #[test]
    fn likelihood_of_superiority_of_equal_engines_exceeds_97_5_percent_in_2_5() {
        const MATCHES: u32 = 4000;
        let mut random = SplitMix64::new(1);
        for pairs in [5, 8, 20] {
            let mut played = || sample([10, 20, 40, 20, 10], pairs, &mut random);
            let above = (0..MATCHES).filter(|_| los(&played()).is_some_and(|los| los.0 > 0.975)).count();
            // Expected at most 100, with a standard error of 10; the normal distribution gives 340 of five pairs.
            assert!(above < 140, "{above} of {MATCHES} with {pairs} pairs");
        }
    }

    #[test]
    fn p_value_of_a_lost_match_is_small_without_an_interval() {
        for lost in [[200, 0, 0, 0, 0], [198, 2, 0, 0, 0], [197, 2, 1, 0, 0]] {
            let (mine, yours) =
                (equality_p_value(&Pentanomial(lost)), equality_p_value(&Pentanomial(lost).reversed()));
            assert!(mine.0 < 1e-50 && (mine.0 - yours.0).abs() < 1e-50, "{lost:?}: {mine:?}");
        }
        assert_eq!(equality_p_value(&Pentanomial([0, 0, 20, 0, 0])), Share(1.0));
        assert!((equality_p_value(&Pentanomial([0, 0, 0, 0, 5])).0 - 0.0625).abs() < 1e-12);
        for few in [[2, 1, 0, 0, 0], [0, 0, 0, 1, 2]] {
            assert!((equality_p_value(&Pentanomial(few)).0 - 0.25).abs() < 1e-12, "{few:?}");
        }
        let ordinary = Pentanomial([12, 60, 100, 80, 25]);
        let expected = 2.0 * (1.0 - los(&ordinary).unwrap().0);
        assert!((equality_p_value(&ordinary).0 - expected).abs() < 1e-12);
    }

    #[test]
    fn empty_tally_has_no_estimates() {
        assert_eq!(elo(&Pentanomial::default()), None);
        assert_eq!(normalized_elo(&Trinomial::default()), None);
        assert_eq!(los(&Pentanomial::default()), None);
    }

    #[test]
    fn reversed_tally_has_opposite_estimates() {
        let pairs = Pentanomial([12, 60, 100, 80, 25]);
        let (mine, yours) = (elo(&pairs).unwrap(), elo(&pairs.reversed()).unwrap());
        assert!((mine.value.0 + yours.value.0).abs() < 1e-9);
        assert!((mine.half_width.unwrap().0 - yours.half_width.unwrap().0).abs() < 1e-9);
        assert!((los(&pairs).unwrap().0 + los(&pairs.reversed()).unwrap().0 - 1.0).abs() < 1e-12);
    }
}
