//! The bounds of a sequential test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{FieldPath, Problem};
use stretto_stats::bounds::{MAX_ELO, MIN_ERROR_RATE, MIN_WIDTH, Sprt, SprtError};
use stretto_stats::llr::Model;

/// Bounds and error rates of a sequential probability ratio test (SPRT).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sprt")]
pub(crate) struct RawSprt {
    /// Elo model of the bounds.
    #[serde(default)]
    model: Model,
    /// H0: the first engine is this much stronger. If H1 is accepted, it is stronger than that.
    elo0: f64,
    /// H1: the first engine is this much stronger. If H0 is accepted, it is not that much stronger.
    elo1: f64,
    /// Probability of accepting H1 although H0 holds.
    #[serde(default = "default_error_rate")]
    alpha: f64,
    /// Probability of accepting H0 although H1 holds.
    #[serde(default = "default_error_rate")]
    beta: f64,
    /// Number of games after which the test ends without a decision. Even.
    max_games: Option<u64>,
}

fn default_error_rate() -> f64 {
    0.05
}

/// The hypotheses and error rates of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtConfig {
    /// The meaning of the bounds.
    pub model: Model,
    /// H0: the first engine is this much better than the second. Accepting H1 states that it is better than that.
    pub elo0: f64,
    /// H1: it is this much better. Accepting H0 states that it is not.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
    /// Give up undecided after this many games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_games: Option<u64>,
}

impl RawSprt {
    pub(crate) fn validate(self) -> Result<SprtConfig, Problem> {
        let Self { model, elo0, elo1, alpha, beta, max_games } = self;
        Sprt::new(model, elo0, elo1, alpha, beta).map_err(problem)?;
        Ok(SprtConfig { model, elo0, elo1, alpha, beta, max_games })
    }
}

/// Converts the error of a test to a problem at the field.
fn problem(error: SprtError) -> Problem {
    let (key, message) = match error {
        SprtError::Elo { name, value } => (name, format!("{value}: expected -{MAX_ELO} to {MAX_ELO}")),
        SprtError::Order { elo0, elo1 } if elo0 < elo1 => {
            ("elo0", format!("{elo0}: expected at least {MIN_WIDTH} less than elo1, which is {elo1}"))
        }
        SprtError::Order { elo0, elo1 } => {
            ("elo0", format!("{elo0}: expected less than elo1, which is {elo1}"))
        }
        SprtError::ErrorRate { name, value } => {
            (name, format!("{value}: expected {MIN_ERROR_RATE:e} up to below 0.5"))
        }
    };
    Problem::new(FieldPath::root().key("sprt").key(key), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_no_test_accepts_are_problems_at_their_fields() {
        let raw = |elo0: f64, elo1: f64, alpha: f64| RawSprt {
            model: Model::Normalized,
            elo0,
            elo1,
            alpha,
            beta: 0.05,
            max_games: None,
        };
        assert!(raw(0.0, 5.0, 1e-9).validate().is_ok());
        for (raw, expected) in [
            (raw(-2000.0, 5.0, 0.05), "sprt.elo0: -2000: expected -1500 to 1500"),
            (raw(0.0, f64::NAN, 0.05), "sprt.elo1: NaN: expected -1500 to 1500"),
            (raw(5.0, 0.0, 0.05), "sprt.elo0: 5: expected less than elo1, which is 0"),
            (raw(0.0, 1e-4, 0.05), "sprt.elo0: 0: expected at least 0.001 less than elo1, which is 0.0001"),
            (raw(0.0, 5.0, 0.5), "sprt.alpha: 0.5: expected 1e-12 up to below 0.5"),
        ] {
            let problem = raw.validate().unwrap_err();
            assert_eq!(format!("{}: {}", problem.path, problem.message), expected);
        }
    }
}
