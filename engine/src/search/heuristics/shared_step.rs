//! Coarse steps of the tables that threads share.
//!
//! Bet: a write to a shared cache line costs every thread that holds the line a message between cores, and
//! most steps are small. A small step is replaced by a larger one, taken so seldom that the mean is kept.
//! Preconditions: several threads; a single one writes every step as it is.
//! Soundness: order and evaluation corrections only.
//! Knobs: the lab option `StepGrain`.
//! Source: ours. Rounding at random is known from arithmetic with few bits.
//! Evidence: no games yet; `docs/lazy-smp.md`, "What sharing costs"; `results/threads.md`, "Real threads".

/// The grain of one update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedStep {
    /// Share of the largest step below which steps are replaced. Units: percent; 0 for none.
    grain: u16,
    /// Uniformly distributed.
    dice: u16,
}

impl SharedStep {
    /// Writes every step as it is.
    #[cfg(test)]
    pub(crate) const EXACT: Self = Self { grain: 0, dice: 0 };

    /// Returns the grain for an update at a node, numbered by `nodes` within its worker.
    #[inline]
    pub(crate) fn at(grain: u16, nodes: u64) -> Self {
        Self { grain, dice: ((nodes as u32).wrapping_mul(0x9E37_79B1) >> 16) as u16 }
    }

    /// Returns the step to write instead of `step`, of at most `most` to both sides: 0 for none.
    #[inline]
    pub(crate) fn of(self, step: i32, most: i32) -> i32 {
        let grain = most * i32::from(self.grain) / 100;
        if step.abs() >= grain {
            return step;
        }
        let is_taken = (i32::from(self.dice) * grain) >> u16::BITS < step.abs();
        if is_taken { grain * step.signum() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_steps_keep_their_mean() {
        for step in [-90, -7, 0, 3, 40, 99] {
            let written: Vec<i32> =
                (0..100_000).map(|nodes| SharedStep::at(25, nodes).of(step, 400)).collect();
            assert!(written.iter().all(|&one| one == 0 || one == 100 * step.signum()), "{step}");
            let mean = written.iter().sum::<i32>() as f64 / written.len() as f64;
            assert!((mean - f64::from(step)).abs() < 1.0, "{step}: {mean}");
        }
    }

    #[test]
    fn large_steps_and_those_of_one_thread_are_exact() {
        for nodes in 0..100 {
            assert_eq!(SharedStep::at(25, nodes).of(-100, 400), -100);
            assert_eq!(SharedStep::at(0, nodes).of(1, 400), 1);
        }
    }
}
