//! Configuration of `workshop tune-eval`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use stretto_harness::config::schema::FileKind;
use stretto_harness::config::{ConfigError, FieldPath, Problem, Source};

/// The configuration files of `workshop tune-eval`.
pub(crate) const FILE: FileKind =
    FileKind::new::<TuneEvalConfig>("tune-eval", |source| TuneEvalConfig::load(source).map(drop));

/// A fit of the weights of the classical evaluation to games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TuneEval")]
pub struct TuneEvalConfig {
    /// PGN files. Scores are read from comments such as {+0.22/4 0.001s}, also with `pgn: [tags]`.
    pub games: Vec<PathBuf>,
    /// Positions to train on.
    #[serde(default)]
    pub positions: Selection,
    /// Share of the recorded score in the target; the remainder is the result. From 0 to 1. No effect below
    /// 1,000 recorded scores.
    #[serde(default = "default_blend")]
    pub blend: f64,
    /// Score in centipawns at which a side expects 73 % of the points. Without it, it is fitted.
    pub scale: Option<f64>,
    /// Share of the games held out for validation. Above 0, below 1.
    #[serde(default = "default_validation")]
    pub validation: f64,
    /// Settings of the optimizer.
    #[serde(default)]
    pub training: Training,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// Number of threads. Without it, one per logical CPU. The result does not depend on it.
    #[serde(skip_serializing_if = "is_anything")]
    pub concurrency: Option<NonZeroUsize>,
}

/// Returns true: manifests leave the number of threads out, because a resumed run may have another one.
fn is_anything<T>(_: &T) -> bool {
    true
}

fn default_blend() -> f64 {
    0.6
}

fn default_validation() -> f64 {
    0.1
}

/// Positions of a game to train on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    /// Plies skipped at the start of each game.
    pub skip_plies: u32,
    /// Most positions of each game.
    pub per_game: NonZeroU32,
    /// Largest recorded score of the mover, either way, in centipawns. Positions with a mate score are
    /// skipped.
    pub max_score: NonZeroU32,
}

impl Default for Selection {
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self { skip_plies: 6, per_game: number(80), max_score: number(1500) }
    }
}

/// Settings of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// Maximum number of epochs.
    pub epochs: NonZeroU32,
    /// Positions per gradient step.
    pub batch: NonZeroUsize,
    /// Initial learning rate, in centipawns.
    pub rate: f64,
    /// Factor of the learning rate after each epoch.
    pub decay: f64,
    /// Epochs without a better validation loss after which the fit ends.
    pub patience: NonZeroU32,
    /// Standard deviation of the prior around the present weights, in centipawns.
    pub prior_spread: f64,
}

impl Default for Training {
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            epochs: number(100),
            batch: NonZeroUsize::new(8192).unwrap_or(NonZeroUsize::MIN),
            rate: 0.5,
            decay: 0.9,
            patience: number(10),
            prior_spread: 40.0,
        }
    }
}

impl TuneEvalConfig {
    /// Reads and validates a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse::<Self>()?.validate(source).map_err(|problem| source.complain(problem))
    }

    /// Returns the number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.concurrency.map_or_else(num_cpus::get, NonZeroUsize::get)
    }
}

/// Rejects a number outside the open interval.
fn check_between(path: &FieldPath, value: f64, low: f64, high: f64) -> Result<(), Problem> {
    let message = format!("{value}: expected more than {low} and less than {high}");
    path.require(low < value && value < high, message)
}

impl TuneEvalConfig {
    /// Returns it with the paths of its games.
    fn validate(self, source: &Source) -> Result<Self, Problem> {
        let root = FieldPath::root();
        let games = source.files(&root.key("games"), &self.games)?;
        root.key("blend")
            .require((0.0..=1.0).contains(&self.blend), format!("{}: expected 0 to 1", self.blend))?;
        if let Some(scale) = self.scale {
            check_between(&root.key("scale"), scale, 0.0, 10_000.0)?;
        }
        check_between(&root.key("validation"), self.validation, 0.0, 1.0)?;
        let (path, training) = (root.key("training"), self.training);
        check_between(&path.key("rate"), training.rate, 0.0, 1000.0)?;
        path.key("decay").require(
            training.decay > 0.0 && training.decay <= 1.0,
            format!("{}: expected more than 0 and at most 1", training.decay),
        )?;
        check_between(&path.key("prior_spread"), training.prior_spread, 0.0, 1e6)?;
        Ok(Self { games, ..self })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<TuneEvalConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("games.pgn"), "").unwrap();
        let source = Source::new(dir.path().join("tune.yaml"), text.to_owned());
        TuneEvalConfig::load(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_games_are_required() {
        let config = load("games: [games.pgn]\n").unwrap();
        assert_eq!(config.positions, Selection::default());
        assert!(config.scale.is_none() && config.threads() > 0);
        let config =
            load("games: [games.pgn]\ntraining: { epochs: 3 }\npositions: { per_game: 2 }\n").unwrap();
        assert_eq!((config.training.epochs.get(), config.positions.per_game.get()), (3, 2));
        assert_eq!(config.training.batch, Training::default().batch);
    }

    #[test]
    fn errors_name_the_field() {
        for (line, expected) in [
            ("games: []", "games: expected at least one"),
            ("games: [nowhere.pgn]", "games[0]: "),
            ("games: [games.pgn, games.pgn]", "games[1]: this file is given twice"),
            ("games: [games.pgn]\nblend: 1.5", "2:8: blend: 1.5: expected 0 to 1"),
            ("games: [games.pgn]\nvalidation: 0", "validation: 0: expected more than 0 and less than 1"),
            ("games: [games.pgn]\nscale: -3", "scale: -3: expected more than 0"),
            ("games: [games.pgn]\ntraining: { rate: 0 }", "training.rate: 0: expected"),
            ("games: [games.pgn]\ntraining: { decay: 1.1 }", "training.decay: 1.1: expected"),
            ("games: [games.pgn]\ntraining: { epochs: 0 }", "epochs"),
            ("games: [games.pgn]\ntraining: { speed: 1 }", "unknown field `speed`"),
            ("games: [games.pgn]\nmore: 1", "unknown field `more`"),
            ("seed: 1", "missing field `games`"),
        ] {
            let error = load(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
