//! The schema of `harness openings`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use serde::Deserialize;

use super::engine::{EngineConfig, RawEngine};
use super::limits::Limits;
use super::locate::FieldPath;
use super::source::{ConfigError, Problem, Source};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOpeningSet {
    engine: RawEngine,
    output: PathBuf,
    count: NonZeroUsize,
    nodes: NonZeroU64,
    limit: u32,
    plies: RawPlies,
    #[serde(default)]
    seed: u64,
    concurrency: Option<NonZeroUsize>,
    #[serde(default = "default_watchdog")]
    watchdog: f64,
}

fn default_watchdog() -> f64 {
    60.0
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPlies {
    min: NonZeroU32,
    max: NonZeroU32,
}

/// A checked recipe for a set of balanced openings.
#[derive(Clone, Debug)]
pub struct OpeningSetConfig {
    /// Who judges the balance; one thread, or the set does not repeat.
    pub engine: EngineConfig,
    /// The EPD file to write, relative to the configuration.
    pub output: PathBuf,
    /// Openings wanted.
    pub count: usize,
    /// Effort of the judgement.
    pub nodes: NonZeroU64,
    /// Largest score kept, either way. Units: centipawns.
    pub limit: u32,
    /// Random plies from the start position. Range: `min <= max <= 40`.
    pub min_plies: u32,
    /// The upper end.
    pub max_plies: u32,
    /// Of the random plies.
    pub seed: u64,
    /// Engines searching at once; does not change the set.
    pub concurrency: usize,
    /// Silence that counts as a hang.
    pub watchdog: Duration,
}

impl OpeningSetConfig {
    /// Reads and checks a recipe.
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
                "has a limit of its own; `nodes` of the set decides",
            ));
        }
        if engine.threads() != 1 {
            let path = root.key("engine").key("options").key("Threads");
            return Err(Problem::new(path, "expected 1: with more threads the set would not repeat"));
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
