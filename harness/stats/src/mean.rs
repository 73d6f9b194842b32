//! Means and their intervals.
//!
//! Source: Student, "The Probable Error of a Mean" (1908).

use super::numeric::student_critical;

/// Level of the usual intervals. Units: probability.
pub const LEVEL: f64 = 0.05;

/// Returns the arithmetic mean; `None` without values.
pub fn known_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// Returns the arithmetic mean; 0 without values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    known_mean(values).unwrap_or(0.0)
}

/// Returns the mean and the half-width of its t interval at this level, such as 0.05 for 95 %; no
/// half-width with fewer than two values.
pub fn mean_and_half_at(values: &[f64], level: f64) -> (f64, Option<f64>) {
    let (average, degrees) = (mean(values.iter().copied()), values.len().saturating_sub(1));
    let square: f64 = values.iter().map(|value| (value - average).powi(2)).sum();
    let error = (square / degrees as f64 / values.len() as f64).sqrt();
    (average, student_critical(level, degrees).map(|critical| critical * error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_means_use_students_t() {
        let (average, half) = mean_and_half_at(&[1.0, 2.0, 3.0], LEVEL);
        assert!((average - 2.0).abs() < 1e-12);
        assert!((half.unwrap() - 4.302_65 / 3.0_f64.sqrt()).abs() < 1e-4, "{half:?}");
        // The 99.5 % quantile of Student's t with two degrees of freedom.
        let (_, wider) = mean_and_half_at(&[1.0, 2.0, 3.0], 0.01);
        assert!((wider.unwrap() - 9.924_84 / 3.0_f64.sqrt()).abs() < 1e-4, "{wider:?}");
        assert_eq!(mean_and_half_at(&[4.0, 4.0], LEVEL), (4.0, Some(0.0)));
        assert_eq!(
            (mean_and_half_at(&[1.0], LEVEL), mean_and_half_at(&[], LEVEL)),
            ((1.0, None), (0.0, None))
        );
    }
}
