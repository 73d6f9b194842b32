//! Quantities with their units.
//!
//! This module defines names, conversions that need no data, and formatting. The bounds of a test
//! stay plain `f64` until a model (logistic or normalized) determines their Elo scale.

use std::f64::consts::LN_10;
use std::fmt;

/// Normalised Elo per unit of t-value of one game: 800 / ln 10, the slope of the logistic curve at equality.
pub const NELO_PER_T: f64 = 800.0 / LN_10;

/// Logistic Elo: a score `s` is `-400 log10(1/s - 1)`.
///
/// Units: Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Elo(pub f64);

impl Elo {
    /// Returns the Elo difference with expected score `share`; `None` for scores of 0 and 1 and
    /// beyond.
    ///
    /// ```
    /// use stretto_stats::units::{Elo, Share};
    ///
    /// let elo = Elo::from_score(Share(0.75)).expect("a score between 0 and 1");
    /// assert_eq!(elo.to_string(), "190.8");
    /// assert!((elo.to_score().0 - 0.75).abs() < 1e-12);
    /// ```
    pub fn from_score(share: Share) -> Option<Self> {
        (share.0 > 0.0 && share.0 < 1.0).then(|| Self(400.0 * (share.0 / (1.0 - share.0)).log10()))
    }

    /// Returns the expected score, `1 / (1 + 10^(-elo/400))`.
    pub fn to_score(self) -> Share {
        Share(1.0 / (1.0 + 10.0_f64.powf(-self.0 / 400.0)))
    }
}

/// Normalised Elo: [`NELO_PER_T`] times `(score - 1/2) / standard deviation` of one game. With this
/// scale, a test of fixed bounds has the same expected length with every book and time control.
///
/// Source: Van den Bergh, "Normalized Elo", <https://www.cantate.be/Fishtest/normalized_elo.pdf>.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct NormalizedElo(pub f64);

/// A log-likelihood ratio of H1 against H0; positive values favour H1.
///
/// Units: natural logarithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Llr(pub f64);

/// A fraction of a whole: a score, a draw ratio, a probability.
///
/// Range: 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Share(pub f64);

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tenths(f, self.0)
    }
}

impl fmt::Display for NormalizedElo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tenths(f, self.0)
    }
}

/// Writes a number with one decimal; a value that rounds to zero has no sign.
fn tenths(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    write!(f, "{value:.1}")
}

impl fmt::Display for Llr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A rounding error must not print as "-0.00".
        let shown = if self.0.abs() < 0.005 { 0.0 } else { self.0 };
        write!(f, "{shown:.2}")
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} %", 100.0 * self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-900.0, -12.5, 0.0, 3.0, 400.0] {
            let back = Elo::from_score(Elo(elo).to_score()).unwrap();
            assert!((back.0 - elo).abs() < 1e-9, "{elo} round-tripped to {back:?}");
        }
        assert!((Elo(400.0).to_score().0 - 10.0 / 11.0).abs() < 1e-15);
    }

    #[test]
    fn certain_results_have_no_elo() {
        for share in [-0.1, 0.0, 1.0, 1.5, f64::NAN] {
            assert_eq!(Elo::from_score(Share(share)), None);
        }
    }

    #[test]
    fn nelo_scale_matches_the_published_constant() {
        assert!((NELO_PER_T - 347.435_585_522_601_46).abs() < 1e-12);
    }
}
