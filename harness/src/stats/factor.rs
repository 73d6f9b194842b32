//! Geometric mean ratios over positions.

use serde::Serialize;

/// Half-width of a 95 % interval in standard errors, for a sufficiently large number of positions.
const NORMAL_95: f64 = 1.96;

/// A geometric mean ratio with its 95 % confidence interval over positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// Geometric mean.
    pub mean: f64,
    /// Lower confidence limit; equal to the mean if there is only one position.
    pub low: f64,
    /// Upper confidence limit.
    pub high: f64,
    /// Number of positions.
    pub positions: usize,
}

impl Factor {
    /// Computes the factor from one logarithm per position; `None` without any.
    pub fn of_logs(logs: &[f64]) -> Option<Self> {
        if logs.is_empty() {
            return None;
        }
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let square = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        let error = if logs.len() > 1 { (square / (count - 1.0) / count).sqrt() } else { 0.0 };
        let half = NORMAL_95 * error;
        Some(Self {
            mean: mean.exp(),
            low: (mean - half).exp(),
            high: (mean + half).exp(),
            positions: logs.len(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_is_the_geometric_mean_with_its_interval() {
        let factor = Factor::of_logs(&[2.0_f64.ln(), 8.0_f64.ln()]).unwrap();
        assert!((factor.mean - 4.0).abs() < 1e-12);
        // Standard error of the logs: ln(4) / 2.
        let half = 1.96 * 4.0_f64.ln() / 2.0;
        assert!((factor.high.ln() - 4.0_f64.ln() - half).abs() < 1e-12);
        assert!((factor.low * factor.high - 16.0).abs() < 1e-9);
        let one = Factor::of_logs(&[0.0]).unwrap();
        assert_eq!((one.mean, one.low, one.high), (1.0, 1.0, 1.0));
        assert_eq!(Factor::of_logs(&[]), None);
    }
}
