//! Fields common to the schemas of `smp`, `bench` and `ablate`: positions, limit, repetitions and
//! timeout.
//!
//! Each schema declares the fields itself, so that errors carry their line. This module validates
//! them.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::limits::Limits;
pub(crate) use crate::config::yes;
use crate::config::{FieldPath, Problem, Source, Watchdog};
use crate::measure::searches::SearchOrder;
use crate::run::shipped;

/// Returns the default of `timeout`, in seconds.
pub(crate) fn default_timeout() -> f64 {
    600.0
}

/// Returns the default of `repetitions` for measurements without noise.
pub(crate) fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// Returns the default of `concurrency`: parallel searches would disturb each other's times.
pub(crate) fn one_at_a_time() -> NonZeroUsize {
    NonZeroUsize::MIN
}

/// The positions to search.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Positions")]
pub(crate) struct RawPositions {
    /// EPD or FEN file. Without it, 60 positions of games that ship inside the program.
    file: Option<PathBuf>,
    /// Number of positions taken from its start. Without it, all.
    count: Option<NonZeroUsize>,
}

impl RawPositions {
    /// Returns the resolved file and the number of positions.
    pub(crate) fn resolve(&self, source: &Source) -> Result<(PathBuf, Option<NonZeroUsize>), Problem> {
        let path = FieldPath::root().key("positions");
        let file = match &self.file {
            Some(file) => {
                shipped::resolve(file, source.names()).map_err(|text| Problem::new(path.key("file"), text))?
            }
            None => shipped::POSITIONS
                .resolve(source.names())
                .map_err(|error| Problem::new(path, format!("{error:#}")))?,
        };
        Ok((file, self.count))
    }
}

/// The common fields as read, before validation.
#[derive(Debug)]
pub(crate) struct RawSearches {
    pub(crate) positions: RawPositions,
    /// The common limit of all engines.
    pub(crate) limits: Limits,
    pub(crate) repetitions: NonZeroU32,
    pub(crate) times: bool,
    pub(crate) concurrency: NonZeroUsize,
    pub(crate) timeout: f64,
    pub(crate) instructions: bool,
}

/// Validated positions, limit and repetitions of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchesConfig {
    /// EPD or FEN file of positions.
    pub positions: PathBuf,
    /// Number of positions taken from its start; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroUsize>,
    /// Limit of each search: exactly one of depth, nodes and movetime.
    pub limits: Limits,
    /// Largest number of searches of each position with each setting.
    pub repetitions: NonZeroU32,
    /// Whether times are compared. Without times, a second run gives the same result.
    pub times: bool,
    /// Searches at once. Times are only valid if every search thread has its own core.
    pub concurrency: usize,
    /// Timeouts for unresponsive engines.
    pub watchdog: Watchdog,
    /// Whether the instructions of each search are counted, in a process of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub instructions: bool,
    /// Order of the searches of a position.
    pub order: SearchOrder,
}

impl RawSearches {
    /// Validates the fields; `limits` lists the limits of the schema for the error message.
    pub(crate) fn validate(self, source: &Source, expected: &str) -> Result<SearchesConfig, Problem> {
        let root = FieldPath::root();
        let Self { limits, times, timeout, instructions, .. } = self;
        let has_movetime = limits.movetime.is_some();
        let given = [limits.depth.is_some(), limits.nodes.is_some(), has_movetime];
        let is_single = given.iter().filter(|&&is_given| is_given).count() == 1;
        root.key("depth").require(is_single, format_args!("expected one limit: {expected}"))?;
        let message = "movetime requires times: true; expected depth or nodes";
        root.key("times").require(times || !has_movetime, message)?;
        let message =
            "instructions are counted at a fixed amount of work; expected depth or nodes instead of movetime";
        root.key("instructions").require(!instructions || !has_movetime, message)?;
        let is_possible = (0.001..=86_400.0).contains(&timeout);
        root.key("timeout").require(is_possible, "expected seconds, 0.001 to 86400")?;
        let (positions, count) = self.positions.resolve(source)?;
        Ok(SearchesConfig {
            positions,
            count,
            limits,
            repetitions: self.repetitions,
            times,
            concurrency: self.concurrency.get(),
            watchdog: Watchdog::for_searches(Duration::from_secs_f64(timeout)),
            instructions,
            order: SearchOrder::Rotated,
        })
    }
}

/// Validates the engines. Their names must differ, and none may have a limit of its own.
pub(crate) fn validate_engines(
    raw: Vec<RawEngine>,
    source: &Source,
    limits: Limits,
) -> Result<Vec<EngineConfig>, Problem> {
    let list = FieldPath::root().key("engines");
    list.require(!raw.is_empty(), "expected at least one engine")?;
    let mut engines: Vec<EngineConfig> = Vec::with_capacity(raw.len());
    for (index, raw) in raw.into_iter().enumerate() {
        let here = list.index(index);
        let engine = raw.validate(&here, source.names(), limits)?;
        let message = "expected no limit here: the limit of the measurement applies to all engines";
        here.require(engine.limits == limits, message)?;
        let is_new = engines.iter().all(|other| other.name != engine.name);
        let message = format_args!("`{}` is listed twice; names must differ", engine.name);
        here.key("name").require(is_new, message)?;
        engines.push(engine);
    }
    Ok(engines)
}
