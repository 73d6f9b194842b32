//! The settings of an engine that blocks show: limits, threads and hash.

use crate::config::{EngineConfig, Limits};
use crate::pool::Trial;
use crate::run::EngineSizes;
use crate::uci::{OptionDecl, OptionKind};

/// The settings of one engine.
#[derive(Clone, Debug)]
pub(crate) struct EngineSetup {
    /// Name in the configuration, under which the block lists the engine.
    pub(crate) name: String,
    /// Limits of its searches.
    pub(crate) limits: Limits,
    /// Values of its options `Threads` and `Hash`.
    pub(crate) sizes: EngineSizes,
}

impl EngineSetup {
    /// Returns the settings of the engines. `sizes` are the values that the run has recorded; earlier versions recorded none, and
    /// only configured values are known then.
    pub(crate) fn of(engines: &[EngineConfig], sizes: &[EngineSizes]) -> Vec<Self> {
        let setup = |(index, engine): (usize, &EngineConfig)| Self {
            name: engine.name.clone(),
            limits: engine.limits,
            sizes: sizes.get(index).cloned().unwrap_or_else(|| sizes_of(engine, None)),
        };
        engines.iter().enumerate().map(setup).collect()
    }
}

/// Returns the values of `Threads` and `Hash` of the engines, which have declared their options in a trial.
pub(crate) fn all_sizes(engines: &[EngineConfig], trials: &[Trial]) -> Vec<EngineSizes> {
    engines.iter().zip(trials).map(|(engine, trial)| sizes_of(engine, Some(&trial.options))).collect()
}

fn sizes_of(engine: &EngineConfig, declared: Option<&[OptionDecl]>) -> EngineSizes {
    EngineSizes { threads: value_of(engine, declared, "Threads"), hash: value_of(engine, declared, "Hash") }
}

/// Returns the configured value of an option, or else the default that the engine declares; `None` if it does not declare the
/// option. Without declarations only the configured value is known.
fn value_of(engine: &EngineConfig, declared: Option<&[OptionDecl]>, name: &str) -> Option<String> {
    let configured = engine.option(name).map(str::to_owned);
    let Some(declared) = declared else { return configured };
    let option = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
    configured.or(match option.kind {
        OptionKind::Spin { default, .. } => default.map(|value| value.to_string()),
        _ => None,
    })
}

/// Returns the value of both engines, or both joined by ` - ` if they differ.
pub(super) fn joined(first: String, second: &str) -> String {
    if first == second { first } else { format!("{first} - {second}") }
}
