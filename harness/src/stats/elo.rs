//! Strength estimates from a fixed number of games: Elo, normalised Elo, likelihood of superiority.
//!
//! These are the plain estimates that every match runner prints. After a sequential test has stopped they are biased
//! towards the bound that was crossed; use [`unbiased`](super::unbiased) there.
//!
//! Point estimates use the raw counts, without the regularisation of the LLR. If all items have the
//! same result (all draws, all wins), quantities that need a variance are `None`, and Elo has no
//! error bar; a score of 0 or 1 has no Elo.

use serde::Serialize;

use super::counts::Tally;
use super::numeric::{Z95, normal_cdf};
use crate::base::units::{Elo, NELO_PER_T, NormalizedElo, Share};

/// A value and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate<U> {
    /// Point estimate.
    pub value: U,
    /// `None` where the data do not bound the value on both sides.
    pub half_width: Option<U>,
}

/// Returns the logistic Elo of the first engine; `None` without data, and at a score of 0 or 1.
///
/// The half-width is `(e(m + z d) - e(m - z d)) / 2` for a mean score m of standard error d; it is `None` without
/// spread or when the interval of the score reaches 0 or 1, where Elo is unbounded.
///
/// Source: fishtest `stat_util.py`, `get_elo`.
pub fn elo(tally: &impl Tally) -> Option<Estimate<Elo>> {
    let sample = tally.sample();
    let moments = sample.moments();
    // Without data the mean is 0 as well.
    let value = Elo::from_score(Share(moments.mean))?;
    let margin = Z95 * (moments.variance / sample.items()).sqrt();
    let half_width = Elo::from_score(Share(moments.mean + margin))
        .zip(Elo::from_score(Share(moments.mean - margin)))
        .filter(|_| sample.has_spread())
        .map(|(high, low)| Elo(0.5 * (high.0 - low.0)));
    Some(Estimate { value, half_width })
}

/// Returns the normalised Elo of the first engine; `None` without spread.
///
/// The half-width treats the standard deviation of a game as fixed: `z C / sqrt(games)`.
///
/// Source: fastchess, after Van den Bergh's "Normalized Elo".
pub fn normalized_elo(tally: &impl Tally) -> Option<Estimate<NormalizedElo>> {
    let sample = tally.sample();
    if !sample.has_spread() {
        return None;
    }
    let moments = sample.moments();
    let game_deviation = (moments.variance * sample.games_per_item()).sqrt();
    let value = NormalizedElo(NELO_PER_T * (moments.mean - 0.5) / game_deviation);
    let games = sample.items() * sample.games_per_item();
    Some(Estimate { value, half_width: Some(NormalizedElo(Z95 * NELO_PER_T / games.sqrt())) })
}

/// Returns the likelihood of superiority: the probability that the first engine is the stronger
/// one, `Phi((m - 1/2) / d)`.
///
/// `None` without spread. Source: fishtest `stat_util.py`, `get_elo`.
pub fn los(tally: &impl Tally) -> Option<Share> {
    let sample = tally.sample();
    if !sample.has_spread() {
        return None;
    }
    let moments = sample.moments();
    Some(Share(normal_cdf((moments.mean - 0.5) / (moments.variance / sample.items()).sqrt())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::counts::{Pentanomial, Trinomial};

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
