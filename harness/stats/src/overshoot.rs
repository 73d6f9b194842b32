//! Estimation of the overshoot of a test's LLR past a bound, while the test runs.
//!
//! Wald's bounds assume that the LLR stops exactly on a bound. In practice it overshoots, so the
//! error rates are smaller and the test is longer than specified. The mean excess follows from the
//! ladder steps: if the steps by which the LLR sets new maxima have mean m and mean square s, the
//! excess over a distant bound tends to s / (2 m).
//!
//! Sources: Siegmund, "Sequential Analysis" (1985), corollary 8.33; the dynamic estimate is
//! fishtest's (`update_SPRT`).

use super::bounds::{Bounds, Corrections, Verdict};
use crate::units::Llr;

/// The record values in one direction. Distances are measured in that direction, so all are
/// positive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ladder {
    record: f64,
    sum: f64,
    sum_of_squares: f64,
}

impl Ladder {
    fn climb_to(&mut self, height: f64) {
        let step = height - self.record;
        if step > 0.0 {
            self.sum += step;
            self.sum_of_squares += step * step;
            self.record = height;
        }
    }

    fn mean_excess(&self) -> f64 {
        if self.sum > 0.0 { self.sum_of_squares / (2.0 * self.sum) } else { 0.0 }
    }
}

/// The overshoot estimate of one test, updated after every pair.
///
/// The estimate is only correct if every pair is observed once and in order: a step over several pairs would be too large.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OvershootTracker {
    up: Ladder,
    down: Ladder,
}

impl OvershootTracker {
    /// Records the LLR after one more pair.
    pub fn observe(&mut self, llr: Llr) {
        self.up.climb_to(llr.0);
        self.down.climb_to(-llr.0);
    }

    /// Returns the expected excess over each bound.
    pub fn corrections(&self) -> Corrections {
        Corrections { lower: Llr(self.down.mean_excess()), upper: Llr(self.up.mean_excess()) }
    }

    /// Records the LLR and returns the verdict of the test.
    ///
    /// ```
    /// use stretto_stats::bounds::{Sprt, Verdict};
    /// use stretto_stats::llr::Model;
    /// use stretto_stats::overshoot::OvershootTracker;
    /// use stretto_stats::units::Llr;
    ///
    /// let bounds = Sprt::new(Model::Normalized, 0.0, 2.0, 0.05, 0.05)?.bounds();
    /// let mut tracker = OvershootTracker::default();
    /// // Each pair adds 0.2, so the mean excess over a bound is 0.2 / 2: the test stops above 2.944 - 0.1.
    /// let verdicts: Vec<Verdict> = (1..=15).map(|pair| tracker.judge(Llr(0.2 * f64::from(pair)), &bounds)).collect();
    /// assert_eq!(verdicts.iter().position(|&verdict| verdict == Verdict::AcceptH1), Some(14));
    /// assert!((tracker.corrections().upper.0 - 0.1).abs() < 1e-12);
    /// # Ok::<(), stretto_stats::bounds::SprtError>(())
    /// ```
    pub fn judge(&mut self, llr: Llr, bounds: &Bounds) -> Verdict {
        self.observe(llr);
        bounds.corrected_verdict(llr, self.corrections())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(path: &[f64]) -> OvershootTracker {
        let mut tracker = OvershootTracker::default();
        for &llr in path {
            tracker.observe(Llr(llr));
        }
        tracker
    }

    #[test]
    fn only_new_records_contribute() {
        // Records upwards by 0.5, 0.3; downwards by 0.2.
        let tracker = fed(&[0.5, 0.1, -0.2, 0.4, 0.8, 0.7]);
        let corrections = tracker.corrections();
        assert!((corrections.upper.0 - (0.25 + 0.09) / (2.0 * 0.8)).abs() < 1e-15);
        assert!((corrections.lower.0 - 0.04 / (2.0 * 0.2)).abs() < 1e-15);
    }

    #[test]
    fn no_observations_give_no_correction() {
        assert_eq!(fed(&[]).corrections(), Corrections::default());
        assert_eq!(fed(&[0.0, 0.0]).corrections(), Corrections::default());
    }

    #[test]
    fn constant_steps_overshoot_by_half_a_step() {
        let path: Vec<f64> = (1..=20).map(|n| 0.125 * f64::from(n)).collect();
        assert!((fed(&path).corrections().upper.0 - 0.0625).abs() < 1e-15);
    }

    #[test]
    fn verdict_uses_the_corrected_bound() {
        let bounds = Bounds { lower: Llr(-1.0), upper: Llr(1.0) };
        let mut tracker = OvershootTracker::default();
        let verdicts: Vec<_> = (1..=5).map(|n| tracker.judge(Llr(0.24 * f64::from(n)), &bounds)).collect();
        assert_eq!(verdicts[..3], [Verdict::Continue; 3]);
        assert_eq!(verdicts[3], Verdict::AcceptH1, "0.96 is past 1 - 0.12");
    }
}
