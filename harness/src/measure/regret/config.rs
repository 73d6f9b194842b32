//! The schema of `harness regret`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::changes::changed_options;
use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::limits::Limits;
use crate::config::schema::FileKind;
use crate::config::{ConfigError, FieldPath, Problem, Source, Watchdog};
use crate::measure::searches::config::{RawPositions, default_timeout, one_at_a_time};

/// Score at which the odds of a win are e to 1, of a network trained on self-play games. Units:
/// centipawns.
const SCALE: f64 = 150.0;

/// The configuration files of `harness regret`.
pub(crate) const FILE: FileKind =
    FileKind::new::<RawRegret>("regret", |source| RegretConfig::load(source).map(drop));

/// A comparison of settings, builds or numbers of threads by the quality of their moves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Regret")]
struct RawRegret {
    /// The settings, each with a limit of nodes or depth of its own or that of the file. The others
    /// are compared with the first.
    engines: Vec<RawEngine>,
    /// The engine that scores the moves, with a deeper limit than the others.
    judge: RawEngine,
    /// The positions to search.
    #[serde(default)]
    positions: RawPositions,
    /// Nodes of each search by an engine without a limit of its own.
    nodes: Option<NonZeroU64>,
    /// File of judged moves to read and extend, so that later runs need not judge them again.
    /// Without it, judgements are kept in the run folder only.
    judgements: Option<PathBuf>,
    /// Names of engines that differ in their nodes only, at least two. A line through their regret
    /// over the logarithm of the nodes translates regret into nodes.
    #[serde(default)]
    ladder: Vec<String>,
    /// Elo of twice the nodes, measured by games. Needs a ladder. Without it, no Elo is estimated.
    elo_per_doubling: Option<f64>,
    /// Score at which the odds of a win are e to 1, in centipawns.
    #[serde(default = "usual_scale")]
    scale: f64,
    /// Positions searched at once.
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    /// Seconds without an answer after which an engine counts as hung.
    #[serde(default = "default_timeout")]
    timeout: f64,
}

fn usual_scale() -> f64 {
    SCALE
}

/// A validated comparison of settings by their moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RegretConfig {
    /// The settings, each with a limit; the others are compared with the first.
    pub engines: Vec<EngineConfig>,
    /// The engine that scores the moves.
    pub judge: EngineConfig,
    /// EPD or FEN file of positions.
    pub positions: PathBuf,
    /// Number of positions taken from its start; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<NonZeroUsize>,
    /// File of judged moves that runs share.
    #[serde(skip)]
    pub judgements: Option<PathBuf>,
    /// Indices of the engines that differ in their nodes only.
    pub ladder: Vec<usize>,
    /// Elo of twice the nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_per_doubling: Option<f64>,
    /// Score at which the odds of a win are e to 1. Units: centipawns.
    pub scale: f64,
    /// Positions searched at once; does not affect the results.
    #[serde(skip)]
    pub concurrency: usize,
    /// Timeouts for unresponsive engines.
    #[serde(skip)]
    pub watchdog: Watchdog,
}

impl RegretConfig {
    /// Reads and validates a configuration. Errors: the first invalid field.
    pub(crate) fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawRegret = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawRegret {
    fn validate(self, source: &Source) -> Result<RegretConfig, Problem> {
        let root = FieldPath::root();
        let shared = Limits { nodes: self.nodes, ..Limits::default() };
        let mut engines: Vec<EngineConfig> = Vec::with_capacity(self.engines.len());
        for (index, raw) in self.engines.into_iter().enumerate() {
            let here = root.key("engines").index(index);
            let engine = limited(raw.validate(&here, source.names(), shared)?, &here)?;
            if engines.iter().any(|other| other.name == engine.name) {
                let message = format!("`{}` is listed twice; names must differ", engine.name);
                return Err(Problem::new(here.key("name"), message));
            }
            engines.push(engine);
        }
        if engines.len() < 2 {
            return Err(Problem::new(root.key("engines"), "expected at least two engines"));
        }
        let here = root.key("judge");
        let judge = limited(self.judge.validate(&here, source.names(), Limits::default())?, &here)?;
        let ladder = ladder(&self.ladder, &engines, &root.key("ladder"))?;
        if self.elo_per_doubling.is_some_and(|elo| !(elo > 0.0 && elo < 1000.0)) {
            return Err(Problem::new(
                root.key("elo_per_doubling"),
                "expected more than 0 and less than 1000",
            ));
        }
        if self.elo_per_doubling.is_some() && ladder.is_empty() {
            let message = "the Elo of regret needs a ladder: expected the names of engines in `ladder`";
            return Err(Problem::new(root.key("elo_per_doubling"), message));
        }
        if !(1.0..=10_000.0).contains(&self.scale) {
            return Err(Problem::new(root.key("scale"), "expected centipawns, 1 to 10000"));
        }
        if !(0.001..=86_400.0).contains(&self.timeout) {
            return Err(Problem::new(root.key("timeout"), "expected seconds, 0.001 to 86400"));
        }
        let (positions, count) = self.positions.resolve(source)?;
        Ok(RegretConfig {
            engines,
            judge,
            positions,
            count,
            judgements: self.judgements.map(|file| source.dir().join(file)),
            ladder,
            elo_per_doubling: self.elo_per_doubling,
            scale: self.scale,
            concurrency: self.concurrency.get(),
            watchdog: Watchdog::for_searches(Duration::from_secs_f64(self.timeout)),
        })
    }
}

/// Refuses an engine without a limit of nodes or depth: times would depend on the machine.
fn limited(engine: EngineConfig, path: &FieldPath) -> Result<EngineConfig, Problem> {
    if engine.limits.is_timed() || engine.limits.is_empty() {
        return Err(Problem::new(path.clone(), "expected a limit of nodes or depth"));
    }
    Ok(engine)
}

/// Whether two engines are the same except for their names and numbers of nodes.
fn differ_in_nodes_only(one: &EngineConfig, other: &EngineConfig) -> bool {
    let limits = Limits { nodes: one.limits.nodes, ..other.limits };
    let other = EngineConfig { limits, ..other.clone() };
    changed_options(one, &other).is_some_and(|changed| changed.is_empty())
}

/// Returns the indices of the engines of the ladder.
fn ladder(names: &[String], engines: &[EngineConfig], path: &FieldPath) -> Result<Vec<usize>, Problem> {
    if names.len() == 1 {
        return Err(Problem::new(path.clone(), "expected at least two engines"));
    }
    let mut found: Vec<usize> = Vec::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        let here = path.index(place);
        let Some(index) = engines.iter().position(|engine| engine.name == *name) else {
            return Err(Problem::new(here, format!("no engine is called `{name}`")));
        };
        let Some(nodes) = engines[index].limits.nodes else {
            return Err(Problem::new(here, format!("`{name}` has no limit of nodes")));
        };
        if let Some(&first) =
            found.first().filter(|&&first| !differ_in_nodes_only(&engines[first], &engines[index]))
        {
            let message = format!(
                "`{name}` differs from `{}` in more than its nodes: expected the same program, options and limits",
                engines[first].name
            );
            return Err(Problem::new(here, message));
        }
        if found.iter().any(|&other| engines[other].limits.nodes == Some(nodes)) {
            return Err(Problem::new(
                here,
                format!("`{name}` has the nodes of another engine of the ladder"),
            ));
        }
        found.push(index);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<RegretConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("p.epd"), "").unwrap();
        let source = Source::new(dir.path().join("regret.yaml"), text.to_owned());
        RegretConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engines: [{ name: a, command: sh }, { name: b, command: sh, nodes: 200 }]\n\
        judge: { command: sh, nodes: 1000 }\npositions: { file: p.epd }\nnodes: 100\nladder: [a, b]\n\
        elo_per_doubling: 70\n";

    #[test]
    fn optional_fields_have_defaults() {
        let config = load(GOOD).unwrap();
        let nodes: Vec<_> = config.engines.iter().map(|engine| engine.limits.nodes).collect();
        assert_eq!(nodes, [100, 200].map(NonZeroU64::new));
        assert_eq!((config.ladder, config.scale, config.concurrency), (vec![0, 1], SCALE, 1));
    }

    #[test]
    fn invalid_fields_are_reported_with_their_path() {
        for (from, to, expected) in [
            ("nodes: 100\n", "", "engines[0]: expected a limit of nodes or depth"),
            ("nodes: 1000", "movetime: 5", "judge: expected a limit of nodes or depth"),
            ("name: b", "name: a", "engines[1].name: `a` is listed twice"),
            (", { name: b, command: sh, nodes: 200 }", "", "engines: expected at least two engines"),
            ("[a, b]", "[a]", "ladder: expected at least two engines"),
            ("[a, b]", "[a, c]", "ladder[1]: no engine is called `c`"),
            ("nodes: 200", "nodes: 100", "ladder[1]: `b` has the nodes of another"),
            ("nodes: 200", "depth: 3", "ladder[1]: `b` has no limit of nodes"),
            ("nodes: 200", "nodes: 200, depth: 9", "ladder[1]: `b` differs from `a` in more than its nodes"),
            ("nodes: 200", "nodes: 200, options: { Threads: 2 }", "ladder[1]: `b` differs from `a` in more"),
            ("b, command: sh", "b, command: cat", "ladder[1]: `b` differs from `a` in more than its nodes"),
            ("ladder: [a, b]\n", "", "elo_per_doubling: the Elo of regret needs a ladder"),
            ("doubling: 70", "doubling: -3", "elo_per_doubling: expected more than 0"),
            ("p.epd", "q.epd", "positions.file: no such file"),
            ("nodes: 100\n", "nodes: 100\nscale: 0\n", "scale: expected centipawns"),
            ("nodes: 100\n", "nodes: 100\ntimeout: 0\n", "timeout: expected seconds"),
            ("nodes: 100\n", "nodes: 100\nspeed: 1\n", "unknown field `speed`"),
        ] {
            let error = load(&GOOD.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
