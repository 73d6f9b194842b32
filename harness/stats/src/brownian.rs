//! Brownian motion between two absorbing bounds, the limit of the LLR of a long test.
//!
//! Computes the exit probabilities and the expected exit time. Both series used here are exact;
//! each is used where it converges within a few terms without cancellation, so extreme drifts need
//! no approximation.
//!
//! Sources: Cox and Miller, "The Theory of Stochastic Processes" (1965), section 5.7 (images and
//! sine series). The ordering of outcomes is fishtest's (`brownian.py`), which falls back on
//! Siegmund's approximation instead.

use std::f64::consts::PI;

use super::numeric::ln_normal_cdf;
use crate::units::Share;

/// A Brownian motion that starts at 0. One unit of time is one item (a pair or a game).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brownian {
    /// Expected gain per item.
    pub drift: f64,
    /// Variance of the gain per item. Range: above 0.
    pub variance: f64,
}

/// The expected exit of a path from an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Passage {
    /// Probability of exiting at the upper bound.
    pub upper: Share,
    /// Expected number of items until the exit.
    pub items: f64,
}

impl Brownian {
    /// Returns the exit from `lower` < 0 < `upper`; `None` if the bounds do not enclose 0 or the
    /// variance is 0.
    ///
    /// With `g = 2 drift / variance`: `P = (1 - e^(-g l)) / (e^(-g u) - e^(-g l))`, `E = (u P + l
    /// (1 - P)) / drift`, and `E = -l u / variance` without drift.
    ///
    /// Source: Wald, "Sequential Analysis" (1947), sections 3.4 and 3.5, exact for Brownian motion.
    ///
    /// ```
    /// use stretto_stats::brownian::Brownian;
    ///
    /// // The LLR of a test with bounds ±2.944 gains 0.01 per pair, with variance 0.04.
    /// let motion = Brownian { drift: 0.01, variance: 0.04 };
    /// let passage = motion.first_passage(-2.944, 2.944).expect("bounds around 0");
    /// assert_eq!(passage.upper.to_string(), "81.3 %");
    /// assert!((passage.items - 184.507).abs() < 1e-3);
    /// ```
    pub fn first_passage(&self, lower: f64, upper: f64) -> Option<Passage> {
        if !(lower < 0.0 && upper > 0.0 && self.variance > 0.0 && self.drift.is_finite()) {
            return None;
        }
        let (width, g) = (upper - lower, 2.0 * self.drift / self.variance);
        if g < 0.0 {
            // Mirrored, so that every exponential below decays.
            let mirror = Self { drift: -self.drift, ..*self }.first_passage(-upper, -lower)?;
            return Some(Passage { upper: Share(1.0 - mirror.upper.0), ..mirror });
        }
        if g * width < 1e-4 {
            // The closed form is 0/0 here; the omitted terms of the expansion are of order g^2.
            let upper_share = -lower / width * (1.0 + 0.5 * g * upper);
            let items = -lower * upper / self.variance * (1.0 + g * (lower + upper) / 6.0);
            return Some(Passage { upper: Share(upper_share), items });
        }
        let share = (g * lower).exp_m1() / (-g * width).exp_m1();
        Some(Passage { upper: Share(share), items: (lower + width * share) / self.drift })
    }

    /// Returns the probability of a worse outcome than `level` after `time` items, with absorption
    /// at `lower` and `upper`.
    ///
    /// Worse outcomes are absorption at the lower bound by then, and being unabsorbed below
    /// `level`. A `level` on a bound means absorption there at that moment. An earlier failure is
    /// worse than a later one; an earlier success is better.
    ///
    /// Range: 0 to 1, never increasing with the drift. The bounds must enclose 0; variance and time
    /// must be positive.
    pub fn worse_outcome(&self, time: f64, level: f64, lower: f64, upper: f64) -> Share {
        let level = level.clamp(lower, upper);
        if self.drift < 0.0 {
            let mirror = Self { drift: -self.drift, ..*self };
            return Share(1.0 - mirror.worse_outcome(time, -level, -upper, -lower).0);
        }
        let state = Snapshot {
            mean: self.drift * time,
            deviation: (self.variance * time).sqrt(),
            gamma: self.drift / self.variance,
            lower,
            upper,
        };
        let spread = state.deviation / (upper - lower);
        let probability = if spread < 1.0 { state.by_images(level) } else { state.by_sines(level) };
        Share(probability.clamp(0.0, 1.0))
    }
}

/// The motion at one moment. The drift is not negative here, which bounds every term of both series.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    mean: f64,
    deviation: f64,
    /// Drift divided by the variance. Range: not negative.
    gamma: f64,
    lower: f64,
    upper: f64,
}

impl Snapshot {
    /// Returns `e^weight Phi(z / deviation)` as one exponential, because the factors alone can
    /// overflow and underflow.
    fn term(&self, weight: f64, z: f64) -> f64 {
        (weight + ln_normal_cdf(z / self.deviation)).exp()
    }

    /// Sums image charges at even reflections; the k-th weighs at most `e^-(((2k-1)^2 - 1) / (2
    /// spread^2))`, so with a deviation below the width the fifth is below e^-40 = 4e-18.
    fn by_images(&self, level: f64) -> f64 {
        let width = self.upper - self.lower;
        (-4..=4).map(|k| self.image(2.0 * f64::from(k) * width, level)).sum()
    }

    fn image(&self, c: f64, level: f64) -> f64 {
        let below = |charge: f64| {
            let weight = self.gamma * charge;
            self.term(weight, level - charge - self.mean) - self.term(weight, self.lower - charge - self.mean)
        };
        let unabsorbed = below(c) - below(2.0 * self.lower + c);
        let distance = (c - self.lower).abs();
        let absorbed = self.term(self.gamma * (self.lower - distance), self.mean - distance)
            + self.term(self.gamma * (self.lower + distance), -self.mean - distance);
        unabsorbed + absorbed.copysign(c - self.lower)
    }

    /// Sums the eigenfunctions. With a deviation of at least the width, the sixth term is below
    /// 1e-60.
    fn by_sines(&self, level: f64) -> f64 {
        let (width, start, place) = (self.upper - self.lower, -self.lower, level - self.lower);
        let gamma = self.gamma;
        let series: f64 = (1..=6)
            .map(|n| {
                let w = f64::from(n) * PI / width;
                let decay = gamma * (place - start) - 0.5 * (gamma * gamma + w * w) * self.deviation.powi(2);
                let shape = gamma * (w * place).sin() - w * (w * place).cos();
                decay.exp() * (w * start).sin() * shape / (gamma * gamma + w * w)
            })
            .sum();
        self.ever_lower(width, start) + 2.0 / width * series
    }

    /// Returns the probability of eventual absorption at the lower bound, from `start` above it.
    fn ever_lower(&self, width: f64, start: f64) -> f64 {
        let g = 2.0 * self.gamma;
        if g * width < 1e-9 {
            return 1.0 - start / width;
        }
        (-g * start).exp() * (-g * (width - start)).exp_m1() / (-g * width).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_and_sine_series_agree() {
        for gamma in [0.0, 0.3, 2.0] {
            for deviation in [0.5, 0.8, 1.0] {
                let (lower, upper) = (-1.1, 0.7);
                let mean = gamma * deviation * deviation;
                let width = upper - lower;
                let state = Snapshot {
                    mean,
                    deviation: deviation * width,
                    gamma: gamma / (width * width),
                    lower,
                    upper,
                };
                for level in [-1.1, -0.5, 0.0, 0.6, 0.7] {
                    let (images, sines) = (state.by_images(level), state.by_sines(level));
                    assert!((images - sines).abs() < 1e-12, "{gamma} {deviation} {level}: {images} {sines}");
                }
            }
        }
    }

    #[test]
    fn wide_interval_gives_the_normal_distribution() {
        let motion = Brownian { drift: 0.01, variance: 0.04 };
        let share = motion.worse_outcome(25.0, 0.5, -50.0, 50.0);
        assert!((share.0 - crate::numeric::normal_cdf(0.25)).abs() < 1e-14);
    }

    #[test]
    fn long_time_limit_is_the_passage_probability() {
        for drift in [-0.02, -1e-9, 0.0, 0.003, 0.02] {
            let motion = Brownian { drift, variance: 0.01 };
            let passage = motion.first_passage(-2.0, 3.0).unwrap();
            let ended = motion.worse_outcome(1e7, 0.0, -2.0, 3.0);
            assert!((ended.0 + passage.upper.0 - 1.0).abs() < 1e-9, "{drift}: {ended:?} {passage:?}");
        }
    }

    #[test]
    fn mirroring_the_motion_mirrors_the_outcome() {
        for (drift, level) in [(0.02, 1.0), (-0.3, -0.4), (0.0, 0.1), (5.0, 2.0)] {
            let there = Brownian { drift, variance: 0.3 }.worse_outcome(7.0, level, -2.0, 3.0);
            let back = Brownian { drift: -drift, variance: 0.3 }.worse_outcome(7.0, -level, -3.0, 2.0);
            assert!((there.0 + back.0 - 1.0).abs() < 1e-12, "{drift} {level}: {there:?} {back:?}");
        }
    }

    #[test]
    fn worse_outcome_probability_decreases_with_drift() {
        let mut before = 1.0;
        for step in -400..=400 {
            let motion = Brownian { drift: f64::from(step) * 0.05, variance: 0.4 };
            let now = motion.worse_outcome(11.0, 0.9, -2.9, 2.9).0;
            assert!((0.0..=before + 1e-12).contains(&now), "step {step}: {now} after {before}");
            before = now;
        }
        assert!(before < 1e-9);
    }

    #[test]
    fn passage_is_continuous_at_zero_drift() {
        let at = |drift| Brownian { drift, variance: 2.0 }.first_passage(-1.0, 4.0).unwrap();
        let still = at(0.0);
        assert!((still.upper.0 - 0.2).abs() < 1e-15 && (still.items - 2.0).abs() < 1e-15);
        // Both sides of the switch between expansion and closed form (g width = 1e-4).
        let (expanded, closed) = (at(1.999_999e-5), at(2.000_001e-5));
        assert!((expanded.upper.0 - closed.upper.0).abs() < 1e-9);
        assert!((expanded.items - closed.items).abs() < 1e-8);
    }

    #[test]
    fn strong_drift_exits_at_the_near_bound() {
        let passage = Brownian { drift: 100.0, variance: 1e-3 }.first_passage(-3.0, 5.0).unwrap();
        assert!((passage.upper.0 - 1.0).abs() < 1e-15 && (passage.items - 0.05).abs() < 1e-12);
        let down = Brownian { drift: -100.0, variance: 1e-3 }.first_passage(-3.0, 5.0).unwrap();
        assert!(down.upper.0.abs() < 1e-15 && (down.items - 0.03).abs() < 1e-12);
        assert_eq!(Brownian { drift: 1.0, variance: 0.0 }.first_passage(-1.0, 1.0), None);
        for bounds in [(1.0, 2.0), (0.0, 2.0), (-1.0, 0.0)] {
            assert_eq!(Brownian { drift: 1.0, variance: 1.0 }.first_passage(bounds.0, bounds.1), None);
        }
    }
}
