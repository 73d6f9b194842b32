//! The schema of `harness equivalence`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::engine::{EngineConfig, EngineOption, RawEngine};
use crate::config::limits::Limits;
use crate::config::schema::FileKind;
use crate::config::watchdog::RawWatchdog;
use crate::config::{ConfigError, FieldPath, Problem, Source, Variant};
use crate::measure::searches::config::one_at_a_time;
use crate::measure::smp::config::{THREADS, check_threads, refuse_threads_option};
use crate::play::adjudication::{Adjudication, validate_adjudication};
use crate::play::matches::config::{Execution, MatchConfig, validate_games};
use crate::play::openings::config::RawOpenings;

/// Largest node factor accepted; larger ones are probably typing errors.
const MAX_FACTOR: f64 = 1000.0;

/// The configuration files of `harness equivalence`.
pub(crate) const FILE: FileKind =
    FileKind::new::<RawEquivalence>("equivalence", |source| EquivalenceConfig::load(source, None).map(drop));

/// A measurement of the node odds at which many threads are as strong as one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Equivalence")]
struct RawEquivalence {
    /// The engine, without a limit of its own.
    engine: RawEngine,
    /// Nodes per move with one thread.
    nodes: NonZeroU64,
    /// Numbers of threads in rising order, each above 1.
    threads: Vec<NonZeroU32>,
    /// Multiples of the nodes for all threads together, in rising order. Equal strength should lie
    /// between them.
    factors: Vec<f64>,
    /// Games of each match, even.
    games: u64,
    /// Openings of the games. Without them, the 3000 built-in ones.
    openings: Option<RawOpenings>,
    /// Games played at once.
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    /// Rules that end a game before the rules of chess do.
    #[serde(default)]
    adjudication: Adjudication,
    /// Seed of everything random.
    #[serde(default)]
    seed: u64,
    /// Variant of chess that is played.
    #[serde(default)]
    variant: Variant,
    /// Time limits after which a silent engine counts as hung.
    #[serde(default)]
    watchdog: RawWatchdog,
}

/// A validated measurement: an engine with many threads and more nodes against itself with one
/// thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquivalenceConfig {
    /// The engine, with the nodes of one thread.
    pub engine: EngineConfig,
    /// Numbers of threads in rising order, each above 1.
    pub threads: Vec<NonZeroU32>,
    /// Multiples of the nodes of one thread for all threads together, in rising order.
    pub factors: Vec<f64>,
    /// The matches, by threads and then by factor. Shape: never empty.
    pub cells: Vec<EquivalenceCell>,
}

/// The match at one number of threads and one factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EquivalenceCell {
    /// Number of threads of the first engine.
    pub threads: NonZeroU32,
    /// Nodes of the first engine, divided by those of the second.
    pub factor: f64,
    /// Configuration of the match.
    pub config: MatchConfig,
}

impl EquivalenceCell {
    /// Returns its folder inside the run folder, such as `2-threads-1.4`.
    pub fn folder(&self) -> String {
        format!("{}-threads-{}", self.threads, self.factor)
    }
}

impl EquivalenceConfig {
    /// Reads and validates a configuration. `concurrency` takes precedence over the file.
    pub fn load(
        source: &Source,
        concurrency: Option<NonZeroUsize>,
    ) -> Result<(Self, Execution), ConfigError> {
        let raw: RawEquivalence = source.parse()?;
        let execution = Execution::with_concurrency(concurrency.unwrap_or(raw.concurrency).get());
        Ok((raw.validate(source).map_err(|problem| source.complain(problem))?, execution))
    }

    /// Returns the first match. All matches agree except in the first engine's threads and nodes.
    pub fn any_match(&self) -> &MatchConfig {
        &self.cells[0].config
    }

    /// Returns a match with the largest number of threads.
    pub(super) fn largest_match(&self) -> &MatchConfig {
        &self.cells[self.cells.len() - 1].config
    }
}

impl RawEquivalence {
    fn validate(self, source: &Source) -> Result<EquivalenceConfig, Problem> {
        let root = FieldPath::root();
        let nodes = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let here = root.key("engine");
        let engine = self.engine.validate(&here, source.names(), nodes)?;
        let message = "expected no limit here; use the field `nodes` of the configuration";
        here.require(engine.limits == nodes, message)?;
        refuse_threads_option(&engine, &here)?;
        check_threads(&self.threads)?;
        let message = "1: expected at least 2; one thread is the opponent in every match";
        root.key("threads").index(0).require(self.threads[0].get() > 1, message)?;
        check_factors(&self.factors)?;
        validate_games(&root.key("games"), self.games)?;
        validate_adjudication(&root, &self.adjudication)?;
        let one = with_threads(&engine, NonZeroU32::MIN, self.nodes);
        let openings = self.openings.unwrap_or_default().validate(&root, source, self.seed)?;
        let watchdog = self.watchdog.validate()?;
        let cell = |threads: NonZeroU32, factor: f64| EquivalenceCell {
            threads,
            factor,
            config: MatchConfig {
                adjudication: self.adjudication,
                time_margin: Duration::ZERO,
                seed: self.seed,
                variant: self.variant,
                watchdog,
                ..MatchConfig::between(
                    [with_threads(&engine, threads, times(self.nodes, factor)), one.clone()],
                    self.games,
                    openings.clone(),
                )
            },
        };
        let mut cells = Vec::with_capacity(self.threads.len() * self.factors.len());
        for &threads in &self.threads {
            cells.extend(self.factors.iter().map(|&factor| cell(threads, factor)));
        }
        Ok(EquivalenceConfig { engine, threads: self.threads, factors: self.factors, cells })
    }
}

fn check_factors(factors: &[f64]) -> Result<(), Problem> {
    let path = FieldPath::root().key("factors");
    path.require(factors.len() >= 2, "expected at least two factors, with equal strength between them")?;
    let mut before = f64::NEG_INFINITY;
    for (index, &factor) in factors.iter().enumerate() {
        let message = format_args!("{factor}: expected 1/{MAX_FACTOR} to {MAX_FACTOR}");
        path.index(index).require((1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&factor), message)?;
        let message = format_args!("{factor}: expected more than the {before} before it");
        path.index(index).require(factor > before, message)?;
        before = factor;
    }
    Ok(())
}

/// Returns the engine with these threads and nodes. `Threads` is the first option, since engines
/// allocate memory by it.
fn with_threads(engine: &EngineConfig, threads: NonZeroU32, nodes: NonZeroU64) -> EngineConfig {
    let mut one = engine.clone();
    one.name = format!("{} x{threads}", engine.name);
    one.options.insert(0, EngineOption { name: THREADS.to_owned(), value: Some(threads.to_string()) });
    one.limits.nodes = Some(nodes);
    one
}

fn times(nodes: NonZeroU64, factor: f64) -> NonZeroU64 {
    NonZeroU64::new((nodes.get() as f64 * factor).round() as u64).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::source_beside;

    fn load(text: &str) -> Result<EquivalenceConfig, String> {
        let (_dir, source) = source_beside(text, &["book.epd"]);
        EquivalenceConfig::load(&source, None).map(|(config, _)| config).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engine: { name: a, command: sh, options: { Hash: 8 } }\nnodes: 1000\nthreads: [2, 4]\n\
        factors: [1, 1.5]\ngames: 10\nopenings: { file: book.epd }\n";

    #[test]
    fn every_combination_of_threads_and_factor_is_a_match() {
        let config = load(GOOD).unwrap();
        let folders: Vec<String> = config.cells.iter().map(EquivalenceCell::folder).collect();
        assert_eq!(folders, ["2-threads-1", "2-threads-1.5", "4-threads-1", "4-threads-1.5"]);
        let [many, one] = &config.cells[3].config.engines[..] else { panic!("two engines") };
        assert_eq!((many.name.as_str(), one.name.as_str()), ("a x4", "a x1"));
        assert_eq!((many.threads(), one.threads()), (4, 1));
        assert_eq!(many.limits.nodes.map(NonZeroU64::get), Some(1500));
        assert_eq!(one.limits.nodes.map(NonZeroU64::get), Some(1000));
        assert_eq!(one.options[1].name, "Hash");
    }

    #[test]
    fn settings_of_games_apply_to_every_match() {
        let more = "adjudication: { max_moves: 150 }\nseed: 3\nvariant: chess960\n";
        let config = load(&format!("{GOOD}{more}")).unwrap();
        for EquivalenceCell { config, .. } in &config.cells {
            assert_eq!(config.adjudication.max_moves.map(NonZeroU32::get), Some(150));
            assert_eq!((config.seed, config.variant), (3, Variant::Chess960));
        }
    }

    #[test]
    fn matches_without_openings_start_from_those_that_ship_with_the_program() {
        let config = load(&GOOD.replace("openings: { file: book.epd }\n", "")).unwrap();
        let file = &config.any_match().openings.file;
        assert!(file.file_name().unwrap().to_string_lossy().starts_with("balanced-"), "{}", file.display());
    }

    #[test]
    fn invalid_fields_are_reported_with_their_path() {
        for (from, to, expected) in [
            ("[2, 4]", "[4, 2]", "threads[1]: 2: expected more than the 4"),
            ("[2, 4]", "[1, 2]", "threads[0]: 1: expected at least 2"),
            ("[1, 1.5]", "[1]", "factors: expected at least two"),
            ("[1, 1.5]", "[1, 0.5]", "factors[1]: 0.5: expected more than the 1"),
            ("[1, 1.5]", "[0, 0.5]", "factors[0]: 0: expected 1/1000"),
            ("games: 10", "games: 7", "games: 7: expected an even number"),
            ("Hash: 8", "threads: 8", "engine.options.Threads: the measurement sets this option"),
            ("command: sh,", "command: sh, depth: 3,", "engine: expected no limit here"),
            ("book.epd", "no.epd", "openings.file: no such file"),
            ("nodes: 1000", "", "missing field `nodes`"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
