//! Means and their intervals.

use super::numeric::student_critical;

/// Returns the arithmetic mean; 0 without values.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

/// Returns the mean and the half-width of its 95 % interval; infinite for fewer than two values.
pub(crate) fn mean_and_half(values: &[f64]) -> (f64, f64) {
    let average = mean(values.iter().copied());
    let count = values.len() as f64;
    let square: f64 = values.iter().map(|value| (value - average).powi(2)).sum();
    let critical = student_critical(0.05, values.len().saturating_sub(1));
    match values.len() {
        0 | 1 => (average, f64::INFINITY),
        _ => (average, critical * (square / (count - 1.0) / count).sqrt()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_means_use_students_t() {
        let (average, half) = mean_and_half(&[1.0, 2.0, 3.0]);
        assert!((average - 2.0).abs() < 1e-12 && (half - 4.302_65 / 3.0_f64.sqrt()).abs() < 1e-4);
        assert!(mean_and_half(&[1.0]).1.is_infinite());
    }
}
