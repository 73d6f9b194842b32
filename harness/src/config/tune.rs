//! The section `tune` of a match: which of an engine's numbers are tuned, and how.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::locate::FieldPath;
use super::source::Problem;

/// No more than this many parameters, and no two of one name.
const MAX_PARAMETERS: usize = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTune {
    parameters: Vec<TuneParameter>,
    iterations: NonZeroU64,
    #[serde(default = "default_pairs")]
    pairs: NonZeroU64,
    #[serde(default = "default_rate")]
    rate: f64,
    #[serde(default = "default_stability")]
    stability: f64,
    #[serde(default = "default_alpha")]
    alpha: f64,
    #[serde(default = "default_gamma")]
    gamma: f64,
}

fn default_pairs() -> NonZeroU64 {
    const { NonZeroU64::new(8).unwrap() }
}

fn default_rate() -> f64 {
    0.002
}

fn default_stability() -> f64 {
    0.1
}

/// Spall's exponents for a finite number of steps.
fn default_alpha() -> f64 {
    0.602
}

fn default_gamma() -> f64 {
    0.101
}

/// A number to be tuned; what is not given is as the engine declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuneParameter {
    /// Of the option.
    pub name: String,
    /// Its value at the start; the option's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Its least value; the option's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Its greatest value; the option's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// How far it is shifted in the last iteration, either way; a twentieth of the range if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// A checked tuning; the games are those of the match it stands in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneConfig {
    /// What is tuned. Shape: at least one, of different names.
    pub parameters: Vec<TuneParameter>,
    /// Steps of all parameters.
    pub iterations: NonZeroU64,
    /// Pairs of games in a step.
    pub pairs: NonZeroU64,
    /// In the last iteration, the share of its perturbation by which a parameter moves for a point.
    pub rate: f64,
    /// Iterations, as a share of all, added to the count from which moves shrink.
    pub stability: f64,
    /// The power with which moves shrink.
    pub alpha: f64,
    /// The power with which perturbations shrink.
    pub gamma: f64,
}

impl TuneConfig {
    /// Pairs of games in all.
    pub fn all_pairs(&self) -> u64 {
        self.iterations.get().saturating_mul(self.pairs.get())
    }
}

impl RawTune {
    pub(super) fn validate(self) -> Result<TuneConfig, Problem> {
        let root = FieldPath::root().key("tune");
        let list = root.key("parameters");
        if !(1..=MAX_PARAMETERS).contains(&self.parameters.len()) {
            let message = format!("expected 1 to {MAX_PARAMETERS}, found {}", self.parameters.len());
            return Err(Problem::new(list, message));
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            let here = list.index(index);
            let is_same = |other: &TuneParameter| other.name.eq_ignore_ascii_case(&parameter.name);
            if self.parameters[..index].iter().any(is_same) {
                return Err(Problem::new(here.key("name"), format!("`{}` is there twice", parameter.name)));
            }
            if let Some(step) = parameter.step.filter(|&step| step <= 0.0 || !step.is_finite()) {
                return Err(Problem::new(here.key("step"), format!("{step}: expected more than 0")));
            }
        }
        let numbers = [
            ("rate", self.rate, 1.0),
            ("stability", self.stability, 10.0),
            ("alpha", self.alpha, 1.0),
            ("gamma", self.gamma, 1.0),
        ];
        for (key, value, most) in numbers {
            if !(value > 0.0 && value <= most) {
                let message = format!("{value}: expected more than 0 and at most {most}");
                return Err(Problem::new(root.key(key), message));
            }
        }
        let Self { parameters, iterations, pairs, rate, stability, alpha, gamma } = self;
        Ok(TuneConfig { parameters, iterations, pairs, rate, stability, alpha, gamma })
    }
}
