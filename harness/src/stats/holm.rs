//! Tests of several estimates by Holm's method, and simultaneous confidence intervals.
//!
//! Holm's test: of m estimates, the one farthest from zero is tested at level alpha / m, the next
//! at alpha / (m − 1), and so on; the first one that fails ends the procedure. The probability of
//! any false rejection is at most alpha.
//!
//! Intervals at the level where Holm's test stopped would not cover all values simultaneously: a
//! rejected hypothesis is no longer counted, but its estimate still errs. The intervals here are
//! Bonferroni's, each at level alpha / m, which together cover all values with probability at least
//! 1 − alpha for any values and any dependence. Holm's test can therefore reject zero
//! where the interval still includes it.
//!
//! Source: S. Holm, "A simple sequentially rejective multiple test procedure" (1979); O. J. Dunn,
//! "Multiple comparisons among means" (1961), for the intervals.

use super::numeric::{bisect_decreasing, normal_cdf};

/// Family-wise error rate. Units: probability.
const ALPHA: f64 = 0.05;
/// Upper end of the search for a critical value. Units: standard errors.
const MAX_Z: f64 = 40.0;

/// The interval and the test result of one estimate among several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simultaneous {
    /// Half-width of the simultaneous interval, in the units of the estimate.
    pub half_width: f64,
    /// Whether Holm's test finds the estimate different from zero.
    pub is_different: bool,
}

/// Tests the estimates with their standard errors jointly at 95 %. `None` denotes an estimate
/// without a standard error, and so does an error of 0: it counts as a member of the family and gets
/// no interval.
pub fn holm(estimates: &[Option<(f64, f64)>]) -> Vec<Option<Simultaneous>> {
    // Data without spread say nothing about the error of the estimate.
    let has_error = |estimate: &(f64, f64)| estimate.1 > 0.0;
    let estimates: Vec<_> = estimates.iter().map(|estimate| estimate.filter(has_error)).collect();
    let distance = |index: &usize| estimates[*index].map_or(0.0, |(value, error)| (value / error).abs());
    let mut order: Vec<usize> = (0..estimates.len()).collect();
    order.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    let mut found = vec![None; estimates.len()];
    let half_width = two_sided(ALPHA / estimates.len().max(1) as f64);
    let (mut left, mut has_failed) = (estimates.len(), false);
    for index in order {
        let Some((_, error)) = estimates[index] else { continue };
        let critical = two_sided(ALPHA / left as f64);
        has_failed |= distance(&index) <= critical;
        if !has_failed {
            left -= 1;
        }
        found[index] = Some(Simultaneous { half_width: half_width * error, is_different: !has_failed });
    }
    found
}

/// Returns the critical value of the two-sided normal test at this level, in standard errors.
fn two_sided(probability: f64) -> f64 {
    bisect_decreasing(0.0, MAX_Z, |z| 2.0 * normal_cdf(-z) - probability)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;

    fn uniform(random: &mut SplitMix64) -> f64 {
        (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn estimate_without_spread_is_not_different() {
        assert_eq!(holm(&[Some((0.0, 0.0))]), [None]);
        assert_eq!(holm(&[Some((5.0, 0.0))]), [None]);
        let found = holm(&[Some((5.0, 0.0)), Some((9.0, 1.0))]);
        assert!(found[0].is_none() && found[1].is_some_and(|found| found.is_different));
    }

    #[test]
    fn single_estimate_has_the_usual_interval() {
        let [Some(alone)] = holm(&[Some((3.0, 1.0))])[..] else { panic!("one") };
        assert!((alone.half_width - super::super::numeric::Z95).abs() < 1e-6 && alone.is_different);
    }

    #[test]
    fn largest_estimate_is_tested_first_and_first_failure_stops() {
        // Two-sided levels: 5 %/4 is 2.498 errors, 5 %/3 is 2.394, 5 %/2 is 2.241.
        let found = holm(&[Some((2.2, 1.0)), Some((-5.0, 2.0)), Some((2.45, 1.0)), None]);
        let found: Vec<Simultaneous> = found.into_iter().flatten().collect();
        assert_eq!(found.len(), 3, "an estimate without an error has no interval");
        let rejected: Vec<bool> = found.iter().map(|found| found.is_different).collect();
        assert_eq!(rejected, [false, true, true]);
        // All intervals have the level of a family of four.
        for (found, error) in found.iter().zip([1.0, 2.0, 1.0]) {
            assert!((found.half_width - error * 2.4977).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn test_rejects_wherever_the_interval_excludes_zero() {
        let mut random = SplitMix64::new(3);
        for _ in 0..200 {
            let estimates: Vec<(f64, f64)> =
                (0..6).map(|_| (8.0 * uniform(&mut random) - 4.0, 1.0)).collect();
            let found = holm(&estimates.iter().copied().map(Some).collect::<Vec<_>>());
            for (&(value, _), found) in estimates.iter().zip(found) {
                let found = found.unwrap();
                assert!(found.is_different || value.abs() <= found.half_width);
            }
        }
    }

    /// Returns the half-widths at the levels of Holm's test, which are not simultaneous.
    fn stepwise_widths(estimates: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..estimates.len()).collect();
        order.sort_by(|&one, &other| estimates[other].abs().total_cmp(&estimates[one].abs()));
        let (mut widths, mut left) = (vec![0.0; estimates.len()], estimates.len());
        for index in order {
            widths[index] = two_sided(ALPHA / left as f64);
            left -= usize::from(estimates[index].abs() > widths[index]);
        }
        widths
    }

    /// Returns the share of families of ten, of which `real` have a large effect, whose values all
    /// lie inside their intervals.
    fn coverage(real: usize, widths: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
        let mut random = SplitMix64::new(11);
        let mut normal = || (0..12).map(|_| uniform(&mut random)).sum::<f64>() - 6.0;
        let trials = 4000;
        let effect = |index: usize| if index < real { 6.0 } else { 0.0 };
        let covered = (0..trials)
            .filter(|_| {
                let errors: Vec<f64> = (0..10).map(|_| normal()).collect();
                let estimates: Vec<f64> =
                    errors.iter().enumerate().map(|(index, error)| effect(index) + error).collect();
                errors.iter().zip(widths(&estimates)).all(|(error, width)| error.abs() <= width)
            })
            .count();
        covered as f64 / f64::from(trials)
    }

    #[test]
    fn simultaneous_intervals_cover_with_real_effects() {
        let intervals = |estimates: &[f64]| {
            let family: Vec<_> = estimates.iter().map(|&value| Some((value, 1.0))).collect();
            holm(&family).iter().flatten().map(|found| found.half_width).collect()
        };
        for real in [0, 3, 7, 10] {
            let share = coverage(real, intervals);
            // Three standard errors below 95 %.
            assert!(share > 0.94, "{real} effects: {share}");
        }
        // The levels of Holm's test do not cover, so the test above would notice them.
        assert!(coverage(10, stepwise_widths) < 0.90, "{}", coverage(10, stepwise_widths));
    }

    #[test]
    fn family_wise_error_rate_is_at_most_alpha() {
        let mut random = SplitMix64::new(7);
        // Sums of twelve uniform numbers are close to normal, with standard error 1.
        let mut normal = || (0..12).map(|_| uniform(&mut random)).sum::<f64>() - 6.0;
        let trials = 2000;
        let wrong = (0..trials)
            .filter(|_| {
                let family: Vec<_> = (0..10).map(|_| Some((normal(), 1.0))).collect();
                holm(&family).iter().flatten().any(|found| found.is_different)
            })
            .count();
        // 5 % of 2,000 is 100, with a standard deviation of 10.
        assert!((50..=130).contains(&wrong), "{wrong}");
    }
}
