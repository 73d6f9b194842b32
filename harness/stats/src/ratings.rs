//! Joint Elo ratings of several engines by maximum likelihood over all results.
//!
//! The model is logistic: `p = 1 / (1 + 10^(-(a - b) / 400))` is the expected score of `a` against
//! `b`, and a draw counts as half a win. All differences are fitted jointly, so the results of `a`
//! against `c` also inform `a` against `b`. The errors are sandwich estimates from the spread of
//! whole pairs around the fit. They are correct with draws and unbalanced openings, unlike the
//! curvature of the likelihood. Each encounter counts the spread of one more pair, with two equal
//! games, so that a few results that the model fits exactly are not taken as certain. Known ratings are held fixed and define the scale; otherwise the
//! mean is 0.
//!
//! Source: R. A. Bradley and M. E. Terry, 1952; D. R. Hunter, "MM algorithms for generalized
//! Bradley-Terry models", 2004, for the existence of the maximum; P. J. Huber, 1967, for the
//! errors.

use super::counts::Pentanomial;
use super::elo::Estimate;
use super::logistic::{ELO_PER_LOGIT, MAX_STEP, expected_score};
use super::numeric::{Z95, normal_cdf};
use super::symmetric::Symmetric;
use crate::units::{Elo, Share};

/// Maximum number of Newton steps; about ten are enough.
const MAX_STEPS: usize = 100;
/// Step length at which the iteration has converged. Units: logits.
const TOLERANCE: f64 = 1e-12;

/// The results of two engines against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// Index of the engine that the results refer to.
    pub first: usize,
    /// Index of its opponent.
    pub second: usize,
    /// Pairs whose two games are finished, seen by `first`.
    pub pairs: Pentanomial,
}

/// The joint ratings of engines `0..len`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// Rating of each engine. Units: logits.
    values: Vec<f64>,
    /// Covariance of the ratings. Units: squared logits.
    covariance: Symmetric,
    is_known: Vec<bool>,
    /// Whether the results alone bound every rating. Otherwise one drawn game was added to each
    /// pairing.
    pub is_bounded: bool,
}

impl Ratings {
    /// Fits the unknown ratings, one entry per engine. Returns `None` unless every engine is
    /// connected to every other by games, or by a known rating on either side.
    ///
    /// If an engine or a group has won or lost everything against the rest, the likelihood has no
    /// finite maximum. In that case one drawn game is added to every pairing that was played.
    ///
    /// ```
    /// use stretto_stats::counts::Pentanomial;
    /// use stretto_stats::ratings::{Encounter, Ratings};
    ///
    /// // The first engine scores 75 % against the second, which is 190.8 Elo; without a known rating the mean is 0.
    /// let pairs = Pentanomial([0, 10, 20, 30, 40]);
    /// let ratings = Ratings::fit(&[None, None], &[Encounter { first: 0, second: 1, pairs }]).expect("games");
    /// assert_eq!(ratings.difference(0, 1).value.to_string(), "190.8");
    /// assert_eq!(ratings.rating(0).value.to_string(), "95.4");
    /// ```
    pub fn fit(known: &[Option<Elo>], encounters: &[Encounter]) -> Option<Self> {
        let played: Vec<Encounter> =
            encounters.iter().copied().filter(|encounter| encounter.pairs.pairs() > 0).collect();
        let is_known: Vec<bool> = known.iter().map(Option::is_some).collect();
        if known.is_empty() || !reaches_all(&is_known, &played, |_| [true, true]) {
            return None;
        }
        // Only an opponent that scored against an engine bounds its rating.
        let scored = |encounter: &Encounter| {
            let score = encounter.pairs.score().unwrap_or_default().0;
            [score > 0.0, score < 1.0]
        };
        let is_bounded = reaches_all(&is_known, &played, scored)
            && reaches_all(&is_known, &played, |encounter| {
                let [first, second] = scored(encounter);
                [second, first]
            });
        let prior = if is_bounded { 0.0 } else { 1.0 };
        let values = maximize(known, &played, prior)?;
        let covariance = covariance(&values, &is_known, &played, prior)?;
        Some(Self { values, covariance, is_known, is_bounded })
    }

    /// Returns the rating of an engine with its 95 % interval, relative to the mean of all or on
    /// the scale of the known ratings. Known ratings have no interval, and their errors are not
    /// part of other intervals.
    pub fn rating(&self, engine: usize) -> Estimate<Elo> {
        let Estimate { value, half_width } =
            estimate(self.values[engine], self.covariance.at(engine, engine));
        Estimate { value, half_width: half_width.filter(|_| !self.is_known[engine]) }
    }

    /// Returns the Elo difference of `engine` over `other` with its 95 % interval.
    pub fn difference(&self, engine: usize, other: usize) -> Estimate<Elo> {
        estimate(self.values[engine] - self.values[other], self.variance_of(engine, other))
    }

    /// Returns the probability that `engine` is stronger than `other`; one half for an engine
    /// against itself.
    pub fn superiority(&self, engine: usize, other: usize) -> Share {
        let deviation = self.variance_of(engine, other).sqrt();
        let difference = self.values[engine] - self.values[other];
        if deviation > 0.0 {
            Share(normal_cdf(difference / deviation))
        } else {
            // The same engine, or two known ratings.
            Share(if difference == 0.0 { 0.5 } else { f64::from(u8::from(difference > 0.0)) })
        }
    }

    fn variance_of(&self, engine: usize, other: usize) -> f64 {
        let at = |row, column| self.covariance.at(row, column);
        (at(engine, engine) + at(other, other) - 2.0 * at(engine, other)).max(0.0)
    }
}

fn estimate(value: f64, variance: f64) -> Estimate<Elo> {
    let half_width = Elo(Z95 * variance.max(0.0).sqrt() * ELO_PER_LOGIT);
    Estimate { value: Elo(value * ELO_PER_LOGIT), half_width: Some(half_width) }
}

/// Returns whether engine 0 reaches every engine along encounters. `open` returns whether an
/// encounter may be followed from its first engine to its second, and back. All known engines are
/// connected.
fn reaches_all(is_known: &[bool], encounters: &[Encounter], open: impl Fn(&Encounter) -> [bool; 2]) -> bool {
    let mut neighbours = vec![Vec::new(); is_known.len()];
    for encounter in encounters {
        let &Encounter { first, second, .. } = encounter;
        for ((from, to), is_open) in [(first, second), (second, first)].into_iter().zip(open(encounter)) {
            neighbours[from].extend(is_open.then_some(to));
        }
    }
    let mut is_reached = vec![false; is_known.len()];
    is_reached[0] = true;
    let mut frontier = vec![0];
    while let Some(here) = frontier.pop() {
        let known = known_places(is_known).filter(|_| is_known[here]);
        for to in neighbours[here].iter().copied().chain(known) {
            if !is_reached[to] {
                is_reached[to] = true;
                frontier.push(to);
            }
        }
    }
    is_reached.into_iter().all(|reached| reached)
}

/// Returns the negative Hessian of the log-likelihood in invertible form. Known ratings are fixed.
/// Without known ratings the likelihood depends on differences only; the shift by `1 / engines`
/// fixes the mean at 0.
fn curvature(values: &[f64], is_known: &[bool], encounters: &[Encounter], prior: f64) -> Symmetric {
    let mut matrix = Symmetric::zero(values.len());
    for Encounter { first, second, pairs } in encounters {
        let p = expected_score(values[*first] - values[*second]);
        matrix.add_difference(*first, *second, (pairs.games() as f64 + prior) * p * (1.0 - p));
    }
    if is_known.contains(&true) {
        known_places(is_known).for_each(|engine| matrix.isolate(engine, 1.0));
    } else {
        matrix.shift(1.0 / values.len() as f64);
    }
    matrix
}

fn known_places(is_known: &[bool]) -> impl Iterator<Item = usize> {
    (0..is_known.len()).filter(|&engine| is_known[engine])
}

/// Maximises the likelihood by Newton's method; it is concave, so it has one maximum.
fn maximize(known: &[Option<Elo>], encounters: &[Encounter], prior: f64) -> Option<Vec<f64>> {
    let is_known: Vec<bool> = known.iter().map(Option::is_some).collect();
    let known: Vec<Option<f64>> = known.iter().map(|elo| elo.map(|elo| elo.0 / ELO_PER_LOGIT)).collect();
    // The likelihood is flat far from its maximum, so the iteration starts at the known ratings.
    let start = known.iter().flatten().sum::<f64>() / known.iter().flatten().count().max(1) as f64;
    let mut values: Vec<f64> = known.iter().map(|known| known.unwrap_or(start)).collect();
    for _ in 0..MAX_STEPS {
        let mut slope = vec![0.0; values.len()];
        for Encounter { first, second, pairs } in encounters {
            let p = expected_score(values[*first] - values[*second]);
            let score = pairs.score().unwrap_or_default().0;
            let surplus = pairs.games() as f64 * (score - p) + prior * (0.5 - p);
            slope[*first] += surplus;
            slope[*second] -= surplus;
        }
        known_places(&is_known).for_each(|engine| slope[engine] = 0.0);
        let step = curvature(&values, &is_known, encounters, prior).inverse()?.times(&slope);
        let largest = step.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
        // A full step from far away can overshoot into the flat tails of the logistic curve.
        let share = (MAX_STEP / largest).min(1.0);
        for (value, part) in values.iter_mut().zip(&step) {
            *value += share * part;
        }
        if largest < TOLERANCE {
            break;
        }
    }
    values.iter().all(|value| value.is_finite()).then_some(values)
}

/// Returns the sandwich estimate: the inverse Hessian around the spread of the pairs.
fn covariance(values: &[f64], is_known: &[bool], encounters: &[Encounter], prior: f64) -> Option<Symmetric> {
    // Without known ratings its common shift of all ratings is no error of a difference: it meets only zeros in the spread.
    let inverse = curvature(values, is_known, encounters, prior).inverse()?;
    let mut spread = Symmetric::zero(values.len());
    for Encounter { first, second, pairs } in encounters {
        let p = expected_score(values[*first] - values[*second]);
        let squares = (0_u8..).zip(pairs.0).map(|(outcome, count)| {
            let surplus = f64::from(outcome) / 2.0 - 2.0 * p;
            count as f64 * surplus * surplus
        });
        let of_prior = prior * (0.5 - p) * (0.5 - p);
        let of_one_pair = 4.0 * p * (1.0 - p);
        spread.add_difference(*first, *second, squares.sum::<f64>() + of_prior + of_one_pair);
    }
    known_places(is_known).for_each(|engine| spread.isolate(engine, 0.0));
    Some(inverse.sandwich(&spread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::elo;
    use stretto::types::SplitMix64;

    fn encounter(first: usize, second: usize, pairs: [u64; 5]) -> Encounter {
        Encounter { first, second, pairs: Pentanomial(pairs) }
    }

    #[test]
    fn two_engines_have_the_elo_of_their_match() {
        let pairs = [34, 54, 63, 64, 75];
        let ratings = Ratings::fit(&[None; 2], &[encounter(0, 1, pairs)]).unwrap();
        let (joint, plain) = (ratings.difference(0, 1), elo(&Pentanomial(pairs)).unwrap());
        assert!((joint.value.0 - plain.value.0).abs() < 1e-9);
        assert!((joint.half_width.unwrap().0 - plain.half_width.unwrap().0).abs() < 0.2);
        assert!((ratings.rating(0).value.0 + ratings.rating(1).value.0).abs() < 1e-9, "the mean is 0");
        assert!((ratings.superiority(0, 1).0 - 0.99997).abs() < 2e-5);
        assert_eq!(ratings.superiority(1, 1), Share(0.5));
    }

    #[test]
    fn consistent_results_are_fitted_exactly_for_either_order() {
        // 10/11 is 400 Elo, and a score of 100/101 is 800.
        let strong = [0, 0, 0, 0, 10];
        let one = [encounter(0, 1, [1, 0, 0, 0, 10]), encounter(1, 2, [1, 0, 0, 0, 10])];
        let ratings = Ratings::fit(&[None; 3], &one).unwrap();
        for (engine, elo) in [(0, 400.0), (1, 0.0), (2, -400.0)] {
            assert!((ratings.rating(engine).value.0 - elo).abs() < 1e-6);
        }
        let turned = [encounter(1, 0, [10, 0, 0, 0, 1]), encounter(1, 2, [1, 0, 0, 0, 10])];
        let other = Ratings::fit(&[None; 3], &turned).unwrap();
        assert!((other.difference(0, 2).value.0 - 800.0).abs() < 1e-6);
        assert!(ratings.is_bounded);
        // The end of a chain has a wider interval than its middle.
        assert!(ratings.difference(0, 2).half_width > ratings.difference(0, 1).half_width);
        let unbounded = Ratings::fit(&[None; 3], &[one[0], encounter(1, 2, strong)]).unwrap();
        assert!(!unbounded.is_bounded && unbounded.rating(2).value.0.is_finite());
        assert!(unbounded.rating(0).value > unbounded.rating(1).value);
        let above_known = Ratings::fit(&[None, Some(Elo(0.0))], &[encounter(0, 1, strong)]).unwrap();
        assert!(!above_known.is_bounded, "a known rating bounds no other");
    }

    #[test]
    fn unbounded_results_count_one_more_drawn_game() {
        let ratings = Ratings::fit(&[None; 2], &[encounter(0, 1, [0, 0, 0, 0, 9])]).unwrap();
        let Estimate { value, half_width } = ratings.difference(0, 1);
        // 18.5 of 19 points.
        assert!((value.0 - 400.0 * (18.5_f64 / 0.5).log10()).abs() < 1e-6, "{value}");
        let (p, q) = (18.5 / 19.0, 0.5 / 19.0);
        let spread: f64 = 9.0 * (2.0 * q) * (2.0 * q) + (0.5 - p) * (0.5 - p) + 4.0 * p * q;
        let expected = Z95 * ELO_PER_LOGIT * spread.sqrt() / (19.0 * p * q);
        assert!((half_width.unwrap().0 - expected).abs() < 1e-6, "{half_width:?} {expected}");
    }

    #[test]
    fn results_that_fit_exactly_still_have_an_error() {
        let width = |pairs: [u64; 5]| {
            let ratings =
                Ratings::fit(&[None; 3], &[encounter(0, 1, pairs), encounter(1, 2, pairs)]).unwrap();
            ratings.difference(0, 1).half_width.unwrap().0
        };
        // One draw after the other: nothing is known after two pairs, much after a thousand.
        assert!(width([0, 0, 2, 0, 0]) > 300.0, "{}", width([0, 0, 2, 0, 0]));
        assert!((0.1..2.0).contains(&width([0, 0, 1000, 0, 0])), "{}", width([0, 0, 1000, 0, 0]));
    }

    #[test]
    fn known_ratings_define_the_scale() {
        // 10/11 is 400 Elo.
        let (won, lost) = ([1, 0, 0, 0, 10], [10, 0, 0, 0, 1]);
        let chain = [encounter(0, 1, won), encounter(1, 2, won)];
        let one = Ratings::fit(&[None, Some(Elo(1500.0)), None], &chain).unwrap();
        for (engine, elo) in [(0, 1900.0), (1, 1500.0), (2, 1100.0)] {
            assert!((one.rating(engine).value.0 - elo).abs() < 1e-6);
        }
        assert_eq!(one.rating(1).half_width, None, "a known rating has no interval");
        let free = Ratings::fit(&[None; 3], &chain).unwrap();
        let width = |ratings: &Ratings| ratings.difference(0, 2).half_width.unwrap().0;
        assert!(
            (width(&one) - width(&free)).abs() < 1e-6,
            "the interval of a difference does not depend on the scale"
        );
        assert!(
            (one.rating(0).half_width.unwrap().0 - one.difference(0, 1).half_width.unwrap().0).abs() < 1e-9
        );

        // Contradicting known ratings place the third between them.
        let ends = Ratings::fit(&[Some(Elo(2100.0)), None, Some(Elo(1100.0))], &chain).unwrap();
        assert!((ends.rating(1).value.0 - 1600.0).abs() < 1e-6);
        assert_eq!((ends.superiority(0, 2), ends.superiority(2, 0)), (Share(1.0), Share(0.0)));

        // Known ratings connect groups that never met and bound engines that won everything against
        // the rest.
        let apart = [encounter(0, 1, won), encounter(3, 2, lost)];
        let known = [None, Some(Elo(3000.0)), None, Some(Elo(1000.0))];
        let ratings = Ratings::fit(&known, &apart).unwrap();
        assert!(ratings.is_bounded);
        assert!((ratings.rating(0).value.0 - 3400.0).abs() < 1e-6, "{ratings:?}");
        assert!((ratings.rating(2).value.0 - 1400.0).abs() < 1e-6, "{ratings:?}");
        assert_eq!(Ratings::fit(&[None, Some(Elo(0.0)), None, None], &apart), None);
    }

    #[test]
    fn disconnected_engines_have_no_common_scale() {
        assert_eq!(Ratings::fit(&[None; 0], &[]), None);
        assert_eq!(Ratings::fit(&[None; 3], &[encounter(0, 1, [0, 0, 5, 0, 0])]), None);
        assert_eq!(Ratings::fit(&[None; 2], &[encounter(0, 1, [0; 5])]), None);
        assert!(Ratings::fit(&[None; 1], &[]).is_some(), "a single engine needs no games");
    }

    #[test]
    fn extreme_results_stay_finite() {
        for pairs in [[0, 0, 0, 0, 1], [100_000, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0, 0, 0, 99_999]] {
            let ratings = Ratings::fit(&[None; 2], &[encounter(0, 1, pairs)]).unwrap();
            let Estimate { value, half_width } = ratings.difference(0, 1);
            assert!(value.0.is_finite() && half_width.unwrap().0.is_finite(), "{pairs:?}");
            assert!(ratings.superiority(0, 1).0.is_finite());
        }
    }

    #[test]
    fn intervals_have_their_nominal_coverage() {
        // Four engines with 200 pairs each, where the games of a pair are correlated by the
        // opening.
        let truth = [80.0, 10.0, -30.0, -60.0];
        let mut random = SplitMix64::new(1);
        let mut dice = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (mut inside, mut all) = (0, 0);
        for _ in 0..200 {
            let mut encounters = Vec::new();
            for first in 0..4 {
                for second in first + 1..4 {
                    let mut pairs = [0; 5];
                    for _ in 0..200 {
                        let p = Elo(truth[first] - truth[second]).to_score().0;
                        // An opening that favours one colour makes the two games of a pair differ.
                        let bias = 0.3 * (dice() - 0.5);
                        let mut half = |p: f64| {
                            let roll = dice();
                            if roll < p - 0.15 { 2 } else { usize::from(roll < p + 0.15) }
                        };
                        pairs[half(p + bias) + half(p - bias)] += 1;
                    }
                    encounters.push(encounter(first, second, pairs));
                }
            }
            let ratings = Ratings::fit(&[None; 4], &encounters).unwrap();
            for (engine, truth) in truth.iter().enumerate() {
                let Estimate { value, half_width } = ratings.rating(engine);
                inside += u32::from((value.0 - truth).abs() <= half_width.unwrap().0);
                all += 1;
            }
        }
        let share = f64::from(inside) / f64::from(all);
        assert!((0.93..=0.97).contains(&share), "{share} of {all}");
    }
}
