//! Stopping rule of a sequential test: Wald's bounds, the verdict and the validated parameters.

use std::error::Error;
use std::fmt;

use super::llr::Model;
use crate::units::Llr;

/// Largest magnitude of a hypothesis. Beyond it the score differs from 0 or 1 by less than 0.0002.
pub const MAX_ELO: f64 = 1500.0;

/// Smallest distance between the hypotheses. Such a test takes about 10^12 games; anything smaller
/// is lost in rounding.
pub const MIN_WIDTH: f64 = 1e-3;

/// Smallest error rate. Units: probability.
pub const MIN_ERROR_RATE: f64 = 1e-12;

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Verdict {
    /// The first engine is not `elo1` better.
    AcceptH0,
    /// The first engine is better than `elo0`.
    AcceptH1,
    /// Neither bound is crossed.
    Continue,
}

/// The distances by which the bounds may be moved inwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Corrections {
    /// To be added to the lower bound. Range: not negative.
    pub lower: Llr,
    /// To be subtracted from the upper bound. Range: not negative.
    pub upper: Llr,
}

/// The two LLR values at which a test stops.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// Below it H0 is accepted. Range: negative.
    pub lower: Llr,
    /// Above it H1 is accepted. Range: positive.
    pub upper: Llr,
}

impl Bounds {
    /// Returns `ln(beta / (1 - alpha))` and `ln((1 - beta) / alpha)` for error rates accepted by
    /// [`Sprt::new`].
    ///
    /// Source: Wald, "Sequential Tests of Statistical Hypotheses" (1945), equation 3.26.
    fn from_error_rates(alpha: f64, beta: f64) -> Self {
        Self { lower: Llr((beta / (1.0 - alpha)).ln()), upper: Llr(((1.0 - beta) / alpha).ln()) }
    }

    /// Returns the verdict at an LLR. A bound must be crossed, not only reached, as in fishtest and
    /// OpenBench.
    pub fn verdict(&self, llr: Llr) -> Verdict {
        if llr.0 > self.upper.0 {
            Verdict::AcceptH1
        } else if llr.0 < self.lower.0 {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }

    /// Returns the bounds that decide: each is moved inwards by the expected overshoot.
    #[must_use]
    pub fn corrected(&self, corrections: Corrections) -> Self {
        // A correction is an average over small steps. If steps are as large as the bound itself (a
        // few pairs between very different engines), it is limited to half the bound, so the bounds
        // never cross.
        Self {
            lower: Llr(self.lower.0 + corrections.lower.0.clamp(0.0, -0.5 * self.lower.0)),
            upper: Llr(self.upper.0 - corrections.upper.0.clamp(0.0, 0.5 * self.upper.0)),
        }
    }

    /// Returns the verdict with each bound moved inwards by the expected overshoot.
    pub fn corrected_verdict(&self, llr: Llr, corrections: Corrections) -> Verdict {
        self.corrected(corrections).verdict(llr)
    }
}

/// A validated sequential test of H0 (the Elo is `elo0`) against H1 (it is `elo1`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Sprt {
    model: Model,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The reason why the parameters of a test were rejected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SprtError {
    /// An Elo bound is not a number of sensible size.
    Elo {
        /// Parameter that was rejected, `elo0` or `elo1`.
        name: &'static str,
        /// Value as given, not within ±[`MAX_ELO`].
        value: f64,
    },
    /// The hypotheses are (almost) equal or in the wrong order.
    Order {
        /// The lower hypothesis as given.
        elo0: f64,
        /// The upper hypothesis as given.
        elo1: f64,
    },
    /// An error rate is not a valid probability.
    ErrorRate {
        /// Parameter that was rejected, `alpha` or `beta`.
        name: &'static str,
        /// Value as given, outside [`MIN_ERROR_RATE`] to 0.5.
        value: f64,
    },
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elo { name, value } => {
                write!(f, "{name} is {value}: expected a number from -{MAX_ELO} to {MAX_ELO}")
            }
            Self::Order { elo0, elo1 } => {
                write!(
                    f,
                    "elo0 is {elo0} and elo1 is {elo1}: expected elo1 to be larger by at least {MIN_WIDTH}"
                )
            }
            Self::ErrorRate { name, value } => {
                write!(f, "{name} is {value}: expected an error rate from {MIN_ERROR_RATE:e} to below 0.5")
            }
        }
    }
}

impl Error for SprtError {}

impl Sprt {
    /// Validates the parameters of a test.
    ///
    /// Errors: [`SprtError`] with the parameter, its value and the valid range.
    ///
    /// ```
    /// use stretto_stats::bounds::{Sprt, Verdict};
    /// use stretto_stats::counts::Pentanomial;
    /// use stretto_stats::llr::Model;
    ///
    /// // Error rates of 5 % give bounds of ±ln 19.
    /// let test = Sprt::new(Model::Normalized, 0.0, 2.0, 0.05, 0.05)?;
    /// assert_eq!(test.bounds().upper.to_string(), "2.94");
    ///
    /// // The totals of a finished test on fishtest, whose LLR was 2.95.
    /// let pairs = Pentanomial([379, 10_170, 21_828, 10_640, 343]);
    /// assert_eq!(test.llr(&pairs).to_string(), "2.95");
    /// assert_eq!(test.bounds().verdict(test.llr(&pairs)), Verdict::AcceptH1);
    /// # Ok::<(), stretto_stats::bounds::SprtError>(())
    /// ```
    pub fn new(model: Model, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&value) {
                return Err(SprtError::Elo { name, value });
            }
        }
        if elo1 - elo0 < MIN_WIDTH {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(MIN_ERROR_RATE..0.5).contains(&value) {
                return Err(SprtError::ErrorRate { name, value });
            }
        }
        Ok(Self { model, elo0, elo1, alpha, beta })
    }

    /// Returns the Elo scale of the hypotheses.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Returns the lower hypothesis, on the scale of the model.
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// Returns the upper hypothesis, on the scale of the model.
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// Returns the probability of accepting H1 when H0 is true.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Returns the probability of accepting H0 when H1 is true.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Returns the LLR bounds.
    pub fn bounds(&self) -> Bounds {
        Bounds::from_error_rates(self.alpha, self.beta)
    }

    /// Returns the LLR of a tally under this test's hypotheses.
    pub fn llr(&self, tally: &impl super::counts::Tally) -> Llr {
        super::llr::llr(tally, self.model, self.elo0, self.elo1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, SprtError> {
        Sprt::new(Model::Normalized, elo0, elo1, alpha, beta)
    }

    #[test]
    fn bounds_match_wald() {
        let bounds = sprt(0.0, 2.0, 0.05, 0.05).unwrap().bounds();
        assert!((bounds.lower.0 + 2.944_438_979_166_44).abs() < 1e-12);
        assert!((bounds.upper.0 - 2.944_438_979_166_44).abs() < 1e-12);
        let skewed = sprt(0.0, 2.0, 0.01, 0.2).unwrap().bounds();
        assert_eq!(sprt(0.0, 2.0, 0.01, 0.2).map(|test| (test.alpha(), test.beta())), Ok((0.01, 0.2)));
        assert!((skewed.lower.0 - (0.2_f64 / 0.99).ln()).abs() < 1e-15);
        assert!((skewed.upper.0 - (0.8_f64 / 0.01).ln()).abs() < 1e-15);
    }

    #[test]
    fn a_bound_must_be_crossed() {
        let bounds = Bounds { lower: Llr(-2.0), upper: Llr(3.0) };
        for (llr, verdict) in [
            (3.0, Verdict::Continue),
            (3.000_001, Verdict::AcceptH1),
            (-2.0, Verdict::Continue),
            (-2.000_001, Verdict::AcceptH0),
        ] {
            assert_eq!(bounds.verdict(Llr(llr)), verdict, "{llr}");
        }
    }

    #[test]
    fn corrections_move_the_bounds_inwards_but_never_past_half() {
        let bounds = Bounds { lower: Llr(-2.0), upper: Llr(3.0) };
        let small = Corrections { lower: Llr(0.2), upper: Llr(0.1) };
        assert_eq!(bounds.corrected_verdict(Llr(2.95), small), Verdict::AcceptH1);
        assert_eq!(bounds.corrected_verdict(Llr(-1.9), small), Verdict::AcceptH0);
        assert_eq!(bounds.corrected_verdict(Llr(-1.75), small), Verdict::Continue);
        let huge = Corrections { lower: Llr(50.0), upper: Llr(50.0) };
        assert_eq!(bounds.corrected_verdict(Llr(0.0), huge), Verdict::Continue);
        assert_eq!(bounds.corrected_verdict(Llr(1.6), huge), Verdict::AcceptH1);
        assert_eq!(bounds.corrected_verdict(Llr(-1.1), huge), Verdict::AcceptH0);
    }

    #[test]
    fn invalid_parameters_are_reported_by_name() {
        assert_eq!(sprt(2.0, 2.0, 0.05, 0.05), Err(SprtError::Order { elo0: 2.0, elo1: 2.0 }));
        assert!(sprt(0.0, 1e-4, 0.05, 0.05).is_err());
        assert_eq!(sprt(0.0, 1e9, 0.05, 0.05), Err(SprtError::Elo { name: "elo1", value: 1e9 }));
        assert!(matches!(sprt(f64::NAN, 1.0, 0.05, 0.05), Err(SprtError::Elo { name: "elo0", .. })));
        for bad in [0.0, 0.5, -1.0, f64::NAN] {
            assert!(
                matches!(sprt(0.0, 1.0, 0.05, bad), Err(SprtError::ErrorRate { name: "beta", .. })),
                "{bad}"
            );
        }
        let message = sprt(5.0, 0.0, 0.05, 0.05).unwrap_err().to_string();
        assert_eq!(message, "elo0 is 5 and elo1 is 0: expected elo1 to be larger by at least 0.001");
    }
}
