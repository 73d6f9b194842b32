//! Configuration section `tune` of a match: the tuned parameters and the SPSA settings.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{FieldPath, Problem, thousandths};

/// Maximum number of parameters; names are unique.
const MAX_PARAMETERS: usize = 1000;
/// Largest learning rate: above it a single pair moves a parameter by more than its perturbation.
const MAX_RATE: f64 = 1.0;

/// Parameters to tune by SPSA, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tune")]
pub struct TuneConfig {
    /// Parameters to tune: UCI options of type spin.
    pub parameters: Vec<TuneParameter>,
    /// Number of SPSA iterations.
    pub iterations: NonZeroU64,
    /// Pairs of games per iteration. No more games are played at once.
    #[serde(default = "default_pairs")]
    pub pairs: NonZeroU64,
    /// Share of its perturbation by which a parameter moves for one point in the last iteration.
    #[serde(default = "thousandths::<2>")]
    pub rate: f64,
    /// Iterations, as a share of all, added to the count from which steps shrink.
    #[serde(default = "thousandths::<100>")]
    pub stability: f64,
    /// Exponent with which steps shrink.
    #[serde(default = "thousandths::<602>")]
    pub alpha: f64,
    /// Exponent with which perturbations shrink.
    #[serde(default = "thousandths::<101>")]
    pub gamma: f64,
}

fn default_pairs() -> NonZeroU64 {
    const { NonZeroU64::new(8).unwrap() }
}

/// A parameter to tune. The engine's options and declaration give the defaults of omitted fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TuneParameter {
    /// Name of the UCI option.
    pub name: String,
    /// Start value. Without it, the value in the engine's `options`, or the default of the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Smallest value. Without it, that of the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Largest value. Without it, that of the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// Perturbation in the last iteration. Without it, a twentieth of the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Share of its perturbation by which it moves for one point in the last iteration. Without it, `rate` of the tuning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The line of OpenBench or fishtest that it was read from. The result is printed in its form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

impl TuneConfig {
    /// Returns the total number of pairs.
    pub fn all_pairs(&self) -> u64 {
        self.iterations.get().saturating_mul(self.pairs.get())
    }

    /// Reports a list of parameters, or a number, that is out of range.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let root = FieldPath::root().key("tune");
        let list = root.key("parameters");
        list.require(
            (1..=MAX_PARAMETERS).contains(&self.parameters.len()),
            format_args!("expected 1 to {MAX_PARAMETERS}, found {}", self.parameters.len()),
        )?;
        for (index, TuneParameter { name, step, rate, .. }) in self.parameters.iter().enumerate() {
            let here = list.index(index);
            let is_same = |other: &TuneParameter| other.name.eq_ignore_ascii_case(name);
            let is_new = !self.parameters[..index].iter().any(is_same);
            here.key("name").require(is_new, format_args!("duplicate parameter `{name}`"))?;
            if let Some(step) = *step {
                let is_valid = step > 0.0 && step.is_finite();
                here.key("step").require(is_valid, format_args!("{step}: expected more than 0"))?;
            }
            if let Some(rate) = *rate {
                require_up_to(&here.key("rate"), rate, MAX_RATE)?;
            }
        }
        require_up_to(&root.key("rate"), self.rate, MAX_RATE)?;
        require_up_to(&root.key("stability"), self.stability, 10.0)?;
        require_up_to(&root.key("alpha"), self.alpha, 1.0)?;
        require_up_to(&root.key("gamma"), self.gamma, 1.0)?;
        Ok(())
    }
}

/// Refuses a number that is not above 0, or greater than `most`.
fn require_up_to(path: &FieldPath, value: f64, most: f64) -> Result<(), Problem> {
    let message = format_args!("{value}: expected more than 0 and at most {most}");
    path.require(value > 0.0 && value <= most, message)
}
