//! The schema of `harness smp`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::schema::FileKind;
use crate::config::{ConfigError, FieldPath, Limits, Problem, Source};
use crate::measure::searches::config::{
    RawPositions, RawSearches, SearchesConfig, default_timeout, once, one_at_a_time, validate_engines, yes,
};

/// The UCI option for the number of search threads.
pub(crate) const THREADS: &str = "Threads";
/// Largest number of threads.
const MAX_THREADS: u32 = 65_536;

/// The configuration files of `harness smp`.
pub(crate) const FILE: FileKind = FileKind::new::<RawSmp>("smp", |source| SmpConfig::load(source).map(drop));

/// A measurement of engines at several numbers of threads.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Smp")]
struct RawSmp {
    /// The engines, each measured at every number of threads. The others are compared with the
    /// first.
    engines: Vec<RawEngine>,
    /// The positions to search.
    #[serde(default)]
    positions: RawPositions,
    /// Numbers of threads in rising order. Speedups refer to the first.
    threads: Vec<NonZeroU32>,
    /// Depth of each search, in plies, to measure time and nodes to depth. Either this or movetime.
    depth: Option<NonZeroU32>,
    /// Time of each search, in milliseconds, to measure nodes per second. With several threads at least 20:
    /// shorter searches may use one thread.
    movetime: Option<NonZeroU64>,
    /// Whether as many single-threaded processes are measured too. Needs movetime.
    #[serde(default)]
    separate_processes: bool,
    /// Searches of each position by each engine at each number of threads.
    #[serde(default = "once")]
    repetitions: NonZeroU32,
    /// Whether times are compared. Only times depend on the machine.
    #[serde(default = "yes")]
    times: bool,
    /// Searches at once. Above 1, times mean little.
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    /// Seconds without an answer after which an engine counts as hung.
    #[serde(default = "default_timeout")]
    timeout: f64,
}

/// A validated measurement of engines at several numbers of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmpConfig {
    /// The engines, each measured at every number of threads and compared with the first.
    pub engines: Vec<EngineConfig>,
    /// Numbers of threads in rising order. Speedups refer to the first.
    pub threads: Vec<NonZeroU32>,
    /// Whether as many single-threaded processes are measured too.
    #[serde(default)]
    pub separate_processes: bool,
    /// Positions, limit and repetitions. With Lockstep, times have no meaning.
    #[serde(flatten)]
    pub searches: SearchesConfig,
}

impl SmpConfig {
    /// Reads and validates a configuration. Errors: the first invalid field.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse::<RawSmp>()?.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawSmp {
    fn validate(self, source: &Source) -> Result<SmpConfig, Problem> {
        let Self { positions, threads, depth, movetime, separate_processes, repetitions, times, .. } = self;
        let (concurrency, timeout, instructions) = (self.concurrency, self.timeout, false);
        let limits = Limits { time_control: None, nodes: None, depth, movetime };
        let searches =
            RawSearches { positions, limits, repetitions, times, concurrency, timeout, instructions };
        let engines = validate_engines(self.engines, source, limits)?;
        for (index, engine) in engines.iter().enumerate() {
            refuse_threads_option(engine, &FieldPath::root().key("engines").index(index))?;
        }
        check_threads(&threads)?;
        let message = "separate processes are compared in nodes per second; expected movetime";
        let is_possible = !separate_processes || movetime.is_some();
        FieldPath::root().key("separate_processes").require(is_possible, message)?;
        let searches = searches.validate(source, "depth (speedups) or movetime (nodes per second)")?;
        Ok(SmpConfig { engines, threads, separate_processes, searches })
    }
}

/// Refuses a list `threads` that is empty, does not rise or is out of range.
pub(crate) fn check_threads(threads: &[NonZeroU32]) -> Result<(), Problem> {
    let path = FieldPath::root().key("threads");
    path.require(!threads.is_empty(), "expected at least one number of threads")?;
    for (index, pair) in threads.windows(2).enumerate() {
        let message = format_args!("{}: expected more than the {} before it", pair[1], pair[0]);
        path.index(index + 1).require(pair[0] < pair[1], message)?;
    }
    let allowed = threads.partition_point(|threads| threads.get() <= MAX_THREADS);
    path.index(allowed).require(allowed == threads.len(), format_args!("expected at most {MAX_THREADS}"))
}

/// Refuses an engine with the option `Threads`, which the measurement sets.
pub(crate) fn refuse_threads_option(engine: &EngineConfig, path: &FieldPath) -> Result<(), Problem> {
    let is_set = engine.options.iter().any(|option| option.name.eq_ignore_ascii_case(THREADS));
    let message = "the measurement sets this option; use the field `threads` instead";
    path.key("options").key(THREADS).require(!is_set, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::source_beside;

    fn load(text: &str) -> Result<SmpConfig, String> {
        let (_dir, source) = source_beside(text, &["p.epd"]);
        SmpConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engines: [{ name: a, command: sh }, { name: b, command: sh }]\n\
        positions: { file: p.epd }\nthreads: [1, 2]\ndepth: 5\n";

    #[test]
    fn optional_fields_have_defaults() {
        let config = load(GOOD).unwrap();
        assert_eq!(
            (config.engines.len(), config.searches.repetitions.get(), config.searches.concurrency),
            (2, 1, 1)
        );
        assert_eq!(config.searches.limits.depth, NonZeroU32::new(5));
    }

    #[test]
    fn invalid_fields_are_reported_with_their_path() {
        for (from, to, expected) in [
            ("depth: 5", "", "depth: expected one limit"),
            ("depth: 5", "depth: 5\nmovetime: 7", "depth: expected one limit"),
            ("depth: 5", "movetime: 7\ntimes: false", "times: movetime requires"),
            ("[1, 2]", "[2, 2]", "threads[1]: 2: expected more than the 2"),
            ("[1, 2]", "[]", "threads: expected at least one"),
            ("[1, 2]", "[1, 100000]", "threads[1]: expected at most"),
            ("name: b", "name: a", "engines[1].name: `a` is listed twice"),
            (
                "command: sh }]",
                "command: sh, options: { threads: 3 } }]",
                "engines[1].options.Threads: the measurement sets",
            ),
            ("command: sh }]", "command: sh, depth: 9 }]", "engines[1]: expected no limit here"),
            ("command: sh }]", "command: no-such }]", "engines[1].command: no engine"),
            ("p.epd", "q.epd", "positions.file: no such file"),
            (
                "depth: 5",
                "depth: 5\nseparate_processes: true",
                "separate_processes: separate processes are compared",
            ),
            ("depth: 5", "depth: 5\ntimeout: 0", "timeout: expected seconds"),
            ("depth: 5", "depth: 5\nspeed: 1", "unknown field `speed`"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
