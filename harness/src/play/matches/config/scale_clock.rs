//! Configuration section `scale_clock`: games on time that mean the same on machines of unequal speed.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{EngineConfig, FieldPath, Problem};

/// Multiplies time controls and times per move by the speed of a reference machine over that of this machine. The
/// speed is that of the engines' `bench`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ScaleClock")]
pub struct ScaleClock {
    /// Nodes per second of one copy of `bench` on the reference machine, while as many run as there are threads of
    /// games. Range: from 1.
    pub nps: NonZeroU64,
    /// Name of the engine that is measured. Without it, all engines are, and the factor is the mean of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
}

impl ScaleClock {
    /// Checks that there is a clock to scale, and an engine of that name.
    pub(super) fn check(&self, engines: &[EngineConfig]) -> Result<(), Problem> {
        let here = FieldPath::root().key("scale_clock");
        if let Some(engine) = engines.iter().find(|engine| engine.node_clock().is_some()) {
            let name = &engine.name;
            return here.refuse(format!(
                "the clock of {name} counts nodes, which do not depend on the machine: leave this out"
            ));
        }
        let has_clock = engines.iter().any(EngineConfig::is_timed);
        here.require(has_clock, "no engine has a time_control or a movetime to scale: leave this out")?;
        let Some(name) = &self.engine else { return Ok(()) };
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        let expected = format!("`{name}`: expected the name of an engine: {}", names.join(", "));
        here.key("engine").require(names.contains(&name.as_str()), expected)
    }

    /// Returns the engines whose speed counts.
    pub(crate) fn measured<'a>(
        &'a self,
        engines: &'a [EngineConfig],
    ) -> impl Iterator<Item = &'a EngineConfig> {
        engines.iter().filter(|engine| self.engine.as_ref().is_none_or(|name| engine.name == *name))
    }
}
