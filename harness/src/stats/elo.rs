//! Strength estimates from a fixed number of games: Elo, normalised Elo, likelihood of superiority.
//!
//! These are the plain estimates that every match runner prints. After a sequential test has stopped they are biased
//! towards the bound that was crossed; use [`unbiased`](super::unbiased) there.
//!
//! Data with a spread of results are used as they are. Where every item had the same result (all draws, all wins)
//! the raw variance is 0; values then come from counts regularised as for the LLR, which keeps them finite, and have
//! no error bar.

use serde::Serialize;

use super::counts::Tally;
use super::numeric::{Z95, normal_cdf};
use crate::units::{Elo, NELO_PER_T, NormalizedElo, Share};

/// A value and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate<U> {
    /// The estimate.
    pub value: U,
    /// `None` where the data do not bound the value on both sides.
    pub half_width: Option<U>,
}

/// Logistic Elo of the first engine; `None` without data.
///
/// The half-width is `(e(m + z d) - e(m - z d)) / 2` for a mean score m of standard error d; it is `None` without
/// spread or when the interval of the score reaches 0 or 1, where Elo is unbounded.
///
/// Source: fishtest `stat_util.py`, `get_elo`.
pub fn elo(tally: &impl Tally) -> Option<Estimate<Elo>> {
    let sample = tally.sample();
    if sample.items() <= 0.0 {
        return None;
    }
    let usable = sample.with_spread();
    let moments = usable.moments();
    let margin = Z95 * (moments.variance / usable.items()).sqrt();
    let value = Elo::from_score(Share(moments.mean))?;
    let half_width = Elo::from_score(Share(moments.mean + margin))
        .zip(Elo::from_score(Share(moments.mean - margin)))
        .filter(|_| usable == sample)
        .map(|(high, low)| Elo(0.5 * (high.0 - low.0)));
    Some(Estimate { value, half_width })
}

/// Normalised Elo of the first engine; `None` without data.
///
/// The half-width holds the standard deviation of a game fixed, `z C / sqrt(games)`; it is `None` without spread.
///
/// Source: fastchess, after Van den Bergh's "Normalized Elo".
pub fn normalized_elo(tally: &impl Tally) -> Option<Estimate<NormalizedElo>> {
    let sample = tally.sample();
    if sample.items() <= 0.0 {
        return None;
    }
    let usable = sample.with_spread();
    let moments = usable.moments();
    let game_deviation = (moments.variance * usable.games_per_item()).sqrt();
    let value = NormalizedElo(NELO_PER_T * (moments.mean - 0.5) / game_deviation);
    let games = usable.items() * usable.games_per_item();
    let half_width = (usable == sample).then(|| NormalizedElo(Z95 * NELO_PER_T / games.sqrt()));
    Some(Estimate { value, half_width })
}

/// Likelihood of superiority: the probability that the first engine is the stronger one, `Phi((m - 1/2) / d)`.
///
/// `None` without data. Source: fishtest `stat_util.py`, `get_elo`.
pub fn los(tally: &impl Tally) -> Option<Share> {
    let sample = tally.sample();
    if sample.items() <= 0.0 {
        return None;
    }
    let usable = sample.with_spread();
    let moments = usable.moments();
    Some(Share(normal_cdf((moments.mean - 0.5) / (moments.variance / usable.items()).sqrt())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::counts::{Pentanomial, Trinomial};

    #[test]
    fn one_sided_data_have_a_value_and_no_error_bar() {
        let whitewash = Pentanomial([0, 0, 0, 0, 20]);
        let estimate = elo(&whitewash).unwrap();
        assert!(estimate.value.0 > 1000.0 && estimate.value.0.is_finite());
        assert_eq!(estimate.half_width, None);
        assert!(normalized_elo(&whitewash).unwrap().value.0.is_finite());
        assert!(los(&whitewash).unwrap().0 > 0.999);
    }

    #[test]
    fn all_draws_are_equality() {
        let draws = Trinomial { losses: 0, draws: 50, wins: 0 };
        assert!(elo(&draws).unwrap().value.0.abs() < 1e-9);
        assert!(normalized_elo(&draws).unwrap().value.0.abs() < 1e-9);
        assert!((los(&draws).unwrap().0 - 0.5).abs() < 1e-9);
        assert_eq!(elo(&draws).unwrap().half_width, None);
    }

    #[test]
    fn an_interval_that_reaches_certainty_has_no_half_width() {
        assert_eq!(elo(&Pentanomial([0, 0, 0, 1, 5])).unwrap().half_width, None);
        assert!(elo(&Pentanomial([0, 0, 1, 20, 5])).unwrap().half_width.is_some());
    }

    #[test]
    fn nothing_played_estimates_nothing() {
        assert_eq!(elo(&Pentanomial::default()), None);
        assert_eq!(normalized_elo(&Trinomial::default()), None);
        assert_eq!(los(&Pentanomial::default()), None);
    }

    #[test]
    fn the_other_side_sees_the_opposite() {
        let pairs = Pentanomial([12, 60, 100, 80, 25]);
        let (mine, yours) = (elo(&pairs).unwrap(), elo(&pairs.reversed()).unwrap());
        assert!((mine.value.0 + yours.value.0).abs() < 1e-9);
        assert!((mine.half_width.unwrap().0 - yours.half_width.unwrap().0).abs() < 1e-9);
        assert!((los(&pairs).unwrap().0 + los(&pairs.reversed()).unwrap().0 - 1.0).abs() < 1e-12);
    }
}
