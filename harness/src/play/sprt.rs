//! The bounds of a sequential test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{FieldPath, Problem};
use crate::stats::bounds::MAX_ELO;
use crate::stats::llr::Model;

/// Bounds and error rates of a sequential probability ratio test (SPRT).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sprt")]
pub(crate) struct RawSprt {
    /// Elo model of the bounds.
    #[serde(default)]
    model: Model,
    /// H0: the first engine is at most this much stronger.
    elo0: f64,
    /// H1: the first engine is at least this much stronger.
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
    /// H0: the first engine is at most this much better than the second.
    pub elo0: f64,
    /// H1: it is at least this much better.
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
        let path = FieldPath::root().key("sprt");
        for (key, elo) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !(-MAX_ELO..=MAX_ELO).contains(&elo) {
                return Err(Problem::new(path.key(key), format!("{elo}: expected -{MAX_ELO} to {MAX_ELO}")));
            }
        }
        if self.elo0 >= self.elo1 {
            let message = format!("{}: expected less than elo1, which is {}", self.elo0, self.elo1);
            return Err(Problem::new(path.key("elo0"), message));
        }
        for (key, rate) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(1e-6..0.5).contains(&rate) {
                return Err(Problem::new(
                    path.key(key),
                    format!("{rate}: expected 0.000001 up to below 0.5"),
                ));
            }
        }
        let Self { model, elo0, elo1, alpha, beta, max_games } = self;
        Ok(SprtConfig { model, elo0, elo1, alpha, beta, max_games })
    }
}
