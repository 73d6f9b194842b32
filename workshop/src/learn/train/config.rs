//! The schema of `workshop train`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stretto::eval::network::{HIDDEN_MULTIPLE, MAX_HIDDEN};

use crate::learn::data::Filter;
use stretto_harness::config::schema::FileKind;
use stretto_harness::config::{ConfigError, FieldPath, Problem, Source};

/// Maximum number of threads.
const MAX_THREADS: usize = 256;

/// The configuration files of `workshop train`.
pub(crate) const FILE: FileKind =
    FileKind::new::<TrainConfig>("train", |source| TrainConfig::load(source).map(drop));

/// A training of an evaluation network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Train")]
pub struct TrainConfig {
    /// Files of games, written by `workshop datagen` or `workshop data`.
    pub data: Vec<PathBuf>,
    /// Positions to train on.
    #[serde(default)]
    pub filter: Filter,
    /// Number of hidden neurons of each side.
    pub hidden: NonZeroUsize,
    /// Network to continue from. Without it, the weights start at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<PathBuf>,
    /// Folder of endgame tables by distance to mate, from `workshop tb generate`. A position in them has its
    /// exact result as target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<PathBuf>,
    /// Settings of the optimizer.
    #[serde(default)]
    pub training: NetworkTraining,
    /// Share of the games held out for validation. Above 0, below 1.
    #[serde(default = "default_validation")]
    pub validation: f64,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// Number of threads, at most 256. Without it, one per logical CPU; a resumed run keeps its number.
    /// Another number gives a slightly different network.
    pub threads: Option<NonZeroUsize>,
    /// Whether that number is the default on this machine.
    #[serde(skip)]
    pub has_default_threads: bool,
}

fn default_validation() -> f64 {
    0.03
}

/// Settings of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTraining {
    /// Number of training epochs.
    pub epochs: NonZeroU32,
    /// Positions per gradient step.
    pub batch: NonZeroUsize,
    /// Largest learning rate, after warm-up.
    pub rate: f64,
    /// Learning rate at the end.
    pub final_rate: f64,
    /// Number of steps over which the learning rate rises to its largest value.
    pub warm_up: u32,
    /// Weight decay per step, as a share of the learning rate.
    pub decay: f64,
    /// Whether each feature weight is the sum of one of its king bucket and one that all buckets share, so that
    /// rare places of the king learn from the others.
    pub factoriser: bool,
    /// Share of the target that comes from the rest of the game; the remainder is the score. From 0
    /// to 1.
    pub result_share: f64,
    /// Weight of the game result against the scores of the following positions, TD(λ). 1 is the
    /// result alone.
    pub lambda: f64,
    /// Share of the classical evaluation, which errs where the network does not, in the rest-of-game part of
    /// the target. Its share of the whole target is `result_share` times this. From 0 to 1.
    pub classical_share: f64,
    /// Score in centipawns at which a side expects 73 % of the points, a whole number from 1 to 10000.
    /// `workshop data inspect` prints it. The network has twice this scale, or more, if its weights are too
    /// large otherwise.
    pub scale: f64,
}

impl Default for NetworkTraining {
    fn default() -> Self {
        Self {
            epochs: NonZeroU32::new(8).unwrap_or(NonZeroU32::MIN),
            batch: NonZeroUsize::new(4096).unwrap_or(NonZeroUsize::MIN),
            rate: 1e-3,
            final_rate: 1e-5,
            warm_up: 100,
            decay: 0.01,
            factoriser: true,
            result_share: 0.8,
            lambda: 0.8,
            classical_share: 0.0,
            scale: 200.0,
        }
    }
}

impl TrainConfig {
    /// Reads and validates a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse::<Self>()?.validate(source).map_err(|problem| source.complain(problem))
    }

    /// Returns the number of hidden neurons of each side.
    pub(crate) fn hidden(&self) -> usize {
        self.hidden.get()
    }

    /// Returns the number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads.map_or_else(|| default_threads(num_cpus::get()).get(), NonZeroUsize::get)
    }

    /// Sets the number of threads.
    ///
    /// Errors: the sentence to show the user, where there are too many.
    pub(crate) fn set_threads(&mut self, threads: NonZeroUsize) -> Result<(), String> {
        check_threads(threads.get())?;
        self.threads = Some(threads);
        Ok(())
    }
}

/// Returns the number of threads on a machine with this number of cores.
fn default_threads(cores: usize) -> NonZeroUsize {
    NonZeroUsize::new(cores.min(MAX_THREADS)).unwrap_or(NonZeroUsize::MIN)
}

/// Refuses more than [`MAX_THREADS`].
fn check_threads(threads: usize) -> Result<(), String> {
    if threads <= MAX_THREADS { Ok(()) } else { Err(format!("{threads}: expected at most {MAX_THREADS}")) }
}

/// Rejects a number outside the range from `above`, exclusive, to `most`, inclusive.
fn check_range(path: &FieldPath, value: f64, above: f64, most: f64) -> Result<(), Problem> {
    let message = format!("{value}: expected more than {above} and at most {most}");
    path.require(value > above && value <= most, message)
}

impl TrainConfig {
    /// Returns it with the paths of its files and with a number of threads.
    fn validate(self, source: &Source) -> Result<Self, Problem> {
        let root = FieldPath::root();
        let data = source.files(&root.key("data"), &self.data)?;
        let hidden = self.hidden();
        root.key("hidden").require(
            hidden.is_multiple_of(HIDDEN_MULTIPLE) && hidden <= MAX_HIDDEN,
            format!("{hidden}: expected a multiple of {HIDDEN_MULTIPLE} up to {MAX_HIDDEN}"),
        )?;
        let from = self
            .from
            .as_ref()
            .map(|file| source.names().file(file).map_err(|text| Problem::new(root.key("from"), text)));
        let tables = self.tables.as_ref().map(|folder| {
            source.names().folder(folder).map_err(|text| Problem::new(root.key("tables"), text))
        });
        let (path, training) = (root.key("training"), self.training);
        check_range(&path.key("rate"), training.rate, 0.0, 1.0)?;
        check_range(&path.key("final_rate"), training.final_rate, 0.0, training.rate)?;
        path.key("scale").require(
            training.scale.fract() == 0.0 && (1.0..=10_000.0).contains(&training.scale),
            format!("{}: expected a whole number from 1 to 10000", training.scale),
        )?;
        let shares = [
            (path.key("decay"), training.decay),
            (path.key("result_share"), training.result_share),
            (path.key("lambda"), training.lambda),
            (path.key("classical_share"), training.classical_share),
        ];
        for (name, value) in shares {
            name.require((0.0..=1.0).contains(&value), format!("{value}: expected 0 to 1"))?;
        }
        root.key("validation").require(
            self.validation > 0.0 && self.validation < 1.0,
            format!("{}: expected more than 0 and less than 1", self.validation),
        )?;
        check_threads(self.threads()).map_err(|message| Problem::new(root.key("threads"), message))?;
        Ok(Self {
            data,
            from: from.transpose()?,
            tables: tables.transpose()?,
            // A manifest records the number, because another one would give another network.
            threads: NonZeroUsize::new(self.threads()),
            has_default_threads: self.threads.is_none(),
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<TrainConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("games.vf"), "").unwrap();
        let source = Source::new(dir.path().join("train.yaml"), text.to_owned());
        TrainConfig::load(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn optional_fields_have_defaults() {
        let config = load("data: [games.vf]\nhidden: 64\n").unwrap();
        assert_eq!((config.training, config.filter), (NetworkTraining::default(), Filter::default()));
        let config = load("data: [games.vf]\nhidden: 128\ntraining: { epochs: 2 }\nthreads: 3\n").unwrap();
        assert_eq!(
            (config.training.epochs.get(), config.training.batch.get(), config.threads()),
            (2, 4096, 3)
        );
    }

    #[test]
    fn default_number_of_threads_is_at_most_the_largest_allowed() {
        assert_eq!([1, 256, 257, 1000].map(|cores| default_threads(cores).get()), [1, 256, 256, 256]);
        for (line, is_default) in [("", true), ("threads: 3\n", false)] {
            let config = load(&format!("data: [games.vf]\nhidden: 64\n{line}")).unwrap();
            assert_eq!(config.has_default_threads, is_default, "{line}");
            assert!(check_threads(config.threads()).is_ok());
        }
    }

    #[test]
    fn errors_name_the_field() {
        for (line, expected) in [
            ("hidden: 60", "2:9: hidden: 60: expected a multiple of 64"),
            ("hidden: 8192", "hidden: 8192: expected"),
            ("hidden: 64\ntraining: { rate: 0 }", "training.rate: 0: expected more than 0"),
            ("hidden: 64\ntraining: { final_rate: 0.1 }", "training.final_rate: 0.1: expected"),
            ("hidden: 64\ntraining: { result_share: 1.5 }", "training.result_share: 1.5: expected 0 to 1"),
            ("hidden: 64\ntraining: { lambda: -0.1 }", "training.lambda: -0.1: expected 0 to 1"),
            ("hidden: 64\ntraining: { classical_share: 2 }", "training.classical_share: 2: expected 0 to 1"),
            ("hidden: 64\ntraining: { scale: 0.4 }", "training.scale: 0.4: expected a whole number from 1"),
            ("hidden: 64\ntraining: { scale: 75.5 }", "training.scale: 75.5: expected a whole number"),
            ("hidden: 64\nvalidation: 0", "validation: 0: expected more than 0"),
            ("hidden: 64\nthreads: 1000", "threads: 1000: expected at most"),
            ("hidden: 64\nfrom: no.network", "from: no such file"),
            ("hidden: 64\ntables: no", "tables: no such folder"),
            ("hidden: 64\nmore: 1", "unknown field `more`"),
        ] {
            let error = load(&format!("data: [games.vf]\n{line}\n")).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
        assert!(load("data: []\nhidden: 64\n").unwrap_err().contains("data: expected at least one"));
        let twice = load("data: [games.vf, ./games.vf]\nhidden: 64\n").unwrap_err();
        assert!(twice.contains("data[1]: this file is given twice"), "{twice}");
        assert!(load("data: [no.vf]\nhidden: 64\n").unwrap_err().contains("data[0]: no such file"));
    }
}
