//! The logistic model of Elo, as the fits by Newton's method use it.

use std::f64::consts::LN_10;

/// Elo per unit of log-odds.
pub(super) const ELO_PER_LOGIT: f64 = 400.0 / LN_10;
/// Maximum length of a Newton step. Units: logits.
pub(super) const MAX_STEP: f64 = 2.0;

/// Returns the expected score at this difference. Units of `difference`: logits.
pub(super) fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}
