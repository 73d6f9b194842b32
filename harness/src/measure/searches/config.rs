//! What the schemas of `smp`, `bench` and `ablate` say alike: positions, a limit, repetitions, what is waited for.
//!
//! The fields stand in each schema, so that errors name them with their line; here they are checked, once.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::command::resolve_file;
use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::limits::Limits;
use crate::config::{FieldPath, Problem, Source, Watchdog};

/// The seconds an engine may be silent, unless told otherwise.
pub(crate) fn default_timeout() -> f64 {
    600.0
}

/// The usual number of repetitions where nothing varies by chance.
pub(crate) fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// The usual number of searches at once: times are measured.
pub(crate) fn one_at_a_time() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// What is on unless turned off.
pub(crate) fn yes() -> bool {
    true
}

/// The positions to search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Positions")]
pub(crate) struct RawPositions {
    /// EPD or FEN file.
    file: PathBuf,
    /// Number of positions taken from its start. Without it, all.
    count: Option<NonZeroUsize>,
}

/// What each schema reads of the searches.
#[derive(Debug)]
pub(crate) struct RawSearches {
    pub(crate) positions: RawPositions,
    pub(crate) depth: Option<NonZeroU32>,
    pub(crate) nodes: Option<NonZeroU64>,
    pub(crate) movetime: Option<NonZeroU64>,
    pub(crate) repetitions: NonZeroU32,
    pub(crate) times: bool,
    pub(crate) concurrency: NonZeroUsize,
    pub(crate) timeout: f64,
}

/// Checked searches of positions, whoever does them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchesConfig {
    /// An EPD or FEN file.
    pub positions: PathBuf,
    /// Positions taken from its start; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroUsize>,
    /// Of each search: exactly one of depth, nodes and movetime.
    pub limits: Limits,
    /// Searches of each position with each setting, at most.
    pub repetitions: NonZeroU32,
    /// Are times compared? Without them a second run says the same.
    pub times: bool,
    /// Searches at once. Times mean something only with as many cores as all their threads.
    pub concurrency: usize,
    /// Limits on waiting.
    pub watchdog: Watchdog,
}

impl RawSearches {
    /// Checks them; `limits` names the limits the schema has, of which one is expected.
    pub(crate) fn validate(self, source: &Source, limits: &str) -> Result<SearchesConfig, Problem> {
        let root = FieldPath::root();
        let given = [self.depth.is_some(), self.nodes.is_some(), self.movetime.is_some()];
        if given.iter().filter(|&&is_given| is_given).count() != 1 {
            return Err(Problem::new(root.key("depth"), format!("expected one limit: {limits}")));
        }
        if !self.times && self.movetime.is_some() {
            return Err(Problem::new(root.key("times"), "a movetime measures nothing but times"));
        }
        if !(0.001..=86_400.0).contains(&self.timeout) {
            return Err(Problem::new(root.key("timeout"), "expected seconds, 0.001 to 86400"));
        }
        let file = root.key("positions").key("file");
        let positions =
            resolve_file(&self.positions.file, source.dir()).map_err(|text| Problem::new(file, text))?;
        Ok(SearchesConfig {
            positions,
            count: self.positions.count,
            limits: self.limits(),
            repetitions: self.repetitions,
            times: self.times,
            concurrency: self.concurrency.get(),
            watchdog: Watchdog::for_searches(Duration::from_secs_f64(self.timeout)),
        })
    }

    /// The common limit of all engines.
    pub(crate) fn limits(&self) -> Limits {
        Limits { time_control: None, nodes: self.nodes, depth: self.depth, movetime: self.movetime }
    }
}

/// Checks engines that all search to the common limit and have names of their own.
pub(crate) fn validate_engines(
    raw: Vec<RawEngine>,
    source: &Source,
    limits: Limits,
) -> Result<Vec<EngineConfig>, Problem> {
    let list = FieldPath::root().key("engines");
    if raw.is_empty() {
        return Err(Problem::new(list, "expected at least one engine"));
    }
    let mut engines: Vec<EngineConfig> = Vec::with_capacity(raw.len());
    for (index, raw) in raw.into_iter().enumerate() {
        let here = list.index(index);
        let engine = raw.validate(&here, source.dir(), limits)?;
        if engine.limits != limits {
            return Err(Problem::new(here, "all engines search to the common limit"));
        }
        if engines.iter().any(|other| other.name == engine.name) {
            return Err(Problem::new(here.key("name"), format!("`{}` is there twice", engine.name)));
        }
        engines.push(engine);
    }
    Ok(engines)
}
