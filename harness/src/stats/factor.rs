//! Geometric mean ratios over positions.

use serde::Serialize;

use super::numeric::student_critical;

/// Level of the intervals. Units: probability.
const LEVEL: f64 = 0.05;
/// Number of positions from which reports show intervals. Those of fewer positions may span many orders of magnitude.
pub(crate) const MIN_SHOWN: usize = 5;

/// A geometric mean ratio with its 95 % confidence interval over positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// Geometric mean.
    pub mean: f64,
    /// Lower confidence limit. A single position has no interval: both limits equal the mean, see
    /// [`Factor::interval`].
    pub low: f64,
    /// Upper confidence limit.
    pub high: f64,
    /// Number of positions.
    pub positions: usize,
}

impl Factor {
    /// Computes the factor with the t interval from one logarithm per position; `None` without any.
    pub fn of_logs(logs: &[f64]) -> Option<Self> {
        if logs.is_empty() {
            return None;
        }
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let square = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        let half = match logs.len() {
            1 => 0.0,
            len => student_critical(LEVEL, len - 1) * (square / (count - 1.0) / count).sqrt(),
        };
        Some(Self {
            mean: mean.exp(),
            low: (mean - half).exp(),
            high: (mean + half).exp(),
            positions: logs.len(),
        })
    }

    /// Returns the confidence limits; `None` with fewer than two positions.
    pub fn interval(&self) -> Option<(f64, f64)> {
        (self.positions > 1).then_some((self.low, self.high))
    }

    /// Returns the confidence limits that charts show: those of the interval, or twice the mean with fewer than [`MIN_SHOWN`]
    /// positions.
    pub(crate) fn shown_ends(&self) -> (f64, f64) {
        if self.positions < MIN_SHOWN { (self.mean, self.mean) } else { (self.low, self.high) }
    }

    /// Formats `1.273 (1.201 to 1.349)` with this number of decimals; `1.273 (n/a)` with fewer than [`MIN_SHOWN`] positions.
    pub(crate) fn text(&self, decimals: usize) -> String {
        let Self { mean, low, high, positions } = self;
        if *positions < MIN_SHOWN {
            return format!("{mean:.decimals$} (n/a)");
        }
        format!("{mean:.decimals$} ({low:.decimals$} to {high:.decimals$})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_is_the_geometric_mean_with_its_interval() {
        let factor = Factor::of_logs(&[2.0_f64.ln(), 8.0_f64.ln()]).unwrap();
        assert!((factor.mean - 4.0).abs() < 1e-12);
        // Standard error of the logs: ln(4) / 2. The t interval has one degree of freedom.
        let half = 12.706_204_736 * 4.0_f64.ln() / 2.0;
        assert!((factor.high.ln() - 4.0_f64.ln() - half).abs() < 1e-6);
        assert!((factor.low * factor.high - 16.0).abs() < 1e-6);
        assert_eq!(factor.interval(), Some((factor.low, factor.high)));
        let one = Factor::of_logs(&[0.0]).unwrap();
        assert_eq!((one.mean, one.interval()), (1.0, None), "one position has no interval");
        assert_eq!(Factor::of_logs(&[]), None);
    }

    #[test]
    fn interval_of_few_positions_is_not_shown() {
        let of = |positions: usize| Factor { mean: 1.451, low: 1.2, high: 1.7, positions }.text(3);
        assert_eq!([1, 2, 4].map(of), ["1.451 (n/a)"; 3].map(str::to_owned));
        assert_eq!(of(5), "1.451 (1.200 to 1.700)");
        let ends = |positions: usize| Factor { mean: 2.0, low: 1.0, high: 4.0, positions }.shown_ends();
        assert_eq!([4, 5].map(ends), [(2.0, 2.0), (1.0, 4.0)]);
    }
}
