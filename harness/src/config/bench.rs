//! The schema of `harness bench`.

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

/// What the first engine is called where it is measured against itself.
const CONTROL: &str = "control";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBench {
    engines: Vec<RawEngine>,
    positions: RawPositions,
    depth: Option<NonZeroU32>,
    nodes: Option<NonZeroU64>,
    movetime: Option<NonZeroU64>,
    repetitions: Option<NonZeroU32>,
    target: Option<RawTarget>,
    #[serde(default = "yes")]
    control: bool,
    #[serde(default = "yes")]
    times: bool,
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    #[serde(default = "default_timeout")]
    timeout: f64,
    #[serde(default)]
    seed: u64,
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTarget {
    measure: BenchMeasure,
    percent: f64,
}

/// A quantity engines are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchMeasure {
    /// Nodes to the end of the search.
    Nodes,
    /// Time to it.
    Time,
    /// Nodes a second.
    Speed,
}

/// When to stop before all repetitions are done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BenchTarget {
    /// Of this quantity.
    pub measure: BenchMeasure,
    /// Every interval is to be no wider to either side than so many percent.
    pub percent: f64,
}

/// A checked comparison of engines over positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchConfig {
    /// What is compared: the others with the first. With a control the last is the first once more.
    pub engines: Vec<EngineConfig>,
    /// An EPD or FEN file.
    pub positions: PathBuf,
    /// Positions taken from its start; all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroUsize>,
    /// Of each search.
    pub limits: Limits,
    /// Searches of each position by each engine, at most.
    pub repetitions: NonZeroU32,
    /// When fewer are enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<BenchTarget>,
    /// Is the first engine measured against itself, so that the noise is known?
    pub has_control: bool,
    /// Are times compared?
    pub times: bool,
    /// Of the resampling behind the intervals.
    pub seed: u64,
    /// Searches at once. Times mean something only with as many cores as all their threads.
    pub concurrency: usize,
    /// Limits on waiting.
    pub watchdog: Watchdog,
}

impl BenchConfig {
    /// Reads and checks a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawBench = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawBench {
    fn validate(self, source: &Source) -> Result<BenchConfig, Problem> {
        let root = FieldPath::root();
        let limits =
            Limits { time_control: None, nodes: self.nodes, depth: self.depth, movetime: self.movetime };
        let given = [self.depth.is_some(), self.nodes.is_some(), self.movetime.is_some()];
        if given.iter().filter(|&&is_given| is_given).count() != 1 {
            let message = "expected one limit: depth, nodes or movetime";
            return Err(Problem::new(root.key("depth"), message));
        }
        if !self.times && self.movetime.is_some() {
            return Err(Problem::new(root.key("times"), "a movetime measures nothing but times"));
        }
        let list = root.key("engines");
        if self.engines.len() < 2 && !self.control {
            return Err(Problem::new(list, "expected at least two engines, or a control"));
        }
        let mut engines: Vec<EngineConfig> = Vec::with_capacity(self.engines.len() + 1);
        for (index, raw) in self.engines.into_iter().enumerate() {
            let here = list.index(index);
            let engine = raw.validate(&here, source.dir(), limits)?;
            if engine.limits != limits {
                return Err(Problem::new(here, "all engines search to the common limit"));
            }
            if engine.name == CONTROL || engines.iter().any(|other| other.name == engine.name) {
                return Err(Problem::new(here.key("name"), format!("`{}` is there twice", engine.name)));
            }
            engines.push(engine);
        }
        let Some(first) = engines.first().cloned() else {
            return Err(Problem::new(list, "expected at least one engine"));
        };
        if self.control {
            engines.push(EngineConfig { name: CONTROL.to_owned(), ..first });
        }
        let path = root.key("target");
        let target = self.target.map(|raw| (raw.measure, raw.percent));
        if let Some((measure, percent)) = target {
            if !(percent > 0.0 && percent <= 100.0) {
                let message = format!("{percent}: expected more than 0 and at most 100");
                return Err(Problem::new(path.key("percent"), message));
            }
            if !self.times && measure != BenchMeasure::Nodes {
                return Err(Problem::new(path.key("measure"), "times are not compared"));
            }
        }
        if !(0.001..=86_400.0).contains(&self.timeout) {
            return Err(Problem::new(root.key("timeout"), "expected seconds, 0.001 to 86400"));
        }
        let file = root.key("positions").key("file");
        let positions =
            resolve_file(&self.positions.file, source.dir()).map_err(|text| Problem::new(file, text))?;
        let answer = Duration::from_secs_f64(self.timeout);
        // With a target there may be many, since it ends when it is reached.
        let usual = NonZeroU32::new(if target.is_some() { 100 } else { 3 }).unwrap_or(NonZeroU32::MIN);
        Ok(BenchConfig {
            engines,
            positions,
            count: self.positions.count,
            limits,
            repetitions: self.repetitions.unwrap_or(usual),
            target: target.map(|(measure, percent)| BenchTarget { measure, percent }),
            has_control: self.control,
            times: self.times,
            seed: self.seed,
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<BenchConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("p.epd"), "").unwrap();
        let source = Source { file: dir.path().join("bench.yaml"), text: text.to_owned() };
        BenchConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engines: [{ name: a, command: sh }, { name: b, command: sh }]\n\
        positions: { file: p.epd }\ndepth: 5\n";

    #[test]
    fn a_control_is_added() {
        let config = load(GOOD).unwrap();
        let names: Vec<&str> = config.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!((names.as_slice(), config.repetitions.get()), (&["a", "b", CONTROL][..], 3));
        let config =
            load(&format!("{GOOD}control: false\ntarget: {{ measure: time, percent: 1 }}\n")).unwrap();
        assert_eq!((config.engines.len(), config.repetitions.get()), (2, 100));
    }

    #[test]
    fn mistakes_are_named_with_their_field() {
        for (from, to, expected) in [
            ("depth: 5", "", "depth: expected one limit"),
            ("depth: 5", "depth: 5\nnodes: 7", "depth: expected one limit"),
            ("depth: 5", "movetime: 7\ntimes: false", "times: a movetime measures"),
            ("name: b", "name: a", "engines[1].name: `a` is there twice"),
            ("name: b", "name: control", "engines[1].name: `control` is there twice"),
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
            ("depth: 5", "depth: 5\nspeed: 1", "unknown field `speed`"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
