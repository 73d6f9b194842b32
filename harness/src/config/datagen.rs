//! The schema of `harness datagen`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};

use super::command::resolve_file;
use super::locate::FieldPath;
use super::source::{ConfigError, Problem, Source};

/// More random plies than this leave little of a game.
const MAX_RANDOM_PLIES: u32 = 64;
/// The largest table of a player. Units: MiB.
const MAX_HASH: u64 = 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDatagen {
    #[serde(default)]
    evaluation: DataEvaluation,
    network: Option<PathBuf>,
    soft_nodes: NonZeroU64,
    hard_nodes: Option<NonZeroU64>,
    #[serde(default)]
    openings: RandomOpenings,
    #[serde(default)]
    adjudication: DataAdjudication,
    games: NonZeroU64,
    #[serde(default)]
    seed: u64,
    hash: Option<NonZeroU64>,
    concurrency: Option<NonZeroUsize>,
}

/// What the players evaluate with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataEvaluation {
    /// The file in `network`.
    Network,
    /// The hand-written one.
    #[default]
    Classical,
    /// Piece values.
    Material,
}

/// How games begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RandomOpenings {
    /// The least number of random plies.
    pub min_plies: u32,
    /// The greatest; each number between is as likely.
    pub max_plies: u32,
    /// An opening whose first score is farther from 0 is replaced by another. Units: centipawns.
    pub max_score: u16,
}

impl Default for RandomOpenings {
    fn default() -> Self {
        Self { min_plies: 8, max_plies: 9, max_score: 600 }
    }
}

/// When a game is over before the rules say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataAdjudication {
    /// Won, once scores were at least this good for the same side. Units: centipawns.
    pub win_score: u16,
    /// For so many plies in a row.
    pub win_plies: u32,
    /// Drawn, once scores were at most so far from 0. Units: centipawns.
    pub draw_score: u16,
    /// For so many plies in a row; 0 never.
    pub draw_plies: u32,
    /// But not before this ply from the beginning of chess.
    pub draw_from_ply: u32,
    /// Drawn, once so many plies have been played since the opening.
    pub max_plies: NonZeroU32,
}

impl Default for DataAdjudication {
    fn default() -> Self {
        Self {
            win_score: 1500,
            win_plies: 4,
            draw_score: 10,
            draw_plies: 12,
            draw_from_ply: 80,
            max_plies: NonZeroU32::new(400).unwrap_or(NonZeroU32::MIN),
        }
    }
}

/// A checked job of playing games to learn from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatagenConfig {
    /// What the players evaluate with.
    pub evaluation: DataEvaluation,
    /// The network they do it with, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<PathBuf>,
    /// No iteration is started after so many nodes.
    pub soft_nodes: NonZeroU64,
    /// The search of a move is broken off after so many nodes.
    pub hard_nodes: NonZeroU64,
    /// How games begin.
    pub openings: RandomOpenings,
    /// How they end.
    pub adjudication: DataAdjudication,
    /// How many are played.
    pub games: NonZeroU64,
    /// Of everything random.
    pub seed: u64,
    /// The hash table of a player. Units: MiB.
    pub hash: u64,
    /// Games at once; the result does not depend on it.
    #[serde(skip)]
    pub concurrency: usize,
}

impl DatagenConfig {
    /// Reads and checks a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawDatagen = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawDatagen {
    fn validate(self, source: &Source) -> Result<DatagenConfig, Problem> {
        let root = FieldPath::root();
        let network = match (self.evaluation, &self.network) {
            (DataEvaluation::Network, Some(file)) => {
                let file = resolve_file(file, source.dir());
                Some(file.map_err(|text| Problem::new(root.key("network"), text))?)
            }
            (DataEvaluation::Network, None) => {
                return Err(Problem::new(root.key("network"), "expected the file of the network"));
            }
            (_, Some(_)) => {
                let message = "only of use with `evaluation: network`";
                return Err(Problem::new(root.key("network"), message));
            }
            (_, None) => None,
        };
        let openings = self.openings;
        let path = root.key("openings");
        if openings.max_plies > MAX_RANDOM_PLIES {
            let message = format!("{}: expected at most {MAX_RANDOM_PLIES}", openings.max_plies);
            return Err(Problem::new(path.key("max_plies"), message));
        }
        if openings.min_plies > openings.max_plies {
            let message =
                format!("{}: expected at most max_plies, {}", openings.min_plies, openings.max_plies);
            return Err(Problem::new(path.key("min_plies"), message));
        }
        if self.adjudication.win_plies == 0 {
            let message = "expected at least 1; a large win_score turns the rule off";
            return Err(Problem::new(root.key("adjudication").key("win_plies"), message));
        }
        let hard_nodes = self.hard_nodes.unwrap_or(self.soft_nodes.saturating_mul(HARD_FACTOR));
        if hard_nodes < self.soft_nodes {
            let message = format!("{hard_nodes}: expected at least soft_nodes, {}", self.soft_nodes);
            return Err(Problem::new(root.key("hard_nodes"), message));
        }
        let hash = self.hash.map_or(2, NonZeroU64::get);
        if hash > MAX_HASH {
            return Err(Problem::new(root.key("hash"), format!("{hash}: expected at most {MAX_HASH} MiB")));
        }
        let cores = || available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(DatagenConfig {
            evaluation: self.evaluation,
            network,
            soft_nodes: self.soft_nodes,
            hard_nodes,
            openings,
            adjudication: self.adjudication,
            games: self.games,
            seed: self.seed,
            hash,
            concurrency: self.concurrency.map_or_else(cores, NonZeroUsize::get),
        })
    }
}

/// The hard limit where none is given, beside the soft one.
const HARD_FACTOR: NonZeroU64 = NonZeroU64::new(20).unwrap();

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<DatagenConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.network"), "").unwrap();
        let source = Source { file: dir.path().join("datagen.yaml"), text: text.to_owned() };
        DatagenConfig::load(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn little_is_needed() {
        let config = load("soft_nodes: 60\ngames: 10\n").unwrap();
        assert_eq!((config.hard_nodes.get(), config.hash, config.seed), (1200, 2, 0));
        assert_eq!((config.evaluation, config.network), (DataEvaluation::Classical, None));
        let config = load("soft_nodes: 60\ngames: 10\nevaluation: network\nnetwork: a.network\n").unwrap();
        assert!(config.network.is_some_and(|file| file.ends_with("a.network")));
    }

    #[test]
    fn mistakes_are_named_with_their_field() {
        for (line, expected) in [
            ("", "missing field `games`"),
            ("games: 0", "games"),
            ("games: 1\nevaluation: network", "network: expected the file"),
            ("games: 1\nnetwork: a.network", "4:10: network: only of use with"),
            ("games: 1\nevaluation: network\nnetwork: b.network", "network: no such file"),
            ("games: 1\nevaluation: tea", "evaluation"),
            ("games: 1\nopenings: { min_plies: 9, max_plies: 8 }", "openings.min_plies: 9: expected at most"),
            ("games: 1\nopenings: { max_plies: 100 }", "openings.max_plies: 100: expected at most 64"),
            ("games: 1\nadjudication: { win_plies: 0 }", "adjudication.win_plies: expected at least 1"),
            ("games: 1\nhard_nodes: 5", "hard_nodes: 5: expected at least soft_nodes, 60"),
            ("games: 1\nhash: 5000", "hash: 5000: expected at most"),
            ("games: 1\nmore: 1", "unknown field `more`"),
        ] {
            let error = load(&format!("# a job\nsoft_nodes: 60\n{line}\n")).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
