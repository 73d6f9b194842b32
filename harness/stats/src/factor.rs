//! Geometric mean ratios over positions.
//!
//! Source: Student's t interval of the mean logarithm ([`super::mean`]).

use super::mean::{LEVEL, mean_and_half_at};

/// Number of positions from which reports show intervals. Those of fewer positions may span many orders of magnitude.
pub const MIN_SHOWN: usize = 5;

/// Ratio from which three digits are shown, and no per cent.
pub const LARGE: f64 = 10.0;

/// A geometric mean ratio with its confidence interval over positions, at 95 % unless its source states another level.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Factor {
    /// Geometric mean of the ratios.
    pub mean: f64,
    /// Lower confidence limit. A single position has no interval: both limits equal the mean, see
    /// [`Factor::interval`].
    pub low: f64,
    /// Upper confidence limit, equal to the mean for a single position.
    pub high: f64,
    /// Number of ratios, one for each position.
    pub positions: usize,
}

impl Factor {
    /// Computes the factor with its 95 % interval from one logarithm per position; `None` without any.
    ///
    /// ```
    /// use stretto_stats::factor::Factor;
    ///
    /// // Speed ratios of five positions; Student's t for 95 % and 4 degrees of freedom is 2.776.
    /// let logs = [1.1, 1.2, 1.3, 1.25, 1.15_f64].map(f64::ln);
    /// let factor = Factor::of_logs(&logs).expect("positions");
    /// assert_eq!(factor.text(3), "1.198 (1.104 to 1.300)");
    /// ```
    pub fn of_logs(logs: &[f64]) -> Option<Self> {
        Self::of_logs_at(logs, LEVEL)
    }

    /// Computes the factor with the t interval of the mean logarithm at this level, such as 0.05 for 95 %.
    pub fn of_logs_at(logs: &[f64], level: f64) -> Option<Self> {
        let (mean, half) = mean_and_half_at(logs, level);
        let half = half.unwrap_or(0.0);
        let factor = Self {
            mean: mean.exp(),
            low: (mean - half).exp(),
            high: (mean + half).exp(),
            positions: logs.len(),
        };
        (!logs.is_empty()).then_some(factor)
    }

    /// Returns the confidence limits; `None` with fewer than two positions.
    pub fn interval(&self) -> Option<(f64, f64)> {
        (self.positions > 1).then_some((self.low, self.high))
    }

    /// Returns the confidence limits that charts show: those of the interval, or twice the mean with fewer than [`MIN_SHOWN`]
    /// positions.
    pub fn shown_ends(&self) -> (f64, f64) {
        if self.positions < MIN_SHOWN { (self.mean, self.mean) } else { (self.low, self.high) }
    }

    /// Formats `1.273 (1.201 to 1.349)` with this number of decimals, and three digits from [`LARGE`] on; `1.273 (n/a)` with
    /// fewer than [`MIN_SHOWN`] positions.
    pub fn text(&self, decimals: usize) -> String {
        let mean = ratio_text(self.mean, decimals);
        if self.positions < MIN_SHOWN {
            return format!("{mean} (n/a)");
        }
        format!("{mean} ({} to {})", ratio_text(self.low, decimals), ratio_text(self.high, decimals))
    }
}

/// Formats a ratio with this number of decimals, and with three digits from [`LARGE`] on.
pub fn ratio_text(ratio: f64, decimals: usize) -> String {
    if ratio < LARGE {
        return format!("{ratio:.decimals$}");
    }
    let digits = ratio.log10().floor() as usize;
    if digits < 2 {
        return format!("{ratio:.*}", 2 - digits);
    }
    let unit = 10_f64.powi(digits as i32 - 2);
    format!("{:.0}", (ratio / unit).round() * unit)
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
        assert_eq!(Factor::of_logs(&[0.0; 9]).map(|factor| (factor.low, factor.high)), Some((1.0, 1.0)));
    }

    #[test]
    fn large_ratios_have_three_digits() {
        let text = |ratio| ratio_text(ratio, 4);
        assert_eq!([0.001_28, 1.5, 9.876_54].map(text), ["0.0013", "1.5000", "9.8765"]);
        assert_eq!(
            [10.0, 12.345, 99.96, 848.07, 1060.2, 84_706.96].map(text),
            ["10.0", "12.3", "100.0", "848", "1060", "84700"]
        );
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
