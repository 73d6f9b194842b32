//! The log-likelihood ratios that fishtest, `OpenBench` and fastchess print.
//!
//! [`stretto_stats::llr`] solves the same equations, without the limits of the tools' iteration. Far from the hypotheses, and for
//! few pairs, the difference reaches the digits that are printed.
//!
//! Sources: fishtest, `server/fishtest/stats/LLRcalc.py`; `OpenBench`, `OpenBench/stats.py`; fastchess,
//! `app/src/matchmaking/sprt/sprt.cpp`.

use std::f64::consts::SQRT_2;

use super::roots::{brent, itp};
use super::score::Score;
use crate::play::verdict::SprtConfig;
use stretto_stats::counts::{Pentanomial, ZERO_COUNT};
use stretto_stats::llr::{Model, llr};
use stretto_stats::units::{Elo, NELO_PER_T};

/// Points of a game in a pair.
const POINTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Most steps of the iteration for normalized Elo.
const STEPS: usize = 10;

/// The tool whose method is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// Brent's method, as fishtest and `OpenBench` iterate.
    Fishtest,
    /// The ITP method with the tolerances of fastchess.
    Fastchess,
}

/// Returns the LLR that fishtest and `OpenBench` print: 0 before the first game.
pub(super) fn fishtest_llr(test: &SprtConfig, score: &Score) -> f64 {
    if score.games.games() == 0 { 0.0 } else { Tool::Fishtest.llr(test, score.pairs) }
}

impl Tool {
    /// Returns the LLR of the pairs.
    ///
    /// Where the tool itself fails because its iteration has no root, this is the exact one.
    pub(super) fn llr(self, test: &SprtConfig, pairs: Pentanomial) -> f64 {
        let counts = pairs.0.map(|count| if count == 0 { ZERO_COUNT } else { count as f64 });
        let items: f64 = match self {
            Self::Fishtest => counts.iter().sum(),
            Self::Fastchess => counts.iter().rev().sum(),
        };
        let observed = counts.map(|count| count / items);
        let fit = |elo: f64| match test.model {
            Model::Normalized => self.with_t_value(&observed, elo / NELO_PER_T * SQRT_2),
            Model::Logistic => {
                let score = Elo(elo).to_score().0;
                self.with_zero_mean(&observed, &POINTS.map(|points| points - score), 1e-3)
            }
        };
        let (fit0, fit1) = (fit(test.elo0), fit(test.elo1));
        let found = fit0.zip(fit1).map(|(fit0, fit1)| {
            let jumps: [f64; 5] = std::array::from_fn(|k| fit1[k].ln() - fit0[k].ln());
            items * mean(&jumps, &observed)
        });
        let exact = || llr(&pairs, test.model, test.elo0, test.elo1).0;
        found.filter(|llr| llr.is_finite()).unwrap_or_else(exact)
    }

    /// Returns the most likely distribution whose mean is `t` standard deviations above 1/2, by an iteration from the uniform one.
    fn with_t_value(self, observed: &[f64; 5], t: f64) -> Option<[f64; 5]> {
        let enough = match self {
            Self::Fishtest => 1e-9,
            Self::Fastchess => 1e-4,
        };
        let mut fit = [0.2; 5];
        for _ in 0..STEPS {
            let mu = mean(&POINTS, &fit);
            let variance = mean(&POINTS.map(|points| (points - mu).powi(2)), &fit);
            let sigma = variance.sqrt();
            let phi =
                POINTS.map(|points| points - 0.5 - t * sigma * (1.0 + ((mu - points) / sigma).powi(2)) / 2.0);
            let next = self.with_zero_mean(observed, &phi, 1e-7)?;
            let change = fit.iter().zip(&next).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
            fit = next;
            if change < enough {
                break;
            }
        }
        Some(fit)
    }

    /// Returns the most likely distribution in which the mean of `phi` is 0. `tolerance` is that of fastchess.
    fn with_zero_mean(self, observed: &[f64; 5], phi: &[f64; 5], tolerance: f64) -> Option<[f64; 5]> {
        /// Distance from the poles at which fishtest starts.
        const MARGIN: f64 = 1e-9;
        let low = -1.0 / phi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let high = -1.0 / phi.iter().copied().fold(f64::INFINITY, f64::min);
        if !(low < 0.0 && high > 0.0) {
            return None;
        }
        let slope = |x: f64| observed.iter().zip(phi).map(|(p, phi)| p * phi / (1.0 + x * phi)).sum::<f64>();
        let theta = match self {
            Self::Fishtest => brent(slope, low + MARGIN, high - MARGIN)?,
            Self::Fastchess => itp(slope, low, high, tolerance),
        };
        Some(std::array::from_fn(|k| observed[k] / (1.0 + theta * phi[k])))
    }
}

/// Returns the sum of the values times their probabilities, in order.
fn mean(values: &[f64; 5], probabilities: &[f64; 5]) -> f64 {
    values.iter().zip(probabilities).map(|(value, probability)| value * probability).sum()
}
