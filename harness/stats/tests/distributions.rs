//! The distributions and tests of the statistics beside those of the crate statrs, over their whole range.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};
use stretto_stats::numeric::{ln_normal_cdf, normal_cdf, student_cdf, student_critical};
use stretto_stats::proportion::sign_test;

/// Asserts a relative difference of at most `tolerance`, or an absolute one of 1e-300.
#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let difference = (found - expected).abs();
    assert!(difference <= tolerance * expected.abs() + 1e-300, "{what}: {found:e}, expected {expected:e}");
}

#[test]
fn normal_distribution_matches_statrs() {
    let normal = Normal::standard();
    for step in -3700..=3700 {
        let z = f64::from(step) / 100.0;
        // The error is that of statrs, whose error function is a rational approximation.
        assert_near(normal_cdf(z), normal.cdf(z), 1e-9, &format!("z = {z}"));
        assert_near(ln_normal_cdf(z).exp(), normal.cdf(z), 1e-9, &format!("logarithm, z = {z}"));
    }
}

#[test]
fn students_distribution_matches_statrs() {
    for degrees in [1.0, 2.0, 3.0, 7.5, 30.0, 59.0, 400.0, 9999.0, 99_000.0] {
        let student = StudentsT::new(0.0, 1.0, degrees).expect("positive");
        for step in -120..=120 {
            let t = f64::from(step) / 10.0;
            assert_near(
                student_cdf(t, degrees),
                student.cdf(t),
                1e-8,
                &format!("t = {t}, {degrees} degrees"),
            );
        }
    }
    for (degrees, level) in [(1, 0.05), (2, 0.01), (10, 0.001), (59, 0.05), (5000, 0.2)] {
        let student = StudentsT::new(0.0, 1.0, f64::from(degrees)).expect("positive");
        let found = student_critical(level, degrees as usize).expect("degrees of freedom");
        assert_near(found, student.inverse_cdf(1.0 - level / 2.0), 1e-7, &format!("{degrees} degrees"));
    }
}

#[test]
fn sign_test_matches_the_binomial_distribution_of_statrs() {
    for (gained, lost) in [(0, 1), (3, 2), (8, 1), (40, 60), (51, 49), (1000, 1100), (90, 10)] {
        let binomial = Binomial::new(0.5, gained + lost).expect("a probability");
        let expected = (2.0 * binomial.cdf(gained.min(lost))).min(1.0);
        assert_near(sign_test(gained, lost).0, expected, 1e-9, &format!("{gained} to {lost}"));
    }
}
