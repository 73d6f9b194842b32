//! Counts of results, of games (trinomial) and of pairs of games with reversed colours
//! (pentanomial).
//!
//! This module defines tallies and their moments. The pair is the statistical unit of the harness:
//! the two games of a pair share an opening, so their results are not independent, and only the
//! variance of the pair's sum is correct with unbalanced books.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, SubAssign};

use crate::units::Share;

/// Replacement for a count of zero where a likelihood needs every outcome to be possible.
///
/// Source: fishtest `LLRcalc.py`, `regularize`; the same value as in fastchess.
pub const ZERO_COUNT: f64 = 1e-3;

/// Counts of pairs by the half-points won in their two games.
///
/// Shape: LL, LD, WL + DD, WD, WW, all seen by the first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Returns the tally of one pair with this many half-points in both games; `None` above 4.
    pub fn from_pair(half_points: u8) -> Option<Self> {
        let mut counts = [0; 5];
        *counts.get_mut(usize::from(half_points))? = 1;
        Some(Self(counts))
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of games, two per pair.
    pub fn games(&self) -> u64 {
        2 * self.pairs()
    }

    /// Returns the mean score of a game; `None` without pairs.
    pub fn score(&self) -> Option<Share> {
        (self.pairs() > 0).then(|| Share(self.sample().moments().mean))
    }

    /// Returns the variance of a pair's mean score; `None` without pairs.
    ///
    /// Units: squared score, the whole pair being worth 1.
    pub fn variance(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.sample().moments().variance)
    }

    /// Returns the share of pairs split evenly (WL or DD); `None` without pairs. [`Trinomial`] has
    /// the draw ratio of single games.
    pub fn draw_ratio(&self) -> Option<Share> {
        (self.pairs() > 0).then(|| Share(self.0[2] as f64 / self.pairs() as f64))
    }

    /// Returns the same pairs seen by the second engine.
    pub fn reversed(&self) -> Self {
        let [ll, ld, even, wd, ww] = self.0;
        Self([ww, wd, even, ld, ll])
    }
}

impl Add for Pentanomial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Pentanomial {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// Counts of games by result, seen by the first engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trinomial {
    /// Games that the first engine lost.
    pub losses: u64,
    /// Games without a winner.
    pub draws: u64,
    /// Games that the first engine won.
    pub wins: u64,
}

impl Trinomial {
    /// Returns the tally of one game with this many half-points; `None` above 2.
    pub fn from_game(half_points: u8) -> Option<Self> {
        match half_points {
            0 => Some(Self { losses: 1, ..Self::default() }),
            1 => Some(Self { draws: 1, ..Self::default() }),
            2 => Some(Self { wins: 1, ..Self::default() }),
            _ => None,
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.losses + self.draws + self.wins
    }

    /// Returns the mean score of a game; `None` without games.
    pub fn score(&self) -> Option<Share> {
        (self.games() > 0).then(|| Share(self.sample().moments().mean))
    }

    /// Returns the share of drawn games; `None` without games.
    pub fn draw_ratio(&self) -> Option<Share> {
        (self.games() > 0).then(|| Share(self.draws as f64 / self.games() as f64))
    }

    /// Returns the same games seen by the second engine.
    pub fn reversed(&self) -> Self {
        Self { losses: self.wins, draws: self.draws, wins: self.losses }
    }
}

impl Add for Trinomial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            losses: self.losses + other.losses,
            draws: self.draws + other.draws,
            wins: self.wins + other.wins,
        }
    }
}

impl AddAssign for Trinomial {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Trinomial {
    fn sub_assign(&mut self, other: Self) {
        self.losses -= other.losses;
        self.draws -= other.draws;
        self.wins -= other.wins;
    }
}

impl Sum for Trinomial {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Add::add)
    }
}

/// A set of results that can be read as a [`Sample`]; the estimators are generic over it.
pub trait Tally {
    /// Returns the counts as real numbers over equally spaced scores.
    fn sample(&self) -> Sample;
}

impl Tally for Pentanomial {
    fn sample(&self) -> Sample {
        Sample { counts: self.0.map(|count| count as f64), outcomes: 5 }
    }
}

impl Tally for Sample {
    fn sample(&self) -> Sample {
        *self
    }
}

impl Tally for Trinomial {
    fn sample(&self) -> Sample {
        let [losses, draws, wins] = [self.losses, self.draws, self.wins].map(|count| count as f64);
        Sample { counts: [losses, draws, wins, 0.0, 0.0], outcomes: 3 }
    }
}

/// Mean and variance of the score of one item (a pair or a game).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Mean score. Range: 0 to 1.
    pub mean: f64,
    /// Variance of an item's score. Range: 0 to 1/4.
    pub variance: f64,
}

/// Real-valued counts of the 3 or 5 outcomes of an item, scored 0 to 1 in equal steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Slots from `outcomes` on are unused and zero.
    counts: [f64; 5],
    outcomes: usize,
}

impl Sample {
    /// Returns the counts, worst outcome first.
    pub fn counts(&self) -> &[f64] {
        &self.counts[..self.outcomes]
    }

    /// Returns the samples with one item less, one for each outcome that has occurred.
    pub fn without_one(&self) -> impl Iterator<Item = Self> {
        let sample = *self;
        (0..sample.outcomes).filter(move |&k| sample.counts[k] >= 1.0).map(move |k| {
            let mut fewer = sample;
            fewer.counts[k] -= 1.0;
            fewer
        })
    }

    /// Returns the score of outcome `k`.
    pub fn value(&self, k: usize) -> f64 {
        k as f64 / (self.outcomes - 1) as f64
    }

    /// Returns the number of items.
    pub fn items(&self) -> f64 {
        self.counts().iter().sum()
    }

    /// Returns the games per item: 2 for pairs, 1 for games.
    pub fn games_per_item(&self) -> f64 {
        (self.outcomes - 1) as f64 / 2.0
    }

    /// Replaces every zero by [`ZERO_COUNT`].
    pub fn regularized(&self) -> Self {
        self.map(|count| if count > 0.0 { count } else { ZERO_COUNT })
    }

    /// Returns whether the items differ at all. Otherwise their variance is unknown.
    pub fn has_spread(&self) -> bool {
        self.counts().iter().filter(|&&count| count > 0.0).count() > 1
    }

    /// Returns the relative frequencies; zero in the unused slots, and everywhere for an empty
    /// sample.
    pub fn frequencies(&self) -> [f64; 5] {
        let items = self.items();
        if items > 0.0 { self.counts.map(|count| count / items) } else { [0.0; 5] }
    }

    /// Returns mean and variance of the score; both are zero for an empty sample.
    pub fn moments(&self) -> Moments {
        let frequencies = self.frequencies();
        let mean: f64 = (0..self.outcomes).map(|k| frequencies[k] * self.value(k)).sum();
        let variance = (0..self.outcomes).map(|k| frequencies[k] * (self.value(k) - mean).powi(2)).sum();
        Moments { mean, variance }
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        let mut counts = self.counts;
        counts[..self.outcomes].iter_mut().for_each(|count| *count = f(*count));
        Self { counts, outcomes: self.outcomes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_taken_off_by_result() {
        let mut left = Trinomial { losses: 9, draws: 8, wins: 7 };
        left -= Trinomial { losses: 2, draws: 3, wins: 4 };
        assert_eq!(left, Trinomial { losses: 7, draws: 5, wins: 3 });
    }

    #[test]
    fn pairs_add_up() {
        let total: Pentanomial = (0..5).filter_map(Pentanomial::from_pair).sum();
        assert_eq!(total, Pentanomial([1; 5]));
        assert_eq!((total.pairs(), total.games()), (5, 10));
        assert_eq!(total.score(), Some(Share(0.5)));
        assert_eq!(total.draw_ratio(), Some(Share(0.2)));
        assert_eq!(total.variance(), Some(0.125));
        assert_eq!(Pentanomial::from_pair(5), None);
    }

    #[test]
    fn games_add_up() {
        let total: Trinomial = [2, 2, 1, 0].into_iter().filter_map(Trinomial::from_game).sum();
        assert_eq!(total, Trinomial { losses: 1, draws: 1, wins: 2 });
        assert_eq!(total.score(), Some(Share(0.625)));
        assert_eq!(total.draw_ratio(), Some(Share(0.25)));
        assert_eq!(total.reversed(), Trinomial { losses: 2, draws: 1, wins: 1 });
        let mut twice = total;
        twice += total;
        assert_eq!(twice, Trinomial { losses: 2, draws: 2, wins: 4 });
        assert_eq!(Trinomial::from_game(3), None);
    }

    #[test]
    fn empty_tallies_have_no_score() {
        assert_eq!((Pentanomial::default().score(), Pentanomial::default().draw_ratio()), (None, None));
        assert_eq!(Pentanomial::default().variance(), None);
        assert_eq!((Trinomial::default().score(), Trinomial::default().draw_ratio()), (None, None));
        assert_eq!(Pentanomial::default().sample().moments(), Moments { mean: 0.0, variance: 0.0 });
    }

    #[test]
    fn reversing_mirrors_the_score() {
        let pairs = Pentanomial([1, 2, 3, 4, 7]);
        let sum = pairs.score().unwrap().0 + pairs.reversed().score().unwrap().0;
        assert!((sum - 1.0).abs() < 1e-15);
        assert_eq!(pairs.reversed().reversed(), pairs);
    }

    #[test]
    fn equal_items_have_no_spread() {
        assert!(Pentanomial([0, 1, 0, 1, 0]).sample().has_spread());
        assert!(!Pentanomial([0, 0, 0, 0, 9]).sample().has_spread());
        assert!(!Trinomial::default().sample().has_spread());
    }

    #[test]
    fn regularisation_replaces_only_zeros() {
        let one_sided = Pentanomial([0, 0, 0, 0, 9]).sample().regularized();
        assert_eq!(one_sided.counts(), [1e-3, 1e-3, 1e-3, 1e-3, 9.0]);
    }
}
