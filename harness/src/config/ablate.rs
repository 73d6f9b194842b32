//! The schema of `harness ablate`.

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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAblate {
    engine: RawEngine,
    switches: RawSwitches,
    #[serde(default)]
    pairs: Vec<[String; 2]>,
    positions: RawPositions,
    depth: Option<NonZeroU32>,
    nodes: Option<NonZeroU64>,
    #[serde(default = "one")]
    repetitions: NonZeroU32,
    #[serde(default = "yes")]
    times: bool,
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    #[serde(default = "default_timeout")]
    timeout: f64,
    #[serde(default)]
    seed: u64,
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
#[serde(untagged)]
enum RawSwitches {
    All(AllSwitches),
    Named(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AllSwitches {
    All,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPositions {
    file: PathBuf,
    count: Option<NonZeroUsize>,
}

/// A checked ablation: what each switch of an engine is worth over positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AblateConfig {
    /// The engine as it is.
    pub engine: EngineConfig,
    /// Options that are on or off; each is turned the other way in turn. Without any, all that the engine declares.
    pub switches: Vec<String>,
    /// Pairs that are turned together, to see what they do to each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[String; 2]>,
    /// An EPD or FEN file.
    pub positions: PathBuf,
    /// Positions taken from its start; all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroUsize>,
    /// Of each search.
    pub limits: Limits,
    /// Searches of each position with each setting.
    pub repetitions: NonZeroU32,
    /// Are times compared?
    pub times: bool,
    /// Of the resampling behind the intervals.
    pub seed: u64,
    /// Searches at once.
    pub concurrency: usize,
    /// Limits on waiting.
    pub watchdog: Watchdog,
}

impl AblateConfig {
    /// Reads and checks a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawAblate = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawAblate {
    fn validate(self, source: &Source) -> Result<AblateConfig, Problem> {
        let root = FieldPath::root();
        let limits = Limits { time_control: None, nodes: self.nodes, depth: self.depth, movetime: None };
        if self.depth.is_some() == self.nodes.is_some() {
            return Err(Problem::new(root.key("depth"), "expected one limit: depth or nodes"));
        }
        let path = root.key("engine");
        let engine = self.engine.validate(&path, source.dir(), limits)?;
        if engine.limits != limits {
            return Err(Problem::new(path, "the limit stands beside it, not in it"));
        }
        let list = root.key("switches");
        let switches = match self.switches {
            RawSwitches::All(AllSwitches::All) => Vec::new(),
            RawSwitches::Named(names) if names.is_empty() => {
                return Err(Problem::new(list, "expected names of options, or `all`"));
            }
            RawSwitches::Named(names) => names,
        };
        for (index, name) in switches.iter().enumerate() {
            let is_there = |other: &String| other.eq_ignore_ascii_case(name);
            if switches[..index].iter().any(is_there) {
                return Err(Problem::new(list.index(index), format!("`{name}` is there twice")));
            }
        }
        if !(0.001..=86_400.0).contains(&self.timeout) {
            return Err(Problem::new(root.key("timeout"), "expected seconds, 0.001 to 86400"));
        }
        let file = root.key("positions").key("file");
        let positions =
            resolve_file(&self.positions.file, source.dir()).map_err(|text| Problem::new(file, text))?;
        let answer = Duration::from_secs_f64(self.timeout);
        Ok(AblateConfig {
            engine,
            switches,
            pairs: self.pairs,
            positions,
            count: self.positions.count,
            limits,
            repetitions: self.repetitions,
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

    fn load(text: &str) -> Result<AblateConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("p.epd"), "").unwrap();
        let source = Source { file: dir.path().join("ablate.yaml"), text: text.to_owned() };
        AblateConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str =
        "engine: { command: sh }\nswitches: [NullMove, Killers]\npositions: { file: p.epd }\ndepth: 5\n";

    #[test]
    fn all_switches_or_some() {
        assert_eq!(load(GOOD).unwrap().switches, ["NullMove", "Killers"]);
        assert!(load(&GOOD.replace("[NullMove, Killers]", "all")).unwrap().switches.is_empty());
    }

    #[test]
    fn mistakes_are_named_with_their_field() {
        for (from, to, expected) in [
            ("depth: 5", "", "depth: expected one limit"),
            ("depth: 5", "depth: 5\nnodes: 7", "depth: expected one limit"),
            ("[NullMove, Killers]", "[]", "switches: expected names"),
            ("[NullMove, Killers]", "[NullMove, nullmove]", "switches[1]: `nullmove` is there twice"),
            ("command: sh", "command: no-such", "engine.command: no engine"),
            ("p.epd", "q.epd", "positions.file: no such file"),
            ("depth: 5", "depth: 5\nspeed: 1", "unknown field `speed`"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
