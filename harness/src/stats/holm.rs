//! Simultaneous confidence intervals for several estimates, by Holm's method.
//!
//! Of m estimates, the one farthest from zero is tested at level alpha / m, the next at
//! alpha / (m − 1), and so on. The first one that fails ends the procedure, and all remaining
//! estimates use its level. The probability of any false rejection is then at most alpha. Each interval is the
//! usual one at its estimate's level, so it excludes zero exactly where Holm's test rejects.
//!
//! Source: S. Holm, "A simple sequentially rejective multiple test procedure" (1979); R. Serlin,
//! "Confidence intervals and the scientific method" (1993), for the intervals.

use super::numeric::{bisect_decreasing, normal_cdf};

/// Family-wise error rate. Units: probability.
const ALPHA: f64 = 0.05;
/// Upper end of the search for a critical value. Units: standard errors.
const MAX_Z: f64 = 40.0;

/// The interval and the test result of one estimate among several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simultaneous {
    /// Half-width of the interval, in the units of the estimate.
    pub half_width: f64,
    /// Whether the estimate differs significantly from zero among all of them.
    pub is_different: bool,
}

/// Tests the estimates with their standard errors jointly at 95 %. `None` denotes an estimate
/// without a standard error: it counts as a member of the family and gets no interval.
pub fn holm(estimates: &[Option<(f64, f64)>]) -> Vec<Option<Simultaneous>> {
    let distance = |index: &usize| estimates[*index].map_or(0.0, |(value, error)| (value / error).abs());
    let mut order: Vec<usize> = (0..estimates.len()).collect();
    order.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    let mut found = vec![None; estimates.len()];
    let (mut left, mut has_failed) = (estimates.len(), false);
    for index in order {
        let Some((_, error)) = estimates[index] else { continue };
        let critical = two_sided(ALPHA / left as f64);
        has_failed |= distance(&index) <= critical;
        if !has_failed {
            left -= 1;
        }
        found[index] = Some(Simultaneous { half_width: critical * error, is_different: !has_failed });
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

    /// A deterministic generator of numbers from 0 to 1 (xorshift, Marsaglia 2003).
    struct Uniform(u64);

    impl Uniform {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    #[test]
    fn single_estimate_has_the_usual_interval() {
        let [Some(alone)] = holm(&[Some((3.0, 1.0))])[..] else { panic!("one") };
        assert!((alone.half_width - super::super::numeric::Z95).abs() < 1e-6 && alone.is_different);
    }

    #[test]
    fn largest_estimate_is_tested_first_and_first_failure_stops() {
        // Two-sided levels: 5 %/3 is 2.394 errors, 5 %/2 is 2.241, 5 % is 1.960.
        let found = holm(&[Some((2.3, 1.0)), Some((-5.0, 2.0)), Some((2.0, 1.0)), None]);
        let found: Vec<Simultaneous> = found.into_iter().flatten().collect();
        assert_eq!(found.len(), 3, "an estimate without an error has no interval");
        // Family of four: 2.498 errors for the largest, which has 2.5; then 2.394 for the one with
        // 2.3 and all after it.
        assert!(found[1].is_different && (found[1].half_width - 2.0 * 2.4977).abs() < 1e-3, "{found:?}");
        assert!(!found[0].is_different && (found[0].half_width - 2.3940).abs() < 1e-3, "{found:?}");
        assert!(!found[2].is_different && (found[2].half_width - 2.3940).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn interval_excludes_zero_exactly_when_test_rejects() {
        let mut random = Uniform(3);
        for _ in 0..200 {
            let estimates: Vec<(f64, f64)> = (0..6).map(|_| (8.0 * random.next() - 4.0, 1.0)).collect();
            let found = holm(&estimates.iter().copied().map(Some).collect::<Vec<_>>());
            for (&(value, _), found) in estimates.iter().zip(found) {
                let found = found.unwrap();
                assert_eq!(value.abs() > found.half_width, found.is_different);
            }
        }
    }

    #[test]
    fn family_wise_error_rate_is_at_most_alpha() {
        let mut random = Uniform(7);
        // Sums of twelve uniform numbers are close to normal, with standard error 1.
        let mut normal = || (0..12).map(|_| random.next()).sum::<f64>() - 6.0;
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
