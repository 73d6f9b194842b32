//! Correlation of two measured quantities, and how much of their spread is error.
//!
//! Errors of measurement weaken a correlation: the observed one is the true one times the square
//! root of the product of the two reliabilities (attenuation).
//!
//! Source: C. Spearman, "The proof and measurement of association between two things" (1904), for the
//! attenuation; R. A. Fisher, "On the probable error of a coefficient of correlation deduced from a
//! small sample" (1921), for the interval.

use serde::Serialize;

use super::mean::mean;
use super::numeric::Z95;

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounded {
    /// The estimate.
    pub value: f64,
    /// Lower confidence limit.
    pub low: f64,
    /// Upper confidence limit.
    pub high: f64,
}

impl Bounded {
    /// Returns the value and its interval after an increasing function.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { value: f(self.value), low: f(self.low), high: f(self.high) }
    }
}

/// Returns Pearson's correlation with Fisher's interval; `None` with fewer than four points or
/// without spread in one quantity.
pub fn correlation(points: &[(f64, f64)]) -> Option<Bounded> {
    if points.len() < 4 {
        return None;
    }
    let x = mean(points.iter().map(|point| point.0));
    let y = mean(points.iter().map(|point| point.1));
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let squares = [
        points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>(),
        points.iter().map(|point| (point.1 - y).powi(2)).sum::<f64>(),
    ];
    if squares.iter().any(|&square| square <= 0.0) {
        return None;
    }
    let value = (product / (squares[0] * squares[1]).sqrt()).clamp(-1.0, 1.0);
    let half = Z95 / (points.len() as f64 - 3.0).sqrt();
    Some(Bounded { value, low: (value.atanh() - half).tanh(), high: (value.atanh() + half).tanh() })
}

/// Returns the share of the spread of measured values that is not error: 1 minus the mean squared
/// error over the variance. `None` if the errors explain all of it.
///
/// Range: above 0, to 1.
pub fn reliability(measured: &[(f64, f64)]) -> Option<f64> {
    let count = measured.len() as f64;
    let centre = mean(measured.iter().map(|found| found.0));
    let square: f64 = measured.iter().map(|found| (found.0 - centre).powi(2)).sum();
    let errors = mean(measured.iter().map(|found| found.1.powi(2)));
    let share = 1.0 - errors * (count - 1.0) / square;
    (share > 0.0).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_of_four_points_is_computed_by_hand() {
        let found = correlation(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)]).unwrap();
        assert!((found.value - 0.8).abs() < 1e-12, "products 4, squares 5 and 5");
        // artanh(0.8) = 1.098612, give or take 1.959964.
        assert!((found.low + 0.696_96).abs() < 1e-4 && (found.high - 0.995_60).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn perfect_correlation_has_no_width() {
        let found = correlation(&[(0.0, 4.0), (1.0, 2.0), (2.0, 0.0), (3.0, -2.0)]).unwrap();
        assert!((found.value + 1.0).abs() < 1e-12 && (found.high - found.low).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn too_few_points_or_no_spread_have_no_correlation() {
        assert_eq!(correlation(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(correlation(&[(1.0, 0.0), (1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn reliability_is_the_share_of_the_variance_beyond_the_errors() {
        // The variance of 1, 2, 3 is 1; the mean squared error is 0.25.
        let share = reliability(&[(1.0, 0.5), (2.0, 0.5), (3.0, 0.5)]).unwrap();
        assert!((share - 0.75).abs() < 1e-12, "{share}");
        assert_eq!(reliability(&[(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)]), None, "all of it is error");
        assert_eq!(reliability(&[(1.0, 0.1); 3]), None, "no spread");
    }
}
