//! Expected length and result of a test: for planning before it, and for the ETA during it.
//!
//! The LLR is modelled as Brownian motion. In a test with normalised bounds, its variance per game
//! is the squared distance of the hypotheses, independent of the book. A logistic test also needs
//! the variance of a game's score.
//!
//! Source: fishtest's SPRT calculator (`sprt.js`); Wald, "Sequential Analysis" (1947), chapter 3.

use super::bounds::Corrections;
use super::bounds::{Sprt, Verdict};
use super::brownian::{Brownian, Passage};
use super::counts::Tally;
use super::llr::{Model, jumps};
use crate::units::{Elo, NELO_PER_T, Share};

/// The expected course of a test that has not started.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Expectation {
    /// Probability of accepting H1.
    pub pass: Share,
    /// Expected length. Units: games.
    pub games: f64,
}

/// Returns the variance of a game's score at equal strength, `(1 - draws)/4 - (s(bias) - 1/2)^2`.
/// `rms_bias` is the root mean square of the openings' advantage for White. Returns `None` if the
/// two contradict each other.
///
/// Source: fishtest's SPRT calculator.
pub fn game_variance(draw_ratio: Share, rms_bias: Elo) -> Option<f64> {
    let variance = (1.0 - draw_ratio.0) / 4.0 - (rms_bias.to_score().0 - 0.5).powi(2);
    (variance > 0.0 && variance <= 0.25).then_some(variance)
}

/// Returns the expected course of a test at true strength `elo`, on the scale of the test's model.
///
/// `game_variance` is used by logistic tests only. Returns `None` if it is not positive.
pub fn expected_games(sprt: &Sprt, elo: f64, game_variance: f64) -> Option<Expectation> {
    let (low, high, truth, variance) = match sprt.model() {
        Model::Normalized => (sprt.elo0() / NELO_PER_T, sprt.elo1() / NELO_PER_T, elo / NELO_PER_T, 1.0),
        Model::Logistic => {
            let [low, high, truth] = [sprt.elo0(), sprt.elo1(), elo].map(|elo| Elo(elo).to_score().0);
            (low, high, truth, game_variance)
        }
    };
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let motion = llr_motion(low, high, truth, variance);
    let passage = motion.first_passage(sprt.bounds().lower.0, sprt.bounds().upper.0)?;
    Some(Expectation { pass: passage.upper, games: passage.items })
}

/// Returns drift and variance per item of the LLR between mean scores `low` and `high`, at the true
/// mean `truth` and an item's variance.
///
/// Source: Van den Bergh, "GSPRT approximation",
/// <https://www.cantate.be/Fishtest/GSPRT_approximation.pdf>.
pub fn llr_motion(low: f64, high: f64, truth: f64, variance: f64) -> Brownian {
    let distance = high - low;
    Brownian {
        drift: (truth - 0.5 * (low + high)) * distance / variance,
        variance: distance * distance / variance,
    }
}

/// Returns the observed drift and variance per item of the LLR: the moments of its increments. Both
/// are 0 without data.
pub fn observed_motion(tally: &impl Tally, sprt: &Sprt) -> Brownian {
    if tally.sample().items() <= 0.0 {
        return Brownian { drift: 0.0, variance: 0.0 };
    }
    let sample = tally.sample().regularized();
    let frequencies = sample.frequencies();
    let jumps = jumps(&sample, sprt.model(), sprt.elo0(), sprt.elo1());
    let weighted =
        |f: &dyn Fn(f64) -> f64| frequencies.iter().zip(&jumps).map(|(p, &jump)| p * f(jump)).sum::<f64>();
    let drift = weighted(&|jump| jump);
    Brownian { drift, variance: weighted(&|jump| (jump - drift).powi(2)) }
}

/// Returns the expected items (pairs or games, as the tally) until a running test ends, and the
/// expected bound, if play continues as observed.
///
/// A finished test needs 0 more. Returns `None` without data. Early in a match the observed drift
/// is mostly noise, so the result is an ETA and no evidence.
pub fn remaining(tally: &impl Tally, sprt: &Sprt, corrections: Corrections) -> Option<Passage> {
    if tally.sample().items() <= 0.0 {
        return None;
    }
    let (llr, bounds) = (sprt.llr(tally), sprt.bounds());
    match bounds.corrected_verdict(llr, corrections) {
        Verdict::AcceptH0 => Some(Passage { upper: Share(0.0), items: 0.0 }),
        Verdict::AcceptH1 => Some(Passage { upper: Share(1.0), items: 0.0 }),
        Verdict::Continue => {
            let motion = observed_motion(tally, sprt);
            motion.first_passage(bounds.lower.0 - llr.0, bounds.upper.0 - llr.0)
        }
    }
}

/// The expected rest of a running test, averaged over the last pairs for display.
///
/// The value of [`remaining`] follows the observed drift, whose sign and size are noise early in a
/// test: it changes by a factor of ten from one pair to the next. The geometric moving average
/// changes by the eighth root of that factor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SmoothedRest {
    ln_items: Option<f64>,
}

impl SmoothedRest {
    /// Weight of the latest value.
    const WEIGHT: f64 = 0.125;

    /// Adds the value of [`remaining`] after another pair. A finished test has no rest at once.
    pub fn update(&mut self, latest: Option<Passage>) {
        let Some(items) = latest.map(|passage| passage.items) else { return };
        if items <= 0.0 {
            self.ln_items = Some(f64::NEG_INFINITY);
            return;
        }
        let ln = items.ln();
        let known = self.ln_items.filter(|known| known.is_finite());
        self.ln_items = Some(known.map_or(ln, |known| known + Self::WEIGHT * (ln - known)));
    }

    /// Returns the expected items until the test ends; `None` before the first value.
    pub fn items(self) -> Option<f64> {
        self.ln_items.map(f64::exp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Pentanomial;

    fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(model, elo0, elo1, 0.05, 0.05).unwrap()
    }

    #[test]
    fn error_rates_hold_at_the_hypotheses() {
        for model in [Model::Normalized, Model::Logistic] {
            let test = Sprt::new(model, -1.0, 4.0, 0.03, 0.1).unwrap();
            assert!((expected_games(&test, -1.0, 0.1).unwrap().pass.0 - 0.03).abs() < 1e-9);
            assert!((expected_games(&test, 4.0, 0.1).unwrap().pass.0 - 0.9).abs() < 1e-9);
        }
    }

    #[test]
    fn expected_length_is_greatest_between_the_hypotheses() {
        let test = sprt(Model::Normalized, 0.0, 5.0);
        let games = |elo| expected_games(&test, elo, 1.0).unwrap().games;
        assert!(games(2.5) > games(2.0) && games(2.5) > games(3.0) && games(-400.0) < 20_000.0);
    }

    #[test]
    fn impossible_variances_are_rejected() {
        assert_eq!(game_variance(Share(1.0), Elo(0.0)), None);
        assert_eq!(game_variance(Share(0.9), Elo(300.0)), None);
        for variance in [0.0, -1.0, f64::NAN] {
            assert_eq!(expected_games(&sprt(Model::Logistic, 0.0, 5.0), 1.0, variance), None);
        }
    }

    #[test]
    fn observed_drift_is_the_llr_per_pair() {
        let pairs = Pentanomial([12, 60, 100, 80, 25]);
        for model in [Model::Normalized, Model::Logistic] {
            let test = sprt(model, 0.0, 10.0);
            let motion = observed_motion(&pairs, &test);
            assert!((motion.drift * 277.0 - test.llr(&pairs).0).abs() < 1e-9);
            // Brownian approximation of the variance: squared distance of the scores over the
            // variance of a pair.
            let [low, high] = [0.0, 10.0].map(|elo| match model {
                Model::Logistic => Elo(elo).to_score().0,
                Model::Normalized => 0.5 + elo / NELO_PER_T * (2.0 * pairs.variance().unwrap()).sqrt(),
            });
            let approximate = llr_motion(low, high, 0.5, pairs.variance().unwrap()).variance;
            assert!((motion.variance / approximate - 1.0).abs() < 0.1, "{motion:?} {approximate}");
        }
    }

    #[test]
    fn displayed_rest_does_not_jump() {
        // Doubled points of the pairs of a recorded test of 760 against 700 nodes a move, in order of
        // completion.
        const PAIRS: [u8; 70] = [
            2, 1, 4, 2, 4, 2, 2, 0, 2, 2, 0, 2, 1, 2, 2, 2, 0, 2, 0, 0, 2, 0, 2, 4, 0, 2, 2, 4, 4, 3, 3, 1,
            2, 3, 4, 4, 2, 2, 2, 0, 2, 1, 4, 2, 0, 2, 1, 3, 1, 2, 4, 0, 2, 1, 1, 2, 3, 2, 4, 4, 1, 4, 2, 4,
            4, 1, 2, 3, 2, 2,
        ];
        let test = sprt(Model::Normalized, 0.0, 10.0);
        let (mut tally, mut rest) = (Pentanomial::default(), SmoothedRest::default());
        let (mut raw_jump, mut shown_jump): (f64, f64) = (1.0, 1.0);
        let mut last: Option<(f64, f64)> = None;
        for pair in PAIRS {
            tally += Pentanomial::from_pair(pair).unwrap();
            let raw = remaining(&tally, &test, Corrections::default());
            rest.update(raw);
            let now = (raw.unwrap().items, rest.items().unwrap());
            if let Some(last) = last {
                let jump = |then: f64, now: f64| (now / then).max(then / now);
                raw_jump = raw_jump.max(jump(last.0, now.0));
                shown_jump = shown_jump.max(jump(last.1, now.1));
            }
            last = Some(now);
        }
        assert!(raw_jump > 10.0, "{raw_jump}: the sequence no longer shows the problem");
        assert!(shown_jump < 2.0, "{shown_jump}");
        rest.update(Some(Passage { upper: Share(1.0), items: 0.0 }));
        assert_eq!(rest.items(), Some(0.0), "a decided test has no rest");
    }

    #[test]
    fn remaining_follows_the_drift() {
        let test = sprt(Model::Normalized, 0.0, 10.0);
        let rising = Pentanomial([12, 60, 100, 80, 25]);
        let eta = remaining(&rising, &test, Corrections::default()).unwrap();
        let straight = (test.bounds().upper.0 - test.llr(&rising).0) / observed_motion(&rising, &test).drift;
        assert!(
            eta.upper.0 > 0.9 && eta.items > 0.5 * straight && eta.items < 1.1 * straight,
            "{eta:?} {straight}"
        );
        assert_eq!(remaining(&Pentanomial::default(), &test, Corrections::default()), None);
        let over = remaining(&Pentanomial([0, 0, 100, 300, 100]), &test, Corrections::default()).unwrap();
        assert_eq!(over, Passage { upper: Share(1.0), items: 0.0 });
    }
}
