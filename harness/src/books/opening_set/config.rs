//! Configuration of `harness openings`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::limits::Limits;
use crate::config::schema::FileKind;
use crate::config::{ConfigError, FieldPath, Problem, Source};

/// The configuration files of `harness openings`.
pub(crate) const FILE: FileKind = FileKind::new::<RawOpeningSet>("openings");

/// A set of balanced openings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OpeningSet")]
struct RawOpeningSet {
    /// The engine that scores positions, with one thread.
    engine: RawEngine,
    /// EPD file to write, relative to the configuration.
    output: PathBuf,
    /// Number of openings.
    count: NonZeroUsize,
    /// Nodes per position.
    nodes: NonZeroU64,
    /// Largest score of an opening, either way, in centipawns.
    limit: u32,
    /// Random plies from the start position.
    plies: RawPlies,
    /// Seed of the random plies.
    #[serde(default)]
    seed: u64,
    /// Engines searching at once. Without it, one per core. The result does not depend on it.
    concurrency: Option<NonZeroUsize>,
    /// Seconds of silence after which the engine counts as hung.
    #[serde(default = "default_watchdog")]
    watchdog: f64,
}

fn default_watchdog() -> f64 {
    60.0
}

/// Range of the number of random plies, at most 40.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plies")]
struct RawPlies {
    /// Smallest number of plies.
    min: NonZeroU32,
    /// Largest number of plies.
    max: NonZeroU32,
}

/// The validated configuration of a set of balanced openings.
#[derive(Clone, Debug)]
pub struct OpeningSetConfig {
    /// Engine that evaluates the candidates, with one thread for reproducibility.
    pub engine: EngineConfig,
    /// EPD file to write, relative to the configuration.
    pub output: PathBuf,
    /// Number of openings.
    pub count: usize,
    /// Nodes per evaluation.
    pub nodes: NonZeroU64,
    /// Largest absolute score accepted. Units: centipawns.
    pub limit: u32,
    /// Minimum number of random plies from the starting position. Range: `min <= max <= 40`.
    pub min_plies: u32,
    /// Maximum number of random plies.
    pub max_plies: u32,
    /// Seed of the random plies.
    pub seed: u64,
    /// Number of engines; does not affect the result.
    pub concurrency: usize,
    /// Time without an answer that counts as a hang.
    pub watchdog: Duration,
}

impl OpeningSetConfig {
    /// Reads and validates a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawOpeningSet = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawOpeningSet {
    fn validate(self, source: &Source) -> Result<OpeningSetConfig, Problem> {
        let root = FieldPath::root();
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let engine = self.engine.validate(&root.key("engine"), source.dir(), limits)?;
        if engine.limits != limits {
            return Err(Problem::new(
                root.key("engine"),
                "expected no limits here; set `nodes` of the opening set instead",
            ));
        }
        if engine.threads() != 1 {
            let path = root.key("engine").key("options").key("Threads");
            return Err(Problem::new(path, "expected 1: results with more threads are not reproducible"));
        }
        let (min_plies, max_plies) = (self.plies.min.get(), self.plies.max.get());
        if min_plies > max_plies || max_plies > 40 {
            let message = format!("{min_plies} to {max_plies}: expected min <= max <= 40");
            return Err(Problem::new(root.key("plies"), message));
        }
        if !(0.001..=86_400.0).contains(&self.watchdog) {
            return Err(Problem::new(root.key("watchdog"), "expected seconds, 0.001 to 86400"));
        }
        let cores = || available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(OpeningSetConfig {
            engine,
            output: source.dir().join(self.output),
            count: self.count.get(),
            nodes: self.nodes,
            limit: self.limit,
            min_plies,
            max_plies,
            seed: self.seed,
            concurrency: self.concurrency.map_or_else(cores, NonZeroUsize::get),
            watchdog: Duration::from_secs_f64(self.watchdog),
        })
    }
}
