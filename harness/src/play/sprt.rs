//! The bounds of a sequential test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{FieldPath, Problem};
use stretto_stats::bounds::{MAX_ELO, MIN_ERROR_RATE, MIN_WIDTH, Sprt, SprtError};
use stretto_stats::llr::Model;

/// Bounds and error rates of a sequential probability ratio test (SPRT).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sprt")]
pub struct SprtConfig {
    /// Elo model of the bounds.
    #[serde(default)]
    pub model: Model,
    /// H0: the first engine is this much stronger. If H1 is accepted, it is stronger than that.
    pub elo0: f64,
    /// H1: the first engine is this much stronger. If H0 is accepted, it is not that much stronger.
    pub elo1: f64,
    /// Probability of accepting H1 although H0 holds.
    #[serde(default = "default_error_rate")]
    pub alpha: f64,
    /// Probability of accepting H0 although H1 holds.
    #[serde(default = "default_error_rate")]
    pub beta: f64,
    /// Number of games after which the test ends without a decision. Even.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_games: Option<u64>,
}

fn default_error_rate() -> f64 {
    0.05
}

impl SprtConfig {
    /// Returns the test.
    ///
    /// Errors: its bounds or error rates are out of range.
    pub fn test(&self) -> Result<Sprt, SprtError> {
        Sprt::new(self.model, self.elo0, self.elo1, self.alpha, self.beta)
    }

    /// Reports bounds and error rates that no test accepts.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.test().map(drop).map_err(problem)
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
        let config = |elo0: f64, elo1: f64, alpha: f64| SprtConfig {
            model: Model::Normalized,
            elo0,
            elo1,
            alpha,
            beta: 0.05,
            max_games: None,
        };
        assert!(config(0.0, 5.0, 1e-9).check().is_ok());
        for (config, expected) in [
            (config(-2000.0, 5.0, 0.05), "sprt.elo0: -2000: expected -1500 to 1500"),
            (config(0.0, f64::NAN, 0.05), "sprt.elo1: NaN: expected -1500 to 1500"),
            (config(5.0, 0.0, 0.05), "sprt.elo0: 5: expected less than elo1, which is 0"),
            (
                config(0.0, 1e-4, 0.05),
                "sprt.elo0: 0: expected at least 0.001 less than elo1, which is 0.0001",
            ),
            (config(0.0, 5.0, 0.5), "sprt.alpha: 0.5: expected 1e-12 up to below 0.5"),
        ] {
            let problem = config.check().unwrap_err();
            assert_eq!(format!("{}: {}", problem.path, problem.message), expected);
        }
    }
}
