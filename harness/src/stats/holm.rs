//! Intervals for several estimates at once, by Holm's method.
//!
//! Of m estimates the one farthest from zero must clear the level alpha / m, the next alpha / (m - 1), and so on; the first
//! that does not ends it, and all that remain are judged at its level. The chance that any estimate whose true value is
//! zero is called different from zero is then at most alpha. Each interval is the usual one at its estimate's level, so it
//! leaves out zero exactly where Holm's test does.
//!
//! Source: S. Holm, "A simple sequentially rejective multiple test procedure" (1979); R. Serlin, "Confidence intervals and
//! the scientific method" (1993), for the intervals.

use super::numeric::{bisect_decreasing, normal_cdf};

/// The chance of any false difference. Units: probability.
const ALPHA: f64 = 0.05;
/// Beyond this many standard errors no level leads.
const FARTHEST: f64 = 40.0;

/// An estimate among others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simultaneous {
    /// Half the width of its interval, in the units of the estimate.
    pub half_width: f64,
    /// Is it different from zero, among all of them?
    pub is_different: bool,
}

/// Judges estimates with their standard errors together, at 95 %. `None` stands for one without an error: it counts as one of
/// the many and gets no interval.
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

/// How many standard errors a normal estimate is away from its mean, either way, with this probability.
fn two_sided(probability: f64) -> f64 {
    bisect_decreasing(0.0, FARTHEST, |z| 2.0 * normal_cdf(-z) - probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from 0 to 1, always the same (xorshift, Marsaglia 2003).
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
    fn one_alone_has_the_usual_interval() {
        let [Some(alone)] = holm(&[Some((3.0, 1.0))])[..] else { panic!("one") };
        assert!((alone.half_width - super::super::numeric::Z95).abs() < 1e-6 && alone.is_different);
    }

    #[test]
    fn the_farthest_is_judged_most_strictly_and_the_first_failure_ends_it() {
        // Two-sided levels: 5 %/3 is 2.394 errors, 5 %/2 is 2.241, 5 % is 1.960.
        let found = holm(&[Some((2.3, 1.0)), Some((-5.0, 2.0)), Some((2.0, 1.0)), None]);
        let found: Vec<Simultaneous> = found.into_iter().flatten().collect();
        assert_eq!(found.len(), 3, "what has no error has no interval");
        // Of four: 2.498 errors for the farthest, which has 2.5; then 2.394 for one with 2.3, and for all after it.
        assert!(found[1].is_different && (found[1].half_width - 2.0 * 2.4977).abs() < 1e-3, "{found:?}");
        assert!(!found[0].is_different && (found[0].half_width - 2.3940).abs() < 1e-3, "{found:?}");
        assert!(!found[2].is_different && (found[2].half_width - 2.3940).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn intervals_leave_out_zero_exactly_where_the_test_does() {
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
    fn a_family_of_nothings_is_rarely_called_different() {
        let mut random = Uniform(7);
        // Sums of twelve uniform numbers: normal enough, with standard error 1.
        let mut normal = || (0..12).map(|_| random.next()).sum::<f64>() - 6.0;
        let trials = 2000;
        let wrong = (0..trials)
            .filter(|_| {
                let family: Vec<_> = (0..10).map(|_| Some((normal(), 1.0))).collect();
                holm(&family).iter().flatten().any(|found| found.is_different)
            })
            .count();
        // 5 % of 2,000 is 100, give or take 10.
        assert!((50..=130).contains(&wrong), "{wrong}");
    }
}
