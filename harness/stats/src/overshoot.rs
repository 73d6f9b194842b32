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

/// The overshoot estimate of one test, updated once per batch of pairs.
///
/// The estimate is only correct if every batch is observed once and in order. A repeated
/// observation is ignored. After a missed batch the records restart from the current LLR, so no
/// step spans a gap. If pairs disappear (a purge), the history is void and the corrections stay
/// zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OvershootTracker {
    batch: u64,
    seen: u64,
    up: Ladder,
    down: Ladder,
    void: bool,
}

impl OvershootTracker {
    /// Returns a tracker to be updated after every `batch` pairs; 0 counts as 1.
    pub fn new(batch: u64) -> Self {
        Self { batch: batch.max(1), seen: 0, up: Ladder::default(), down: Ladder::default(), void: false }
    }

    /// Records the LLR after `pairs` pairs in total.
    pub fn observe(&mut self, pairs: u64, llr: Llr) {
        if pairs < self.seen {
            self.void = true;
        } else if pairs == self.seen + self.batch {
            self.up.climb_to(llr.0);
            self.down.climb_to(-llr.0);
        } else if pairs > self.seen {
            self.up.record = llr.0;
            self.down.record = -llr.0;
        }
        self.seen = pairs;
    }

    /// Returns the expected excess over each bound.
    pub fn corrections(&self) -> Corrections {
        if self.void {
            return Corrections::default();
        }
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
    /// let mut tracker = OvershootTracker::new(1);
    /// // Each pair adds 0.2, so the mean excess over a bound is 0.2 / 2: the test stops above 2.944 - 0.1.
    /// let verdicts: Vec<Verdict> = (1..=15).map(|pair| tracker.judge(pair, Llr(0.2 * pair as f64), &bounds)).collect();
    /// assert_eq!(verdicts.iter().position(|&verdict| verdict == Verdict::AcceptH1), Some(14));
    /// assert!((tracker.corrections().upper.0 - 0.1).abs() < 1e-12);
    /// # Ok::<(), stretto_stats::bounds::SprtError>(())
    /// ```
    pub fn judge(&mut self, pairs: u64, llr: Llr, bounds: &Bounds) -> Verdict {
        self.observe(pairs, llr);
        bounds.corrected_verdict(llr, self.corrections())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(path: &[(u64, f64)]) -> OvershootTracker {
        let mut tracker = OvershootTracker::new(1);
        for &(pairs, llr) in path {
            tracker.observe(pairs, Llr(llr));
        }
        tracker
    }

    #[test]
    fn only_new_records_contribute() {
        // Records upwards by 0.5, 0.3; downwards by 0.2.
        let tracker = fed(&[(1, 0.5), (2, 0.1), (3, -0.2), (4, 0.4), (5, 0.8), (6, 0.7)]);
        let corrections = tracker.corrections();
        assert!((corrections.upper.0 - (0.25 + 0.09) / (2.0 * 0.8)).abs() < 1e-15);
        assert!((corrections.lower.0 - 0.04 / (2.0 * 0.2)).abs() < 1e-15);
    }

    #[test]
    fn no_observations_give_no_correction() {
        assert_eq!(fed(&[]).corrections(), Corrections::default());
        assert_eq!(fed(&[(1, 0.0), (2, 0.0)]).corrections(), Corrections::default());
    }

    #[test]
    fn repeated_observation_changes_nothing() {
        let path = [(1, 0.5), (2, 0.9)];
        assert_eq!(fed(&path), fed(&[path[0], path[1], path[1]]));
    }

    #[test]
    fn gap_restarts_the_records() {
        // The jump from 0.5 to 3.0 is not a step; the next one, of 0.1, is.
        let up = fed(&[(1, 0.5), (5, 3.0), (6, 3.1)]).corrections().upper.0;
        let down = fed(&[(1, -0.5), (5, -3.0), (6, -3.1)]).corrections().lower.0;
        assert!((up - (0.25 + 0.01) / (2.0 * 0.6)).abs() < 1e-12);
        assert!((down - up).abs() < 1e-12);
    }

    #[test]
    fn lost_pairs_void_the_history() {
        assert_eq!(fed(&[(1, 0.5), (2, 0.9), (1, 0.5), (2, 1.0)]).corrections(), Corrections::default());
    }

    #[test]
    fn constant_steps_overshoot_by_half_a_step() {
        let path: Vec<_> = (1..=20_u64).map(|n| (n, 0.125 * n as f64)).collect();
        assert!((fed(&path).corrections().upper.0 - 0.0625).abs() < 1e-15);
    }

    #[test]
    fn verdict_uses_the_corrected_bound() {
        let bounds = Bounds { lower: Llr(-1.0), upper: Llr(1.0) };
        let mut tracker = OvershootTracker::new(2);
        let verdicts: Vec<_> =
            (1..=5_u64).map(|n| tracker.judge(2 * n, Llr(0.24 * n as f64), &bounds)).collect();
        assert_eq!(verdicts[..3], [Verdict::Continue; 3]);
        assert_eq!(verdicts[3], Verdict::AcceptH1, "0.96 is past 1 - 0.12");
    }
}
