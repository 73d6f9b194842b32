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
use crate::units::{Elo, Share};

/// Maximum number of Newton steps; about ten are enough.
const MAX_STEPS: usize = 50;
/// Step length at which the iteration has converged. Units: logits.
const TOLERANCE: f64 = 1e-10;
/// Distance within which a score equals its expectation. Units: points per game.
const EXACT: f64 = 1e-9;
/// Factor above which a setting takes part in a combination: factors are ratios of small integers.
const TAKES_PART: f64 = 1e-6;
/// Limit beyond which an effect counts as unbounded: the setting won or lost every
/// point. Units: logits.
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
    /// Degrees of freedom of `error`: pairs less settings of the fit.
    pub degrees: usize,
}

/// The reason why the effect of a setting has no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Undetermined {
    /// Too few pairs are left.
    TooFewPairs,
    /// The setting won or lost every point that the other effects do not explain.
    OneSided,
    /// It differed in no pair.
    NeverDiffered,
    /// It always differs together with others, or the fit fails.
    Inseparable,
    /// The model fits every score exactly, so the error is unknown.
    NoSpread,
}

/// Returns the least number of pairs for estimates of this many settings: with fewer pairs, the
/// spread says little about the error.
pub fn least_pairs(settings: usize) -> usize {
    2 * settings + 2
}

/// Estimates the main effects of `settings` settings. Shape: one result for each setting.
///
/// The effect of a one-sided setting is unbounded. In that limit the other settings do not matter in
/// its pairs, so these are left out and the others are fitted to the remaining pairs.
///
/// Of settings that always differ together, only a joint effect is determined. One of them represents
/// it in the fit, so that the estimates of the others do not contain it.
pub fn effects(settings: usize, trials: &[Trial]) -> Vec<Result<Effect, Undetermined>> {
    let mut found = vec![Err(Undetermined::TooFewPairs); settings];
    let mut fitted: Vec<usize> = (0..settings).collect();
    let mut used: Vec<&Trial> = trials.iter().collect();
    while !fitted.is_empty() && used.len() >= least_pairs(fitted.len()) {
        let reasons = remove_dependent(&mut fitted, &used);
        for (setting, reason) in reasons {
            found[setting] = Err(reason);
        }
        if fitted.is_empty() {
            break;
        }
        // The effects of the settings that represent several stay undetermined.
        let is_alone = |found: &Result<Effect, Undetermined>| *found != Err(Undetermined::Inseparable);
        let trials: Vec<Trial> = used.iter().map(|trial| part(trial, &fitted)).collect();
        match fit(fitted.len(), &trials) {
            Ok(effects) => {
                for (setting, effect) in fitted.into_iter().zip(effects) {
                    if is_alone(&found[setting]) {
                        found[setting] = Ok(effect);
                    }
                }
                break;
            }
            Err(FitError::Diverged(place)) => {
                let setting = fitted.remove(place);
                if is_alone(&found[setting]) {
                    found[setting] = Err(Undetermined::OneSided);
                }
                used.retain(|trial| trial.differences[setting].abs() < 0.5);
            }
            Err(FitError::Undetermined(reason)) => {
                for setting in fitted {
                    if is_alone(&found[setting]) {
                        found[setting] = Err(reason);
                    }
                }
                break;
            }
        }
    }
    found
}

/// Returns a trial with the differences of these settings only.
fn part(trial: &Trial, settings: &[usize]) -> Trial {
    Trial {
        differences: settings.iter().map(|&setting| trial.differences[setting]).collect(),
        score: trial.score,
    }
}

/// Removes the settings whose differences are none, or a combination of those of others. Returns all
/// settings whose effects are not determined for that reason, also those that stay.
fn remove_dependent(fitted: &mut Vec<usize>, trials: &[&Trial]) -> Vec<(usize, Undetermined)> {
    let mut gram = Symmetric::zero(fitted.len());
    for trial in trials {
        gram.add_square(&part(trial, fitted).differences, 1.0);
    }
    let mut reasons = Vec::new();
    let combinations = gram.combinations();
    for (place, factors) in combinations.iter().enumerate() {
        let Some(factors) = factors else { continue };
        if gram.at(place, place) < 0.5 {
            reasons.push((fitted[place], Undetermined::NeverDiffered));
            continue;
        }
        let others = (0..factors.len()).filter(|&other| factors[other].abs() > TAKES_PART);
        let together = others.chain([place]);
        reasons.extend(together.map(|place| (fitted[place], Undetermined::Inseparable)));
    }
    let mut is_independent = combinations.iter().map(Option::is_none);
    fitted.retain(|_| is_independent.next().unwrap_or(true));
    reasons
}

/// The reason why the effects of several settings could not be fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FitError {
    /// The effect of the setting with this index grows without limit.
    Diverged(usize),
    /// No effect is determined.
    Undetermined(Undetermined),
}

/// Fits all effects at once.
fn fit(settings: usize, trials: &[Trial]) -> Result<Vec<Effect>, FitError> {
    let values = solve(settings, trials)?;
    // An exact fit leaves no spread from which an error could be estimated.
    if trials.iter().all(|trial| (trial.score.0 - expected(&values, trial)).abs() < EXACT) {
        return Err(FitError::Undetermined(Undetermined::NoSpread));
    }
    let inverse = curvature(&values, trials).inverse().ok_or(INSEPARABLE)?;
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
        let error = Elo(ELO_PER_LOGIT * variance.sqrt());
        Effect { value: Elo(ELO_PER_LOGIT * value), error, degrees: trials.len() - settings }
    });
    Ok(found.collect())
}

const INSEPARABLE: FitError = FitError::Undetermined(Undetermined::Inseparable);

/// Returns the expected score of a trial for these effects. `values` are in logits.
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
fn solve(settings: usize, trials: &[Trial]) -> Result<Vec<f64>, FitError> {
    let mut values = vec![0.0; settings];
    for _ in 0..MAX_STEPS {
        let mut slope = vec![0.0; settings];
        for trial in trials {
            let surplus = trial.score.0 - expected(&values, trial);
            slope.iter_mut().zip(&trial.differences).for_each(|(part, sign)| *part += surplus * sign);
        }
        let inverse = curvature(&values, trials).inverse();
        let step = inverse.ok_or_else(|| failure(&values, MAX_LOGIT / 2.0))?.times(&slope);
        let largest = step.iter().fold(0.0_f64, |largest, part| largest.max(part.abs()));
        // A full step from far away can overshoot into the flat tails of the logistic curve.
        let share = (MAX_STEP / largest).min(1.0);
        values.iter_mut().zip(&step).for_each(|(value, part)| *value += share * part);
        if !values.iter().all(|value| value.abs() < MAX_LOGIT) {
            return Err(failure(&values, MAX_LOGIT));
        }
        if largest < TOLERANCE {
            return Ok(values);
        }
    }
    Err(failure(&values, MAX_LOGIT / 2.0))
}

/// Returns why a fit fails with these values: the largest one diverges if it is beyond `limit`.
fn failure(values: &[f64], limit: f64) -> FitError {
    let largest = values.iter().map(|value| value.abs()).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    largest.filter(|&(_, size)| size >= limit).map_or(INSEPARABLE, |(index, _)| FitError::Diverged(index))
}

#[cfg(test)]
mod tests {
    use stretto::types::SplitMix64;

    use super::*;
    use crate::counts::Pentanomial;
    use crate::elo::elo;
    use crate::numeric::Z95;

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
        let [Ok(found)] = effects(1, &trials)[..] else { panic!("one setting") };
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
            let found = effects(5, &simulated(&values, 400, &mut random));
            let found: Vec<Effect> = found.into_iter().map(Result::unwrap).collect();
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
    fn settings_without_effect_in_few_pairs_rarely_differ() {
        let mut random = SplitMix64::new(12);
        let (runs, mut families) = (2000, 0);
        for _ in 0..runs {
            let found = effects(5, &simulated(&[0.0; 5], 12, &mut random));
            let p_value =
                |effect: &Effect| crate::holm::p_value(effect.value.0, effect.error.0, effect.degrees);
            let p_values: Vec<_> = found.iter().map(|found| found.as_ref().ok().and_then(p_value)).collect();
            families += usize::from(crate::holm::holm(&p_values).contains(&true));
        }
        // With normal quantiles 15 %. The standard error of 5 % is 0.5 %.
        assert!((60..=130).contains(&families), "{families} of {runs}");
    }

    #[test]
    fn errors_of_ten_settings_and_24_pairs_are_widened_for_the_fit() {
        // Playing every pair twice leaves the effects and halves the variance before the factor
        // N / (N - n), which falls from 24 / 14 to 48 / 38.
        let (pairs, settings) = (24, 10);
        let estimates = |seed: u64| {
            let trials = simulated(&[0.0; 10], pairs, &mut SplitMix64::new(seed));
            let all = |trials: &[Trial]| -> Option<Vec<Effect>> {
                effects(settings, trials).into_iter().map(Result::ok).collect()
            };
            Some((all(&trials)?, all(&[trials.clone(), trials].concat())?))
        };
        let (once, twice) = (1..200).find_map(estimates).expect("a design that determines all effects");
        let expected = (38.0_f64 / 14.0).sqrt();
        for (once, twice) in once.iter().zip(&twice) {
            assert!((once.value.0 - twice.value.0).abs() < 1e-6, "{once:?} {twice:?}");
            let ratio = once.error.0 / twice.error.0;
            assert!((ratio - expected).abs() < 1e-6, "{ratio}, expected {expected}");
        }
    }

    #[test]
    fn undetermined_effects_have_no_estimate() {
        let trial = |differences: &[f64], score: f64| Trial {
            differences: differences.to_vec(),
            score: Share(score),
        };
        let mut random = SplitMix64::new(9);
        let all = |reason: Undetermined, count: usize| vec![Err(reason); count];
        assert_eq!(effects(0, &[]), []);
        let few = simulated(&[0.0; 3], 7, &mut random);
        assert_eq!(effects(3, &few), all(Undetermined::TooFewPairs, 3));
        let together: Vec<Trial> =
            (0..20).map(|n| trial(&[1.0, 1.0], if n % 2 == 0 { 0.75 } else { 0.25 })).collect();
        assert_eq!(effects(2, &together), all(Undetermined::Inseparable, 2), "always together");
        let never: Vec<Trial> = (0..20).map(|n| trial(&[1.0, 0.0], f64::from(n % 3) / 4.0)).collect();
        let found = effects(2, &never);
        assert!(found[0].is_ok() && found[1] == Err(Undetermined::NeverDiffered), "{found:?}");
        let won: Vec<Trial> =
            (0..20).map(|n| if n % 2 == 0 { trial(&[1.0], 1.0) } else { trial(&[-1.0], 0.0) }).collect();
        assert_eq!(effects(1, &won), all(Undetermined::OneSided, 1), "everything won");
        let equal = vec![trial(&[1.0], 0.75); 20];
        assert_eq!(effects(1, &equal), all(Undetermined::NoSpread, 1));
    }

    #[test]
    fn settings_that_differ_together_or_never_leave_the_others_their_estimates() {
        let mut random = SplitMix64::new(6);
        let plain = simulated(&[50.0, -80.0, 20.0], 400, &mut random);
        let with = |extra: fn(&[f64]) -> [f64; 2]| -> Vec<Trial> {
            let longer = |trial: &Trial| Trial {
                differences: [&trial.differences[..], &extra(&trial.differences)[..]].concat(),
                score: trial.score,
            };
            plain.iter().map(longer).collect()
        };
        let expected = effects(3, &plain);
        let is_near = |one: &Result<Effect, Undetermined>, other: &Result<Effect, Undetermined>| {
            let (one, other) = (one.unwrap(), other.unwrap());
            (one.value.0 - other.value.0).abs() < 1e-6 && (one.error.0 - other.error.0).abs() < 1e-6
        };
        // The fourth is the second, and the fifth never differs.
        let found = effects(5, &with(|differences| [differences[1], 0.0]));
        assert!(is_near(&found[0], &expected[0]) && is_near(&found[2], &expected[2]), "{found:?}");
        assert_eq!([found[1], found[3]], [Err(Undetermined::Inseparable); 2]);
        assert_eq!(found[4], Err(Undetermined::NeverDiffered));
        // The fourth is the difference of the first two: only the third is known.
        let found = effects(5, &with(|differences| [differences[0] - differences[1], 0.0]));
        assert!(is_near(&found[2], &expected[2]), "{found:?}");
        assert_eq!([found[0], found[1], found[3]], [Err(Undetermined::Inseparable); 3]);
    }

    #[test]
    fn one_sided_setting_leaves_the_others_their_estimates() {
        let mut random = SplitMix64::new(3);
        let mut trials = simulated(&[0.0, 40.0, -60.0], 400, &mut random);
        let others = |trials: &[Trial]| -> Vec<Trial> {
            let rest = trials.iter().filter(|trial| trial.differences[0].abs() < 0.5);
            rest.map(|trial| Trial { differences: trial.differences[1..].to_vec(), ..trial.clone() })
                .collect()
        };
        // The first setting loses every game in which it differs.
        for trial in &mut trials {
            if trial.differences[0].abs() > 0.5 {
                trial.score = Share(if trial.differences[0] > 0.0 { 0.0 } else { 1.0 });
            }
        }
        let found = effects(3, &trials);
        assert_eq!(found[0], Err(Undetermined::OneSided));
        assert_eq!(found[1..], effects(2, &others(&trials)), "from the pairs in which it does not differ");
        assert!(found[1].unwrap().value.0 > 0.0 && found[2].unwrap().value.0 < 0.0, "{found:?}");
    }

    #[test]
    fn one_sided_setting_that_always_differs_leaves_no_pairs() {
        let mut random = SplitMix64::new(4);
        let trials: Vec<Trial> = simulated(&[40.0], 100, &mut random)
            .into_iter()
            .enumerate()
            .map(|(index, trial)| {
                let first = if index % 2 == 0 { 1.0 } else { -1.0 };
                let differences = vec![first, trial.differences[0]];
                Trial { differences, score: Share(if first > 0.0 { 1.0 } else { 0.0 }) }
            })
            .collect();
        let found = effects(2, &trials);
        assert_eq!(found, [Err(Undetermined::OneSided), Err(Undetermined::TooFewPairs)]);
    }
}
