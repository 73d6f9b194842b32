//! Configuration of `workshop openings`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use shakmaty::Color;

use stretto_harness::config::engine::{EngineConfig, RawEngine};
use stretto_harness::config::limits::Limits;
use stretto_harness::config::schema::FileKind;
use stretto_harness::config::{ConfigError, FieldPath, Problem, Source};

/// The configuration files of `workshop openings`.
pub(crate) const FILE: FileKind =
    FileKind::new::<RawOpeningSet>("openings", |source| OpeningSetConfig::load(source).map(drop));

/// A set of openings whose scores lie in a window.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OpeningSet")]
struct RawOpeningSet {
    /// The engine that scores positions, with one thread.
    engine: RawEngine,
    /// EPD file to write, relative to the configuration.
    output: PathBuf,
    /// Number of openings to write, at least 1.
    count: NonZeroUsize,
    /// Nodes of the search that scores a position, at least 1.
    nodes: NonZeroU64,
    /// Largest score of an opening, either way, in centipawns. Either this or `score` is needed.
    limit: Option<u32>,
    /// Window of the score of an opening, instead of `limit`.
    score: Option<ScoreWindow>,
    /// Nodes of a second search of each position in the window. Its score must be in the window too, and is
    /// the one that is written.
    verify: Option<NonZeroU64>,
    /// Keep only positions in which both sides have as many pawns, minor pieces, rooks and queens.
    #[serde(default)]
    equal_material: bool,
    /// Random plies from the start position.
    plies: RawPlies,
    /// Seed of the random plies.
    #[serde(default)]
    seed: u64,
    /// Engines searching at once. Without it, one per logical CPU. The result does not depend on it.
    concurrency: Option<NonZeroUsize>,
    /// Seconds of silence after which the engine counts as hung.
    #[serde(default = "default_watchdog")]
    watchdog: f64,
}

fn default_watchdog() -> f64 {
    60.0
}

/// A window of scores, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreWindow {
    /// The side whose advantage is measured.
    #[serde(default)]
    pub side: AdvantageSide,
    /// Smallest advantage, in centipawns as the engine prints them.
    pub min: i32,
    /// Largest advantage, in the same unit.
    pub max: i32,
}

/// The side whose advantage a score window measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdvantageSide {
    /// Always White, as in UHO sets.
    White,
    /// Always Black; scores count from its point of view.
    Black,
    /// Whichever side has the advantage.
    #[default]
    Either,
}

impl ScoreWindow {
    /// Returns whether the window has this score of the side to move.
    pub(super) fn contains(self, to_move: Color, cp: i32) -> bool {
        let of_side = |is_own: bool| if is_own { cp } else { cp.saturating_neg() };
        let advantage = match self.side {
            AdvantageSide::Either => cp.saturating_abs(),
            AdvantageSide::White => of_side(to_move.is_white()),
            AdvantageSide::Black => of_side(to_move.is_black()),
        };
        (self.min..=self.max).contains(&advantage)
    }
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

/// The validated configuration of an opening set.
#[derive(Clone, Debug)]
pub struct OpeningSetConfig {
    /// Engine that evaluates the candidates, with one thread for reproducibility.
    pub engine: EngineConfig,
    /// EPD file to write, relative to the configuration.
    pub output: PathBuf,
    /// Number of openings to write. Range: from 1.
    pub count: usize,
    /// Nodes of the search that scores a position.
    pub nodes: NonZeroU64,
    /// Scores accepted, of every search of a position.
    pub window: ScoreWindow,
    /// Nodes of the second search of a position, if there is one.
    pub verify: Option<NonZeroU64>,
    /// Whether both sides must have the same material.
    pub equal_material: bool,
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
        source.parse::<RawOpeningSet>()?.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawOpeningSet {
    fn validate(self, source: &Source) -> Result<OpeningSetConfig, Problem> {
        let root = FieldPath::root();
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let engine = self.engine.validate(&root.key("engine"), source.names(), limits)?;
        root.key("engine").require(
            engine.limits == limits,
            "expected no limits here; set `nodes` of the opening set instead",
        )?;
        let threads = root.key("engine").key("options").key("Threads");
        threads
            .require(engine.threads() == 1, "expected 1: results with more threads are not reproducible")?;
        let (min_plies, max_plies) = (self.plies.min.get(), self.plies.max.get());
        let message = format!("{min_plies} to {max_plies}: expected min <= max <= 40");
        root.key("plies").require(min_plies <= max_plies && max_plies <= 40, message)?;
        root.key("watchdog")
            .require((0.001..=86_400.0).contains(&self.watchdog), "expected seconds, 0.001 to 86400")?;
        let window = window(self.limit, self.score)?;
        if let Some(verify) = self.verify.filter(|&verify| verify <= self.nodes) {
            let message = format!("{verify}: expected more than `nodes`, which is {}", self.nodes);
            return Err(Problem::new(root.key("verify"), message));
        }
        let cores = num_cpus::get;
        Ok(OpeningSetConfig {
            engine,
            output: source.dir().join(self.output),
            count: self.count.get(),
            nodes: self.nodes,
            window,
            verify: self.verify,
            equal_material: self.equal_material,
            min_plies,
            max_plies,
            seed: self.seed,
            concurrency: self.concurrency.map_or_else(cores, NonZeroUsize::get),
            watchdog: Duration::from_secs_f64(self.watchdog),
        })
    }
}

/// Returns the window that `limit` or `score` stands for.
fn window(limit: Option<u32>, score: Option<ScoreWindow>) -> Result<ScoreWindow, Problem> {
    let root = FieldPath::root();
    match (limit, score) {
        (Some(limit), None) => {
            let max = i32::try_from(limit).unwrap_or(i32::MAX);
            Ok(ScoreWindow { side: AdvantageSide::Either, min: 0, max })
        }
        (None, Some(window @ ScoreWindow { side, min, max })) => {
            root.key("score").require(min <= max, format!("{min} to {max}: expected min <= max"))?;
            let message = format!("{max}: an advantage of either side is never negative; set `side`");
            root.key("score").key("max").require(side != AdvantageSide::Either || max >= 0, message)?;
            Ok(window)
        }
        (Some(_), Some(_)) => {
            Err(Problem::new(root.key("score"), "expected either `limit` or `score`, found both"))
        }
        (None, None) => Err(Problem::new(
            root,
            "expected `limit: CENTIPAWNS` or `score: { side: white, min: 90, max: 130 }`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_measure_the_advantage_of_their_side() {
        let window = |side| ScoreWindow { side, min: 90, max: 130 };
        for (side, to_move, cp, expected) in [
            (AdvantageSide::White, Color::White, 90, true),
            (AdvantageSide::White, Color::White, 89, false),
            (AdvantageSide::White, Color::Black, -130, true),
            (AdvantageSide::White, Color::Black, 100, false),
            (AdvantageSide::Black, Color::Black, 131, false),
            (AdvantageSide::Black, Color::White, -91, true),
            (AdvantageSide::Either, Color::White, -100, true),
            (AdvantageSide::Either, Color::Black, 100, true),
            (AdvantageSide::Either, Color::Black, i32::MIN, false),
        ] {
            assert_eq!(window(side).contains(to_move, cp), expected, "{side:?} {to_move:?} {cp}");
        }
    }

    #[test]
    fn invalid_recipes_are_reported_with_their_field() {
        let load = |rest: &str| {
            let text = format!(
                "engine: {{ name: a, command: true }}\noutput: a.epd\ncount: 5\nnodes: 100\n{rest}\n\
                 plies: {{ min: 2, max: 4 }}\n"
            );
            OpeningSetConfig::load(&Source::new("a.yaml", text)).map(|config| config.window)
        };
        let error = |rest: &str| load(rest).unwrap_err().to_string();
        assert_eq!(load("limit: 60").unwrap(), ScoreWindow { side: AdvantageSide::Either, min: 0, max: 60 });
        assert_eq!(
            error(""),
            "a.yaml:1:1: expected `limit: CENTIPAWNS` or `score: { side: white, min: 90, max: 130 }`"
        );
        assert_eq!(
            error("limit: 60\nscore: { min: 1, max: 2 }"),
            "a.yaml:6:8: score: expected either `limit` or `score`, found both"
        );
        assert_eq!(
            error("score: { side: white, min: 3, max: 2 }"),
            "a.yaml:5:8: score: 3 to 2: expected min <= max"
        );
        assert_eq!(
            error("score: { min: -3, max: -2 }"),
            "a.yaml:5:24: score.max: -2: an advantage of either side is never negative; set `side`"
        );
        assert_eq!(
            error("limit: 60\nverify: 100"),
            "a.yaml:6:9: verify: 100: expected more than `nodes`, which is 100"
        );
    }
}
