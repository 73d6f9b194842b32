//! A line through points whose two coordinates both have errors.
//!
//! Least squares of y alone flattens the slope when x has errors. Here each squared distance is
//! divided by the error variance of `y - slope * x`, and the slope minimizes the sum. The interval
//! contains the slopes whose sum is not significantly larger, so it has no end where the errors of x
//! leave the slope open.
//!
//! Source: D. York, "Least-squares fitting of a straight line" (1966); D. York et al., "Unified
//! equations for the slope, intercept, and standard errors of the best straight line" (2004).

use std::f64::consts::{FRAC_PI_2, PI};

use serde::Serialize;

use super::mean::mean;
use super::numeric::{bisect_decreasing, golden_maximum, student_critical};

/// Directions of the line that are tried before the best is refined.
const DIRECTIONS: usize = 1440;
/// Level of the interval. Units: probability.
const LEVEL: f64 = 0.05;

/// A point with the standard errors of its coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// First coordinate.
    pub x: f64,
    /// Its standard error; may be 0.
    pub x_error: f64,
    /// Second coordinate.
    pub y: f64,
    /// Its standard error, above 0.
    pub y_error: f64,
}

/// A fitted line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Value at 0.
    pub intercept: f64,
    /// Increase per unit.
    pub slope: f64,
    /// 95 % interval of the slope; absent if the errors leave it unbounded.
    pub interval: Option<(f64, f64)>,
    /// Sum of the weighted squared distances. About the number of points minus 2 if the points differ
    /// from the line by their errors only.
    pub misfit: f64,
}

/// Fits a line; `None` with fewer than three points, without spread of x, or with an error of 0 in y.
pub fn fit(points: &[Point]) -> Option<Line> {
    let freedom = points.len().checked_sub(2).filter(|&freedom| freedom > 0)?;
    if points.iter().any(|point| point.y_error.is_nan() || point.y_error <= 0.0) {
        return None;
    }
    let fan = Fan::of(points)?;
    let angle = |index: usize| (index as f64 + 0.5) / DIRECTIONS as f64 * PI - FRAC_PI_2;
    let misfit = |index: usize| fan.misfit(angle(index)).0;
    let nearest = (0..DIRECTIONS).min_by(|&one, &other| misfit(one).total_cmp(&misfit(other)))?;
    let (low, high) = (angle(nearest) - PI / DIRECTIONS as f64, angle(nearest) + PI / DIRECTIONS as f64);
    let best = golden_maximum(low, high, |angle| -fan.misfit(angle).0);
    let (least, shift) = fan.misfit(best);
    // Points farther from the line than their errors widen the interval.
    let spread = (least / freedom as f64).max(1.0);
    let limit = least + student_critical(LEVEL, freedom).powi(2) * spread;
    let outside = |index: &usize| misfit(*index) > limit;
    let upper = (nearest + 1..DIRECTIONS)
        .find(outside)
        .map(|index| bisect_decreasing(angle(index - 1), angle(index), |angle| limit - fan.misfit(angle).0));
    let lower = (0..nearest).rev().find(outside).map(|index| {
        -bisect_decreasing(-angle(index + 1), -angle(index), |angle| limit - fan.misfit(-angle).0)
    });
    Some(Line {
        intercept: shift / best.cos(),
        slope: fan.slope(best),
        interval: lower.zip(upper).map(|(low, high)| (fan.slope(low), fan.slope(high))),
        misfit: least,
    })
}

/// The lines of all directions. The angle of a line is measured after x is stretched to the spread of
/// y, so that vertical lines are as easy as others.
struct Fan<'a> {
    points: &'a [Point],
    /// Spread of y over that of x.
    stretch: f64,
}

impl<'a> Fan<'a> {
    fn of(points: &'a [Point]) -> Option<Self> {
        let variance = |of: fn(&Point) -> f64| {
            let centre = mean(points.iter().map(of));
            mean(points.iter().map(|point| (of(point) - centre).powi(2)))
        };
        let (x, y) = (variance(|point| point.x), variance(|point| point.y));
        // The errors count as spread, since y may have no other.
        let y = y + mean(points.iter().map(|point| point.y_error.powi(2)));
        (x > 0.0).then(|| Self { points, stretch: (y / x).sqrt() })
    }

    fn slope(&self, angle: f64) -> f64 {
        self.stretch * angle.tan()
    }

    /// Returns the sum of weighted squared distances from the best line of this direction, and the
    /// intercept of that line times the cosine of the angle.
    fn misfit(&self, angle: f64) -> (f64, f64) {
        let (run, rise) = (angle.cos(), self.stretch * angle.sin());
        let weight = |point: &Point| 1.0 / ((run * point.y_error).powi(2) + (rise * point.x_error).powi(2));
        let height = |point: &Point| run * point.y - rise * point.x;
        let total: f64 = self.points.iter().map(weight).sum();
        let shift = self.points.iter().map(|point| weight(point) * height(point)).sum::<f64>() / total;
        (self.points.iter().map(|point| weight(point) * (height(point) - shift).powi(2)).sum(), shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns Pearson's points with York's weights.
    fn pearson_and_york() -> Vec<Point> {
        let x = [0.0, 0.9, 1.8, 2.6, 3.3, 4.4, 5.2, 6.1, 6.5, 7.4];
        let y = [5.9, 5.4, 4.4, 4.6, 3.5, 3.7, 2.8, 2.8, 2.4, 1.5];
        let x_weights = [1000.0_f64, 1000.0, 500.0, 800.0, 200.0, 80.0, 60.0, 20.0, 1.8, 1.0];
        let y_weights = [1.0_f64, 1.8, 4.0, 8.0, 20.0, 20.0, 70.0, 70.0, 100.0, 500.0];
        (0..10)
            .map(|index| Point {
                x: x[index],
                x_error: x_weights[index].sqrt().recip(),
                y: y[index],
                y_error: y_weights[index].sqrt().recip(),
            })
            .collect()
    }

    #[test]
    fn line_is_the_published_one() {
        // York et al. (2004), table II: slope -0.480533407, intercept 5.47991022, S = 11.8663532.
        let line = fit(&pearson_and_york()).unwrap();
        assert!((line.slope + 0.480_533_407).abs() < 1e-7, "{line:?}");
        assert!((line.intercept - 5.479_910_22).abs() < 1e-6, "{line:?}");
        assert!((line.misfit - 11.866_353_2).abs() < 1e-6, "{line:?}");
        // Found by stepping the slope until the sum exceeds 11.8664 (1 + 2.306^2 / 8).
        let (low, high) = line.interval.unwrap();
        assert!((low + 0.658_61).abs() < 2e-5 && (high + 0.336_74).abs() < 2e-5, "{line:?}");
    }

    #[test]
    fn without_errors_in_x_it_is_weighted_least_squares() {
        let point = |x, y| Point { x, x_error: 0.0, y, y_error: 0.5 };
        let line = fit(&[point(0.0, 1.0), point(1.0, 3.0), point(2.0, 4.0)]).unwrap();
        // Centred: x -1, 0, 1 and y -5/3, 1/3, 4/3; slope 3/2, intercept 8/3 - 3/2, rest 1/6 over 1/4.
        assert!((line.slope - 1.5).abs() < 1e-6 && (line.intercept - 7.0 / 6.0).abs() < 1e-6, "{line:?}");
        assert!((line.misfit - 2.0 / 3.0).abs() < 1e-9, "{line:?}");
        // The standard error is 0.5 / sqrt(2), the t quantile of one degree of freedom 12.7062.
        let half = 12.706_2 * 0.5 / 2.0_f64.sqrt();
        let (low, high) = line.interval.unwrap();
        assert!((low - 1.5 + half).abs() < 1e-3 && (high - 1.5 - half).abs() < 1e-3, "{line:?}");
    }

    #[test]
    fn equal_errors_give_demings_slope() {
        // Squares 5 and 4.75, product 4.5.
        let points = [(1.0, 1.0), (2.0, 3.0), (3.0, 3.0), (4.0, 4.0)];
        let points: Vec<Point> =
            points.iter().map(|&(x, y)| Point { x, x_error: 1.0, y, y_error: 1.0 }).collect();
        let (xx, yy, xy) = (5.0_f64, 4.75_f64, 4.5_f64);
        let expected = (yy - xx + ((yy - xx).powi(2) + 4.0 * xy * xy).sqrt()) / (2.0 * xy);
        let line = fit(&points).unwrap();
        assert!((line.slope - expected).abs() < 1e-6, "{line:?} {expected}");
    }

    #[test]
    fn large_errors_of_x_leave_the_slope_unbounded() {
        let scaled = |factor: f64| {
            let points: Vec<Point> = pearson_and_york()
                .into_iter()
                .map(|point| Point { x_error: factor, y_error: 0.3, ..point })
                .collect();
            fit(&points).unwrap().interval
        };
        assert!(scaled(0.1).is_some());
        assert_eq!(scaled(10.0), None);
    }

    #[test]
    fn undetermined_lines_are_not_fitted() {
        let point = |x, y_error| Point { x, x_error: 0.1, y: x, y_error };
        assert_eq!(fit(&[point(0.0, 1.0), point(1.0, 1.0)]), None, "two points");
        assert_eq!(fit(&[point(1.0, 1.0); 4]), None, "no spread of x");
        assert_eq!(fit(&[point(0.0, 1.0), point(1.0, 0.0), point(2.0, 1.0)]), None, "no error of y");
    }
}
