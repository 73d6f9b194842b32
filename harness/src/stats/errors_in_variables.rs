//! A line through points whose two coordinates both have errors.
//!
//! Least squares of y alone flattens the slope when x has errors. Here each squared distance is
//! divided by the error variance of `y - slope * x`, and the slope minimizes the sum. The interval
//! contains the slopes whose sum is not significantly larger, so it has no end where the errors of x
//! leave the slope open.
//!
//! The line assumes that the points differ from it by their errors only. Where y scatters about the
//! line by more, that scatter looks like error of x if x has the larger errors, and the slope comes
//! out too steep. So [`scatter`] estimates a standard deviation to be added to the errors of y. With
//! equal errors the slope is then the moment estimate `S_xy / (S_xx - (n - 2) e_x^2)`.
//!
//! Source: D. York, "Least-squares fitting of a straight line" (1966); D. York et al., "Unified
//! equations for the slope, intercept, and standard errors of the best straight line" (2004); W. A.
//! Fuller, "Measurement Error Models" (1987), section 3.1, for the scatter (error in the equation).

use std::f64::consts::{FRAC_PI_2, PI};

use serde::Serialize;

use super::mean::mean;
use super::numeric::{bisect_decreasing, golden_maximum, student_critical};

/// Directions of the line that are tried before the best is refined.
const DIRECTIONS: usize = 360;
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
    /// from the line by their errors and the scatter only.
    pub misfit: f64,
    /// Standard deviation of y about the line beyond the errors. Units: those of y.
    pub scatter: f64,
}

/// Fits a line to points that scatter about it by this standard deviation beyond their errors; York's
/// line if it is 0. `None` with fewer than three points, without spread of x, or with an error of 0 in
/// y.
pub fn fit(points: &[Point], scatter: f64) -> Option<Line> {
    let fan = Fan::of(points, scatter.powi(2))?;
    let nearest = fan.nearest();
    let best = fan.best(nearest);
    let (least, shift) = fan.misfit(best);
    // Points farther from the line than their errors widen the interval.
    let freedom = fan.freedom();
    let spread = (least / freedom as f64).max(1.0);
    let limit = least + student_critical(LEVEL, freedom)?.powi(2) * spread;
    let outside = |index: &usize| fan.misfit(angle(*index)).0 > limit;
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
        scatter,
    })
}

/// Returns the smallest standard deviation of y about the best line, beyond the errors, that explains
/// the distances: the misfit is then at most the number of points minus 2. `None` where [`fit`] is.
pub fn scatter(points: &[Point]) -> Option<f64> {
    let fan = Fan::of(points, 0.0)?;
    let freedom = fan.freedom() as f64;
    let excess = |variance: f64| {
        let scattered = Fan { variance, ..fan };
        scattered.misfit(scattered.best(scattered.nearest())).0 - freedom
    };
    if excess(0.0) <= 0.0 {
        return Some(0.0);
    }
    // At the upper end a level line explains the distances.
    let centre = mean(points.iter().map(|point| point.y));
    let square: f64 = points.iter().map(|point| (point.y - centre).powi(2)).sum();
    Some(bisect_decreasing(0.0, square / freedom, excess).sqrt())
}

/// Returns the angle of the direction at `index`.
fn angle(index: usize) -> f64 {
    (index as f64 + 0.5) / DIRECTIONS as f64 * PI - FRAC_PI_2
}

/// The lines of all directions. The angle of a line is measured after x is stretched to the spread of
/// y, so that vertical lines are as easy as others.
struct Fan<'a> {
    /// At least three points.
    points: &'a [Point],
    /// Variance of y about the line beyond the errors.
    variance: f64,
    /// Spread of y over that of x.
    stretch: f64,
}

impl<'a> Fan<'a> {
    fn of(points: &'a [Point], variance: f64) -> Option<Self> {
        let has_no_error = |point: &Point| point.y_error.is_nan() || point.y_error <= 0.0;
        if points.len() < 3 || points.iter().any(has_no_error) {
            return None;
        }
        let spread = |of: fn(&Point) -> f64| {
            let centre = mean(points.iter().map(of));
            mean(points.iter().map(|point| (of(point) - centre).powi(2)))
        };
        let (x, y) = (spread(|point| point.x), spread(|point| point.y));
        // The errors count as spread, since y may have no other.
        let y = y + mean(points.iter().map(|point| point.y_error.powi(2)));
        (x > 0.0).then(|| Self { points, variance, stretch: (y / x).sqrt() })
    }

    /// Returns the degrees of freedom that the line leaves.
    fn freedom(&self) -> usize {
        self.points.len() - 2
    }

    /// Returns the index of the direction with the least misfit.
    fn nearest(&self) -> usize {
        let misfits: Vec<f64> = (0..DIRECTIONS).map(|index| self.misfit(angle(index)).0).collect();
        (0..DIRECTIONS).min_by(|&one, &other| misfits[one].total_cmp(&misfits[other])).unwrap_or_default()
    }

    /// Returns the angle with the least misfit within a step of this direction.
    fn best(&self, nearest: usize) -> f64 {
        let step = PI / DIRECTIONS as f64;
        golden_maximum(angle(nearest) - step, angle(nearest) + step, |angle| -self.misfit(angle).0)
    }

    fn slope(&self, angle: f64) -> f64 {
        self.stretch * angle.tan()
    }

    /// Returns the sum of weighted squared distances from the best line of this direction, and the
    /// intercept of that line times the cosine of the angle.
    fn misfit(&self, angle: f64) -> (f64, f64) {
        let (run, rise) = (angle.cos(), self.stretch * angle.sin());
        let weight = |point: &Point| {
            let y = point.y_error.powi(2) + self.variance;
            1.0 / (run.powi(2) * y + (rise * point.x_error).powi(2))
        };
        let height = |point: &Point| run * point.y - rise * point.x;
        let total: f64 = self.points.iter().map(weight).sum();
        let shift = self.points.iter().map(|point| weight(point) * height(point)).sum::<f64>() / total;
        (self.points.iter().map(|point| weight(point) * (height(point) - shift).powi(2)).sum(), shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;

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
        let line = fit(&pearson_and_york(), 0.0).unwrap();
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
        let line = fit(&[point(0.0, 1.0), point(1.0, 3.0), point(2.0, 4.0)], 0.0).unwrap();
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
        let line = fit(&points, 0.0).unwrap();
        assert!((line.slope - expected).abs() < 1e-6, "{line:?} {expected}");
    }

    #[test]
    fn large_errors_of_x_leave_the_slope_unbounded() {
        let scaled = |factor: f64| {
            let points: Vec<Point> = pearson_and_york()
                .into_iter()
                .map(|point| Point { x_error: factor, y_error: 0.3, ..point })
                .collect();
            fit(&points, 0.0).unwrap().interval
        };
        assert!(scaled(0.1).is_some());
        assert_eq!(scaled(10.0), None);
    }

    #[test]
    fn undetermined_lines_are_not_fitted() {
        let point = |x, y_error| Point { x, x_error: 0.1, y: x, y_error };
        assert_eq!(fit(&[point(0.0, 1.0), point(1.0, 1.0)], 0.0), None, "two points");
        assert_eq!(fit(&[point(1.0, 1.0); 4], 0.0), None, "no spread of x");
        let exact = [point(0.0, 1.0), point(1.0, 0.0), point(2.0, 1.0)];
        assert_eq!((fit(&exact, 0.0), scatter(&exact)), (None, None), "no error of y");
    }

    #[test]
    fn scatter_explains_the_distances_beyond_the_errors() {
        let spread = scatter(&pearson_and_york()).unwrap();
        let line = fit(&pearson_and_york(), spread).unwrap();
        // Without scatter the misfit is 11.87, for 8 degrees of freedom.
        assert!(spread > 0.0 && (line.misfit - 8.0).abs() < 1e-6, "{line:?}");
        let wide: Vec<Point> =
            pearson_and_york().iter().map(|point| Point { y_error: 2.0, ..*point }).collect();
        assert_eq!(scatter(&wide), Some(0.0), "the errors explain the distances");
    }

    /// Returns an approximately normal deviate: the sum of twelve uniform ones.
    fn normal(random: &mut SplitMix64) -> f64 {
        (0..12).map(|_| random.next_u64() as f64 / 2.0_f64.powi(64)).sum::<f64>() - 6.0
    }

    /// Returns twenty points of spread 1 about the diagonal that scatter by `own` and have errors of 0.3
    /// and 0.1.
    fn about_the_diagonal(own: f64, random: &mut SplitMix64) -> Vec<Point> {
        let point = |_| {
            let true_x = normal(random);
            let true_y = true_x + own * normal(random);
            let (x, y) = (true_x + 0.3 * normal(random), true_y + 0.1 * normal(random));
            Point { x, x_error: 0.3, y, y_error: 0.1 }
        };
        (0..20).map(point).collect()
    }

    #[test]
    fn slope_is_unbiased_and_covered_with_and_without_scatter() {
        const REPETITIONS: usize = 200;
        for own in [0.0, 1.0] {
            let mut random = SplitMix64::new(1);
            let (mut slopes, mut york, mut covered) = (0.0, 0.0, 0);
            for _ in 0..REPETITIONS {
                let points = about_the_diagonal(own, &mut random);
                let line = fit(&points, scatter(&points).unwrap()).unwrap();
                slopes += line.slope / REPETITIONS as f64;
                york += fit(&points, 0.0).unwrap().slope / REPETITIONS as f64;
                covered += usize::from(line.interval.is_none_or(|(low, high)| low <= 1.0 && 1.0 <= high));
            }
            // An independent program found 0.994 and 1.008, and 192 and 185 intervals that contain 1.
            assert!((slopes - 1.0).abs() < 0.05, "scatter {own}: {slopes}");
            assert!((178..=198).contains(&covered), "scatter {own}: {covered}");
            // With a true correlation of 0.71, York's line takes the scatter for errors of x.
            let is_too_steep = own > 0.0;
            assert_eq!(york > 1.5, is_too_steep, "scatter {own}: {york}");
        }
    }
}
