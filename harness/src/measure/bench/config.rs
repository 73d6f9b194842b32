//! The schema of `harness bench`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::schema::FileKind;
use crate::config::{ConfigError, FieldPath, Limits, Problem, Source};
use crate::measure::searches::config::{
    RawPositions, RawSearches, SearchesConfig, default_timeout, one_at_a_time, validate_engines, yes,
};

/// Name of the control: the first engine, measured a second time.
pub(crate) const CONTROL: &str = "control";

/// The configuration files of `harness bench`.
pub(crate) const FILE: FileKind =
    FileKind::new::<RawBench>("bench", |source| BenchConfig::load(source).map(drop));

/// A comparison of engines, builds or settings on the same positions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Bench")]
struct RawBench {
    /// The engines. The others are compared with the first.
    engines: Vec<RawEngine>,
    /// The positions to search.
    #[serde(default)]
    positions: RawPositions,
    /// Depth of each search, in plies. One limit of depth, nodes and movetime is needed.
    depth: Option<NonZeroU32>,
    /// Nodes of each search.
    nodes: Option<NonZeroU64>,
    /// Time of each search, in milliseconds.
    movetime: Option<NonZeroU64>,
    /// Searches of each position by each engine; with a target, the maximum. Default: 3, or 100
    /// with a target.
    repetitions: Option<NonZeroU32>,
    /// Precision at which the measurement ends.
    target: Option<BenchTarget>,
    /// Whether the first engine is measured a second time, to show the noise.
    #[serde(default = "yes")]
    control: bool,
    /// Whether times are compared. Only times depend on the machine.
    #[serde(default = "yes")]
    times: bool,
    /// Searches at once. Above 1, times mean little.
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    /// Seconds without an answer after which an engine counts as hung.
    #[serde(default = "default_timeout")]
    timeout: f64,
    /// Whether the instructions of each search are counted with perf or valgrind, in a further process.
    #[serde(default)]
    instructions: bool,
}

/// The precision at which a comparison ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Target")]
pub struct BenchTarget {
    /// The quantity that is compared.
    pub measure: BenchMeasure,
    /// Largest half-width of its 95 % confidence intervals, in percent.
    pub percent: f64,
}

/// A quantity in which engines are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BenchMeasure {
    /// Nodes to the end of the search.
    Nodes,
    /// Time to the end of the search.
    Time,
    /// CPU time, without what other programs and the hypervisor took.
    ProcessorTime,
    /// Speed in nodes per second.
    Speed,
}

/// A validated comparison of engines on fixed positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchConfig {
    /// The engines, each compared with the first. With a control, the last is a copy of the first.
    pub engines: Vec<EngineConfig>,
    /// Positions, limit and repetitions.
    #[serde(flatten)]
    pub searches: SearchesConfig,
    /// Precision at which the run ends early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<BenchTarget>,
    /// Whether the first engine is measured a second time, to show the noise.
    pub has_control: bool,
    /// For each engine, the index of the engine that it is compared with, which is itself for a base.
    /// If empty, all are compared with the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<usize>,
    /// Number of engines whose intervals of one quantity hold simultaneously. If absent, each holds
    /// alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<NonZeroUsize>,
}

impl BenchConfig {
    /// Returns the index of the engine with which an engine is compared.
    pub fn base_of(&self, engine: usize) -> usize {
        self.bases.get(engine).copied().unwrap_or(0)
    }

    /// Reads and validates a configuration. Errors: the first invalid field.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse::<RawBench>()?.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawBench {
    fn validate(self, source: &Source) -> Result<BenchConfig, Problem> {
        let list = FieldPath::root().key("engines");
        let has_rival = self.engines.len() >= 2 || self.control;
        list.require(has_rival, "expected at least two engines, or a control")?;
        // A run with a target usually ends before its maximum.
        let default = NonZeroU32::new(if self.target.is_some() { 100 } else { 3 }).unwrap_or(NonZeroU32::MIN);
        let repetitions = self.repetitions.unwrap_or(default);
        let Self { positions, depth, nodes, movetime, times, concurrency, timeout, instructions, .. } = self;
        let limits = Limits { time_control: None, nodes, depth, movetime };
        let searches =
            RawSearches { positions, limits, repetitions, times, concurrency, timeout, instructions };
        let mut engines = validate_engines(self.engines, source, limits)?;
        if let Some(index) = engines.iter().position(|engine| engine.name == CONTROL) {
            let message = format!("`{CONTROL}` is the name of the control measurement; choose another name");
            return list.index(index).key("name").refuse(message);
        }
        if let Some(index) = engines.iter().position(|engine| self.instructions && engine.threads() != 1) {
            let path = list.index(index).key("options").key("Threads");
            return path.refuse("expected 1: instruction counts with more threads are not reproducible");
        }
        if let Some(first) = engines.first().filter(|_| self.control).cloned() {
            engines.push(EngineConfig { name: CONTROL.to_owned(), ..first });
        }
        self.target.map_or(Ok(()), |target| target.check(self.times))?;
        let searches = searches.validate(source, "depth, nodes or movetime")?;
        Ok(BenchConfig {
            engines,
            searches,
            target: self.target,
            has_control: self.control,
            bases: Vec::new(),
            family: None,
        })
    }
}

impl BenchTarget {
    fn check(self, has_times: bool) -> Result<(), Problem> {
        let (path, Self { measure, percent }) = (FieldPath::root().key("target"), self);
        let message = format_args!("{percent}: expected more than 0 and at most 100");
        path.key("percent").require(percent > 0.0 && percent <= 100.0, message)?;
        let is_compared = has_times || measure == BenchMeasure::Nodes;
        path.key("measure").require(is_compared, "times are not compared (times: false); expected nodes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::source_beside;

    fn load(text: &str) -> Result<BenchConfig, String> {
        let (_dir, source) = source_beside(text, &["p.epd"]);
        BenchConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engines: [{ name: a, command: sh }, { name: b, command: sh }]\n\
        positions: { file: p.epd }\ndepth: 5\n";

    #[test]
    fn first_engine_is_appended_as_control() {
        let config = load(GOOD).unwrap();
        let names: Vec<&str> = config.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!((names.as_slice(), config.searches.repetitions.get()), (&["a", "b", CONTROL][..], 3));
        let config =
            load(&format!("{GOOD}control: false\ntarget: {{ measure: time, percent: 1 }}\n")).unwrap();
        assert_eq!((config.engines.len(), config.searches.repetitions.get()), (2, 100));
    }

    #[test]
    fn positions_default_to_the_shipped_ones() {
        let name = |text: &str| {
            let positions = load(text).unwrap().searches.positions;
            positions.file_name().unwrap().to_string_lossy().into_owned()
        };
        let shipped = name(&GOOD.replace("positions: { file: p.epd }\n", ""));
        assert!(shipped.starts_with("positions-"), "{shipped}");
        assert_eq!(name(&GOOD.replace("file: p.epd", "count: 7")), shipped);
        assert_eq!(name(GOOD), "p.epd");
    }

    #[test]
    fn invalid_fields_are_reported_with_their_path() {
        for (from, to, expected) in [
            ("depth: 5", "", "depth: expected one limit"),
            ("depth: 5", "depth: 5\nnodes: 7", "depth: expected one limit"),
            ("depth: 5", "movetime: 7\ntimes: false", "times: movetime requires"),
            ("name: b", "name: a", "engines[1].name: `a` is listed twice"),
            ("name: b", "name: control", "engines[1].name: `control` is the name"),
            (", { name: b, command: sh }]", "]\ncontrol: false", "engines: expected at least two"),
            ("command: sh }]", "command: no-such }]", "engines[1].command: no engine"),
            ("p.epd", "q.epd", "positions.file: no such file"),
            ("depth: 5", "depth: 5\ntarget: { measure: time, percent: 0 }", "target.percent: 0: expected"),
            (
                "depth: 5",
                "depth: 5\ntimes: false\ntarget: { measure: time, percent: 1 }",
                "target.measure: times",
            ),
            ("depth: 5", "depth: 5\ntimeout: 0", "timeout: expected seconds"),
            (
                "depth: 5",
                "movetime: 7\ninstructions: true",
                "instructions: instructions are counted at a fixed",
            ),
            (
                "sh }]",
                "sh, options: { Threads: 2 } }]\ninstructions: true",
                "Threads: expected 1: instruction counts",
            ),
            ("depth: 5", "depth: 5\nspeed: 1", "unknown field `speed`"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
