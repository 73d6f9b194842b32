//! Tests of several estimates by Holm's method, and simultaneous confidence intervals.
//!
//! Holm's test: of m hypotheses, the one with the smallest p-value is tested at level alpha / m, the
//! next at alpha / (m − 1), and so on; the first one that fails ends the procedure. The probability of
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

use super::numeric::{student_cdf, student_critical};

/// Family-wise error rate. Units: probability.
const ALPHA: f64 = 0.05;

/// Tests hypotheses jointly at 95 %, given their p-values. Returns whether each is rejected.
///
/// `None` denotes a hypothesis that the data do not test: it counts as a member of the family and is not
/// rejected.
///
/// ```
/// use stretto_stats::holm::holm;
///
/// // 0.01 is below 0.05 / 3 and 0.02 below 0.05 / 2, but 0.06 is not below 0.05.
/// assert_eq!(holm(&[Some(0.02), Some(0.06), Some(0.01)]), [true, false, true]);
/// // 0.02 is not below 0.05 / 3, which ends the procedure.
/// assert_eq!(holm(&[Some(0.02), Some(0.03), None]), [false, false, false]);
/// ```
pub fn holm(p_values: &[Option<f64>]) -> Vec<bool> {
    let p_value = |index: usize| p_values[index].unwrap_or(1.0);
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_value(one).total_cmp(&p_value(other)));
    let mut rejected = vec![false; p_values.len()];
    for (done, index) in order.into_iter().enumerate() {
        let left = p_values.len() - done;
        if p_value(index) >= ALPHA / left as f64 {
            break;
        }
        rejected[index] = true;
    }
    rejected
}

/// Returns the p-value of an estimate with this standard error, which has these degrees of freedom: the
/// probability of one at least as far from zero. `None` without an error: data without spread say
/// nothing about it.
pub fn p_value(value: f64, error: f64, degrees: usize) -> Option<f64> {
    (error > 0.0).then(|| 2.0 * student_cdf(-(value / error).abs(), degrees.max(1) as f64))
}

/// Returns the half-width of the simultaneous intervals of this number of estimates, in standard errors with
/// these degrees of freedom; `usize::MAX` stands for a normal distribution.
pub fn simultaneous_half_width(members: usize, degrees: usize) -> f64 {
    // Only without a degree of freedom there is no critical value.
    student_critical(ALPHA / members.max(1) as f64, degrees.max(1)).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::types::SplitMix64;

    const NORMAL: usize = usize::MAX;

    fn uniform(random: &mut SplitMix64) -> f64 {
        (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns the p-values of estimates with a standard error of 1.
    fn p_values(estimates: &[f64]) -> Vec<Option<f64>> {
        estimates.iter().map(|&value| p_value(value, 1.0, NORMAL)).collect()
    }

    #[test]
    fn estimate_without_spread_is_not_different() {
        assert_eq!([0.0, 5.0].map(|value| p_value(value, 0.0, NORMAL)), [None, None]);
        assert_eq!(holm(&[None]), [false]);
        assert_eq!(holm(&[None, p_value(9.0, 1.0, NORMAL)]), [false, true]);
        assert_eq!(holm(&[]), [false; 0]);
    }

    #[test]
    fn single_estimate_has_the_usual_interval_and_test() {
        assert!((simultaneous_half_width(1, NORMAL) - super::super::numeric::Z95).abs() < 1e-6);
        assert_eq!([1.95, -1.97, 3.0].map(|value| holm(&p_values(&[value]))[0]), [false, true, true]);
        assert!((p_value(-3.92, 2.0, NORMAL).unwrap() - 0.05).abs() < 1e-4, "1.96 errors");
        // Published quantiles of Student's t with 7 degrees of freedom.
        assert!((simultaneous_half_width(1, 7) - 2.3646).abs() < 1e-4);
        assert!((simultaneous_half_width(5, 7) - 3.4995).abs() < 1e-4, "1 % two-sided");
        assert!((p_value(3.4995, 1.0, 7).unwrap() - 0.01).abs() < 1e-5);
    }

    #[test]
    fn smallest_p_value_is_tested_first_and_first_failure_stops() {
        // Two-sided levels: 5 %/4 is 2.498 errors, 5 %/3 is 2.394, 5 %/2 is 2.241.
        let p_values =
            [p_value(2.2, 1.0, NORMAL), p_value(-5.0, 2.0, NORMAL), p_value(2.45, 1.0, NORMAL), None];
        assert_eq!(holm(&p_values), [false, true, true, false]);
        assert_eq!(holm(&[Some(0.04), Some(0.02), Some(0.04)]), [false; 3], "0.02 is above 5 %/3");
        assert_eq!(holm(&[Some(0.04), Some(0.01), Some(0.04)]), [false, true, false]);
        assert!((simultaneous_half_width(4, NORMAL) - 2.4977).abs() < 1e-3);
    }

    #[test]
    fn test_rejects_wherever_the_interval_excludes_zero() {
        let mut random = SplitMix64::new(3);
        let half_width = simultaneous_half_width(6, NORMAL);
        for _ in 0..200 {
            let estimates: Vec<f64> = (0..6).map(|_| 8.0 * uniform(&mut random) - 4.0).collect();
            for (value, is_different) in estimates.iter().zip(holm(&p_values(&estimates))) {
                assert!(is_different || value.abs() <= half_width);
            }
        }
    }

    /// Returns the half-widths at the levels of Holm's test, which are not simultaneous.
    fn stepwise_widths(estimates: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..estimates.len()).collect();
        order.sort_by(|&one, &other| estimates[other].abs().total_cmp(&estimates[one].abs()));
        let (mut widths, mut left) = (vec![0.0; estimates.len()], estimates.len());
        for index in order {
            widths[index] = student_critical(ALPHA / left as f64, NORMAL).unwrap();
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
        let intervals =
            |estimates: &[f64]| vec![simultaneous_half_width(estimates.len(), NORMAL); estimates.len()];
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
                let estimates: Vec<f64> = (0..10).map(|_| normal()).collect();
                holm(&p_values(&estimates)).contains(&true)
            })
            .count();
        // 5 % of 2,000 is 100, with a standard deviation of 10.
        assert!((50..=130).contains(&wrong), "{wrong}");
    }
}
