//! The schema of `harness train`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};
use stretto::eval::network::{GRANULE, MAX_HIDDEN};

use super::command::resolve_file;
use super::locate::FieldPath;
use super::source::{ConfigError, Problem, Source};
use crate::training_data::Filter;

/// No more threads than this take part.
const MAX_THREADS: usize = 256;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTrain {
    data: Vec<PathBuf>,
    #[serde(default)]
    filter: Filter,
    hidden: NonZeroUsize,
    from: Option<PathBuf>,
    #[serde(default)]
    training: NetworkTraining,
    #[serde(default = "default_validation")]
    validation: f64,
    #[serde(default)]
    seed: u64,
    threads: Option<NonZeroUsize>,
}

fn default_validation() -> f64 {
    0.03
}

/// How a network is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTraining {
    /// Passes over the positions.
    pub epochs: NonZeroU32,
    /// Positions a step.
    pub batch: NonZeroUsize,
    /// Length of the steps, at its greatest.
    pub rate: f64,
    /// In the end.
    pub final_rate: f64,
    /// Steps over which it grows to its greatest.
    pub warm_up: u32,
    /// What the weights lose of themselves in a step, beside its length.
    pub decay: f64,
    /// The share of the target that the rest of the game says; the rest is the score. Range: 0 to 1.
    pub result_share: f64,
    /// What the rest of the game says: 1 is its result; less mixes in the scores of the following positions, the nearer the
    /// more (TD(λ)). Range: 0 to 1.
    pub lambda: f64,
    /// The score at which a side expects 73 % of the point; `harness data inspect` says what the games say. Scores and
    /// results pull apart where it is another. Units: centipawns.
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
            result_share: 0.8,
            lambda: 0.8,
            scale: 200.0,
        }
    }
}

/// A checked training job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// Files of games. Shape: at least one.
    pub data: Vec<PathBuf>,
    /// Which of their positions are learnt from.
    pub filter: Filter,
    /// Neurons of each side.
    pub hidden: usize,
    /// The network that the training goes on from; without one it begins at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<PathBuf>,
    /// How.
    pub training: NetworkTraining,
    /// The share of the games that only judges. Range: above 0, below 1.
    pub validation: f64,
    /// Of everything random.
    pub seed: u64,
    /// Threads. Another number adds up in another order, which gives a slightly different network.
    pub threads: usize,
}

impl TrainConfig {
    /// Reads and checks a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        let raw: RawTrain = source.parse()?;
        raw.validate(source).map_err(|problem| source.complain(problem))
    }
}

/// Refuses a number that is not between these; the greater may be reached.
fn check_range(path: FieldPath, value: f64, above: f64, most: f64) -> Result<(), Problem> {
    if value > above && value <= most {
        return Ok(());
    }
    Err(Problem::new(path, format!("{value}: expected more than {above} and at most {most}")))
}

impl RawTrain {
    fn validate(self, source: &Source) -> Result<TrainConfig, Problem> {
        let root = FieldPath::root();
        let list = root.key("data");
        if self.data.is_empty() {
            return Err(Problem::new(list, "expected at least one file of games"));
        }
        let data = self.data.iter().enumerate().map(|(index, file)| {
            resolve_file(file, source.dir()).map_err(|text| Problem::new(list.index(index), text))
        });
        let data = data.collect::<Result<Vec<_>, _>>()?;
        let hidden = self.hidden.get();
        if !hidden.is_multiple_of(GRANULE) || hidden > MAX_HIDDEN {
            let message = format!("{hidden}: expected a multiple of {GRANULE} up to {MAX_HIDDEN}");
            return Err(Problem::new(root.key("hidden"), message));
        }
        let from = self.from.map(|file| {
            resolve_file(&file, source.dir()).map_err(|text| Problem::new(root.key("from"), text))
        });
        let (path, training) = (root.key("training"), self.training);
        check_range(path.key("rate"), training.rate, 0.0, 1.0)?;
        check_range(path.key("final_rate"), training.final_rate, 0.0, training.rate)?;
        check_range(path.key("scale"), training.scale, 0.0, 10_000.0)?;
        let shares =
            [("decay", training.decay), ("result_share", training.result_share), ("lambda", training.lambda)];
        for (name, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(Problem::new(path.key(name), format!("{value}: expected 0 to 1")));
            }
        }
        if !(self.validation > 0.0 && self.validation < 1.0) {
            let message = format!("{}: expected more than 0 and less than 1", self.validation);
            return Err(Problem::new(root.key("validation"), message));
        }
        let cores = || available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = self.threads.map_or_else(cores, NonZeroUsize::get);
        if threads > MAX_THREADS {
            return Err(Problem::new(
                root.key("threads"),
                format!("{threads}: expected at most {MAX_THREADS}"),
            ));
        }
        Ok(TrainConfig {
            data,
            filter: self.filter,
            hidden,
            from: from.transpose()?,
            training,
            validation: self.validation,
            seed: self.seed,
            threads,
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
        let source = Source { file: dir.path().join("train.yaml"), text: text.to_owned() };
        TrainConfig::load(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn little_is_needed() {
        let config = load("data: [games.vf]\nhidden: 64\n").unwrap();
        assert_eq!((config.training, config.filter), (NetworkTraining::default(), Filter::default()));
        let config = load("data: [games.vf]\nhidden: 128\ntraining: { epochs: 2 }\nthreads: 3\n").unwrap();
        assert_eq!((config.training.epochs.get(), config.training.batch.get(), config.threads), (2, 4096, 3));
    }

    #[test]
    fn mistakes_are_named_with_their_field() {
        for (line, expected) in [
            ("hidden: 60", "2:9: hidden: 60: expected a multiple of 64"),
            ("hidden: 8192", "hidden: 8192: expected"),
            ("hidden: 64\ntraining: { rate: 0 }", "training.rate: 0: expected more than 0"),
            ("hidden: 64\ntraining: { final_rate: 0.1 }", "training.final_rate: 0.1: expected"),
            ("hidden: 64\ntraining: { result_share: 1.5 }", "training.result_share: 1.5: expected 0 to 1"),
            ("hidden: 64\ntraining: { lambda: -0.1 }", "training.lambda: -0.1: expected 0 to 1"),
            ("hidden: 64\nvalidation: 0", "validation: 0: expected more than 0"),
            ("hidden: 64\nthreads: 1000", "threads: 1000: expected at most"),
            ("hidden: 64\nfrom: no.network", "from: no such file"),
            ("hidden: 64\nmore: 1", "unknown field `more`"),
        ] {
            let error = load(&format!("data: [games.vf]\n{line}\n")).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
        assert!(load("data: []\nhidden: 64\n").unwrap_err().contains("data: expected at least one"));
        assert!(load("data: [no.vf]\nhidden: 64\n").unwrap_err().contains("data[0]: no such file"));
    }
}
