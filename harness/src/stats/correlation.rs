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
use super::numeric::{Z95, chi_square_quantile};

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
/// The interval is that of the variance of normal values (chi-square). Range: above 0, to 1; the lower
/// limit may be 0.
pub fn reliability(measured: &[(f64, f64)]) -> Option<Bounded> {
    let freedom = measured.len().checked_sub(1)?;
    let centre = mean(measured.iter().map(|found| found.0));
    let square: f64 = measured.iter().map(|found| (found.0 - centre).powi(2)).sum();
    let errors = mean(measured.iter().map(|found| found.1.powi(2)));
    // The sum of squares is the variance times a chi-square variable.
    let share = |chi_square: f64| 1.0 - errors * chi_square / square;
    let value = share(freedom as f64);
    (value > 0.0).then(|| Bounded {
        value,
        low: share(chi_square_quantile(0.975, freedom)).max(0.0),
        high: share(chi_square_quantile(0.025, freedom)),
    })
}

/// Returns the largest correlation to be observed between quantities of these reliabilities.
pub fn ceiling(one: Bounded, other: Bounded) -> Bounded {
    Bounded {
        value: (one.value * other.value).sqrt(),
        low: (one.low * other.low).sqrt(),
        high: (one.high * other.high).sqrt(),
    }
}

/// Returns the observed correlation divided by the largest that errors let one observe. Each limit is
/// divided by the end of the ceiling that moves it outwards; a ceiling of 0 leaves it open.
///
/// Range: -1 to 1.
pub fn without_attenuation(observed: Bounded, ceiling: Bounded) -> Bounded {
    let divided = |correlation: f64, ceiling: f64| {
        if ceiling > 0.0 { (correlation / ceiling).clamp(-1.0, 1.0) } else { correlation.signum() }
    };
    let outwards = |is_outer: bool| if is_outer { ceiling.low } else { ceiling.high };
    Bounded {
        value: divided(observed.value, ceiling.value),
        low: divided(observed.low, outwards(observed.low < 0.0)),
        high: divided(observed.high, outwards(observed.high > 0.0)),
    }
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
        assert!((share.value - 0.75).abs() < 1e-12, "{share:?}");
        // Chi-square quantiles of two degrees of freedom: 0.0506 and 7.3778, over a sum of squares of 2.
        assert!((share.low - 0.077_78).abs() < 1e-4 && (share.high - 0.993_67).abs() < 1e-4, "{share:?}");
        let unsure = reliability(&[(1.0, 0.9), (2.0, 0.9), (3.0, 0.9)]).unwrap();
        assert!(unsure.value > 0.1 && unsure.low <= 0.0, "{unsure:?}");
        assert_eq!(reliability(&[(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)]), None, "all of it is error");
        assert_eq!(reliability(&[(1.0, 0.1); 3]), None, "no spread");
    }

    #[test]
    fn limits_of_the_corrected_correlation_move_outwards() {
        let bounded = |low, value, high| Bounded { value, low, high };
        let ceiling = bounded(0.5, 0.8, 1.0);
        for (observed, low, high) in [
            (bounded(0.2, 0.3, 0.4), 0.2, 0.8),
            (bounded(-0.4, -0.3, -0.2), -0.8, -0.2),
            (bounded(-0.1, 0.3, 0.6), -0.2, 1.0),
        ] {
            let found = without_attenuation(observed, ceiling);
            assert!((found.low - low).abs() < 1e-12 && (found.high - high).abs() < 1e-12, "{found:?}");
            assert!((found.value - observed.value / 0.8).abs() < 1e-12, "{found:?}");
        }
        let open = without_attenuation(bounded(-0.6, -0.2, 0.3), bounded(0.0, 0.4, 0.7));
        assert_eq!((open.low, open.high), (-1.0, 1.0), "the reliability may be 0");
    }
}
