//! Main effects of several settings, estimated from pairs of games in which several settings differ
//! at once.
//!
//! The model is logistic and additive. The first engine of a pair scores `p = 1 / (1 + 10^(-d /
//! 400))`, where `d` sums the effects of the settings that only the first engine has, minus those
//! that only the second has. All effects are fitted at once by the equations of fractional logistic
//! regression (a quasi-likelihood, since a pair's score is not binary). The standard errors are the
//! sandwich estimate from the spread of whole pairs around the fit, which is correct with draws and
//! unbalanced openings.
//!
//! Source: L. E. Papke and J. M. Wooldridge, "Econometric methods for fractional response
//! variables" (1996).

use super::logistic::{ELO_PER_LOGIT, MAX_STEP, expected_score};
use super::symmetric::Symmetric;
use crate::base::units::{Elo, Share};

/// Maximum number of Newton steps; about ten are enough.
const MAX_STEPS: usize = 50;
/// Step length at which the iteration has converged. Units: logits.
const TOLERANCE: f64 = 1e-10;
/// Distance within which a score equals its expectation. Units: points per game.
const EXACT: f64 = 1e-9;
/// Limit beyond which an estimate counts as diverged: no point was scored against the setting.
/// Units: logits.
const MAX_LOGIT: f64 = 12.0;

/// The settings and the score of one pair of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// For each setting: 1 if only the first engine has it, -1 if only the second has it, 0 if both
    /// or neither. Shape: the same for all trials.
    pub differences: Vec<f64>,
    /// The first engine's mean score in the pair.
    pub score: Share,
}

/// The estimated main effect of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Elo with the setting minus Elo without it.
    pub value: Elo,
    /// Standard error of `value`.
    pub error: Elo,
}

/// Estimates the main effects of `settings` settings. Returns `None` if the pairs do not determine
/// all effects and their errors: there are too few pairs, two settings always differ together, one
/// setting scored everything or nothing, or the model fits every score exactly.
pub fn effects(settings: usize, trials: &[Trial]) -> Option<Vec<Effect>> {
    // With fewer pairs, the spread says little about the error.
    if settings == 0 || trials.len() < 2 * settings + 2 {
        return None;
    }
    let values = solve(settings, trials)?;
    // An exact fit leaves no spread from which an error could be estimated.
    if trials.iter().all(|trial| (trial.score.0 - expected(&values, trial)).abs() < EXACT) {
        return None;
    }
    let inverse = curvature(&values, trials).inverse()?;
    let mut spread = Symmetric::zero(settings);
    for trial in trials {
        let surplus = trial.score.0 - expected(&values, trial);
        spread.add_square(&trial.differences, surplus * surplus);
    }
    let covariance = inverse.sandwich(&spread);
    // The fit follows the data, so residuals are smaller than deviations from the truth.
    let (pairs, fitted) = (trials.len() as f64, settings as f64);
    let widening = pairs / (pairs - fitted);
    let found = values.iter().enumerate().map(|(setting, &value)| {
        let variance = (widening * covariance.at(setting, setting)).max(0.0);
        Effect { value: Elo(ELO_PER_LOGIT * value), error: Elo(ELO_PER_LOGIT * variance.sqrt()) }
    });
    Some(found.collect())
}

/// Returns the expected score of a trial for these effects. Units: logits.
fn expected(values: &[f64], trial: &Trial) -> f64 {
    let difference: f64 = values.iter().zip(&trial.differences).map(|(value, part)| value * part).sum();
    expected_score(difference)
}

/// Returns the information matrix of the likelihood equations.
fn curvature(values: &[f64], trials: &[Trial]) -> Symmetric {
    let mut matrix = Symmetric::zero(values.len());
    for trial in trials {
        let p = expected(values, trial);
        matrix.add_square(&trial.differences, p * (1.0 - p));
    }
    matrix
}

/// Solves the likelihood equations by Newton's method. The objective is concave, so there is at
/// most one solution. Units: logits.
fn solve(settings: usize, trials: &[Trial]) -> Option<Vec<f64>> {
    let mut values = vec![0.0; settings];
    for _ in 0..MAX_STEPS {
        let mut slope = vec![0.0; settings];
        for trial in trials {
            let surplus = trial.score.0 - expected(&values, trial);
            slope.iter_mut().zip(&trial.differences).for_each(|(part, sign)| *part += surplus * sign);
        }
        let step = curvature(&values, trials).inverse()?.times(&slope);
        let largest = step.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
        // A full step from far away can overshoot into the flat tails of the logistic curve.
        let share = (MAX_STEP / largest).min(1.0);
        values.iter_mut().zip(&step).for_each(|(value, part)| *value += share * part);
        if !values.iter().all(|value| value.abs() < MAX_LOGIT) {
            return None;
        }
        if largest < TOLERANCE {
            return Some(values);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use stretto::types::SplitMix64;

    use super::*;
    use crate::stats::counts::Pentanomial;
    use crate::stats::elo::elo;
    use crate::stats::numeric::Z95;

    fn uniform(random: &mut SplitMix64) -> f64 {
        (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Simulates a game with this expected score and about a third of draws; returns half-points.
    fn game(random: &mut SplitMix64, share: f64) -> f64 {
        let draws = 0.66 * share.min(1.0 - share);
        let toss = uniform(random);
        if toss < share - draws / 2.0 {
            2.0
        } else if toss < share + draws / 2.0 {
            1.0
        } else {
            0.0
        }
    }

    /// Simulates pairs of engines that differ in about half of the settings.
    fn simulated(values: &[f64], pairs: usize, random: &mut SplitMix64) -> Vec<Trial> {
        (0..pairs)
            .map(|_| {
                let differences: Vec<f64> = values
                    .iter()
                    .map(|_| [0.0, 0.0, 1.0, -1.0][(random.next_u64() >> 62) as usize])
                    .collect();
                let d: f64 = values.iter().zip(&differences).map(|(values, sign)| values * sign).sum();
                let share = Elo(d).to_score().0;
                let score = Share((game(random, share) + game(random, share)) / 4.0);
                Trial { differences, score }
            })
            .collect()
    }

    #[test]
    fn one_setting_has_the_elo_of_its_match() {
        let pairs = [34, 54, 63, 64, 75];
        let trials: Vec<Trial> = (0_u8..)
            .zip(pairs)
            .flat_map(|(points, count)| {
                // Alternating the first engine must not change the result.
                (0..count).map(move |index| {
                    let score = f64::from(points) / 4.0;
                    let is_first = index % 2 == 0;
                    Trial {
                        differences: vec![if is_first { 1.0 } else { -1.0 }],
                        score: Share(if is_first { score } else { 1.0 - score }),
                    }
                })
            })
            .collect();
        let [found] = effects(1, &trials).unwrap()[..] else { panic!("one setting") };
        let plain = elo(&Pentanomial(pairs)).unwrap();
        assert!((found.value.0 - plain.value.0).abs() < 1e-6, "{found:?} {plain:?}");
        assert!((Z95 * found.error.0 - plain.half_width.unwrap().0).abs() < 0.3, "{found:?} {plain:?}");
    }

    #[test]
    fn effects_are_recovered_with_correct_coverage() {
        let values = [0.0, 60.0, -25.0, 8.0, -150.0];
        let mut random = SplitMix64::new(5);
        let (runs, mut covered, mut sums) = (200, 0, [0.0; 5]);
        for _ in 0..runs {
            let found = effects(5, &simulated(&values, 400, &mut random)).unwrap();
            for ((effect, truth), sum) in found.iter().zip(values).zip(&mut sums) {
                covered += usize::from((effect.value.0 - truth).abs() <= Z95 * effect.error.0);
                *sum += effect.value.0;
            }
        }
        // 95 % of 1,000, give or take 7.
        assert!((925..=970).contains(&covered), "{covered}");
        for (sum, truth) in sums.into_iter().zip(values) {
            // The error of a single run is about 17.
            assert!((sum / f64::from(runs) - truth).abs() < 4.0, "{} {truth}", sum / f64::from(runs));
        }
    }

    #[test]
    fn undetermined_effects_have_no_estimate() {
        let trial = |differences: &[f64], score: f64| Trial {
            differences: differences.to_vec(),
            score: Share(score),
        };
        let mut random = SplitMix64::new(9);
        assert_eq!(effects(0, &[]), None);
        assert_eq!(effects(3, &simulated(&[0.0; 3], 7, &mut random)), None, "too few");
        let together: Vec<Trial> =
            (0..20).map(|n| trial(&[1.0, 1.0], if n % 2 == 0 { 0.75 } else { 0.25 })).collect();
        assert_eq!(effects(2, &together), None, "always together");
        let never: Vec<Trial> = (0..20).map(|n| trial(&[1.0, 0.0], f64::from(n % 3) / 4.0)).collect();
        assert_eq!(effects(2, &never), None, "one never differed");
        let all: Vec<Trial> =
            (0..20).map(|n| if n % 2 == 0 { trial(&[1.0], 1.0) } else { trial(&[-1.0], 0.0) }).collect();
        assert_eq!(effects(1, &all), None, "everything won");
        let equal = vec![trial(&[1.0], 0.75); 20];
        assert_eq!(effects(1, &equal), None, "no spread");
    }
}
