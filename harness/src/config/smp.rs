//! The schema of `harness smp`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::command::resolve_file;
use super::engine::{EngineConfig, RawEngine};
use super::limits::Limits;
use super::locate::FieldPath;
use super::matches::Watchdog;
use super::source::{ConfigError, Problem, Source};

/// The option every engine with threads has.
pub(super) const THREADS: &str = "Threads";
/// More threads than any engine takes.
const MAX_THREADS: u32 = 65_536;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSmp {
    engines: Vec<RawEngine>,
    positions: RawPositions,
    threads: Vec<NonZeroU32>,
    depth: Option<NonZeroU32>,
    movetime: Option<NonZeroU64>,
    #[serde(default = "one")]
    repetitions: NonZeroU32,
    #[serde(default = "yes")]
    times: bool,
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    #[serde(default = "default_timeout")]
    timeout: f64,
}

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn yes() -> bool {
    true
}

fn one_at_a_time() -> NonZeroUsize {
    NonZeroUsize::MIN
}

fn default_timeout() -> f64 {
    600.0
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPositions {
    file: PathBuf,
    count: Option<NonZeroUsize>,
}

/// A checked measurement of engines by the number of their threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SmpConfig {
    /// What is compared, each at every number of threads; the others against the first.
    pub engines: Vec<EngineConfig>,
    /// An EPD or FEN file.
    pub positions: PathBuf,
    /// Positions taken from its start; all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroUsize>,
    /// Numbers of threads, rising; the first is what speedups refer to.
    pub threads: Vec<NonZeroU32>,
    /// Of each search: a depth, or a time.
    pub limits: Limits,
    /// Searches of each position by each engine at each number of threads.
    pub repetitions: NonZeroU32,
    /// Are times reported? Where threads take turns they mean nothing, and without them a second run says the same.
    pub times: bool,
    /// Searches at once. Times mean something only with as many cores as all their threads.
    pub concurrency: usize,
    /// Limits on waiting.
    pub watchdog: Watchdog,
}

impl SmpConfig {
    /// Reads and checks a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawSmp = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawSmp {
    fn validate(self, source: &Source) -> Result<SmpConfig, Problem> {
        let root = FieldPath::root();
        let limits = Limits { time_control: None, nodes: None, depth: self.depth, movetime: self.movetime };
        if self.depth.is_some() == self.movetime.is_some() {
            let message = "expected one limit: depth (speedups) or movetime (nodes a second)";
            return Err(Problem::new(root.key("depth"), message));
        }
        if !self.times && self.movetime.is_some() {
            return Err(Problem::new(root.key("times"), "a movetime measures nothing but times"));
        }
        let list = root.key("engines");
        if self.engines.is_empty() {
            return Err(Problem::new(list, "expected at least one engine"));
        }
        let mut engines: Vec<EngineConfig> = Vec::with_capacity(self.engines.len());
        for (index, raw) in self.engines.into_iter().enumerate() {
            let here = list.index(index);
            let engine = raw.validate(&here, source.dir(), limits)?;
            if engine.limits != limits {
                return Err(Problem::new(here, "all engines search to the common limit"));
            }
            if engine.options.iter().any(|option| option.name.eq_ignore_ascii_case(THREADS)) {
                let message = "set by the measurement; the numbers stand in the field threads";
                return Err(Problem::new(here.key("options").key(THREADS), message));
            }
            if engines.iter().any(|other| other.name == engine.name) {
                return Err(Problem::new(here.key("name"), format!("`{}` is there twice", engine.name)));
            }
            engines.push(engine);
        }
        check_threads(&self.threads)?;
        if !(0.001..=86_400.0).contains(&self.timeout) {
            return Err(Problem::new(root.key("timeout"), "expected seconds, 0.001 to 86400"));
        }
        let file = root.key("positions").key("file");
        let positions =
            resolve_file(&self.positions.file, source.dir()).map_err(|text| Problem::new(file, text))?;
        let answer = Duration::from_secs_f64(self.timeout);
        Ok(SmpConfig {
            engines,
            positions,
            count: self.positions.count,
            threads: self.threads,
            limits,
            repetitions: self.repetitions,
            times: self.times,
            concurrency: self.concurrency.get(),
            watchdog: Watchdog {
                uci: Duration::from_secs(10),
                ready: answer.max(Duration::from_mins(1)),
                answer,
                stall: Watchdog::STALL,
            },
        })
    }
}

/// Refuses a list `threads` that is empty, does not rise or is out of range.
pub(super) fn check_threads(threads: &[NonZeroU32]) -> Result<(), Problem> {
    let path = FieldPath::root().key("threads");
    if threads.is_empty() {
        return Err(Problem::new(path, "expected at least one number of threads"));
    }
    for (index, pair) in threads.windows(2).enumerate() {
        if pair[0] >= pair[1] {
            let message = format!("{}: expected more than the {} before it", pair[1], pair[0]);
            return Err(Problem::new(path.index(index + 1), message));
        }
    }
    if let Some(index) = threads.iter().position(|threads| threads.get() > MAX_THREADS) {
        return Err(Problem::new(path.index(index), format!("expected at most {MAX_THREADS}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<SmpConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("p.epd"), "").unwrap();
        let source = Source { file: dir.path().join("smp.yaml"), text: text.to_owned() };
        SmpConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engines: [{ name: a, command: sh }, { name: b, command: sh }]\n\
        positions: { file: p.epd }\nthreads: [1, 2]\ndepth: 5\n";

    #[test]
    fn little_is_needed() {
        let config = load(GOOD).unwrap();
        assert_eq!((config.engines.len(), config.repetitions.get(), config.concurrency), (2, 1, 1));
        assert_eq!(config.limits.depth, NonZeroU32::new(5));
    }

    #[test]
    fn mistakes_are_named_with_their_field() {
        for (from, to, expected) in [
            ("depth: 5", "", "depth: expected one limit"),
            ("depth: 5", "depth: 5\nmovetime: 7", "depth: expected one limit"),
            ("depth: 5", "movetime: 7\ntimes: false", "times: a movetime measures"),
            ("[1, 2]", "[2, 2]", "threads[1]: 2: expected more than the 2"),
            ("[1, 2]", "[]", "threads: expected at least one"),
            ("[1, 2]", "[1, 100000]", "threads[1]: expected at most"),
            ("name: b", "name: a", "engines[1].name: `a` is there twice"),
            (
                "command: sh }]",
                "command: sh, options: { threads: 3 } }]",
                "engines[1].options.Threads: set by",
            ),
            ("command: sh }]", "command: sh, depth: 9 }]", "engines[1]: all engines search to"),
            ("command: sh }]", "command: no-such }]", "engines[1].command: no engine"),
            ("p.epd", "q.epd", "positions.file: no such file"),
            ("depth: 5", "depth: 5\ntimeout: 0", "timeout: expected seconds"),
            ("depth: 5", "depth: 5\nspeed: 1", "unknown field `speed`"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
