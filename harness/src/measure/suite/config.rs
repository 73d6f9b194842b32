//! The configuration of `harness suite`: files, engine and limit.
//!
//! It is given on the command line. The manifest stores it as YAML, from which the run is resumed.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::config::limits::Limits;
use crate::config::{ConfigError, EngineConfig, FieldPath, Problem, Source, Watchdog};
use crate::run::quick::name_and_value;

/// A suite run as given on the command line, before validation.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteRequest {
    /// Test suites: EPD files, or FEN with operations.
    #[arg(value_name = "EPD", required_unless_present = "resume", conflicts_with = "resume")]
    pub files: Vec<PathBuf>,
    /// The engine: a path, or a name beside the harness or on PATH.
    #[arg(long, value_name = "CMD", default_value = "stretto", conflicts_with = "resume")]
    pub engine: String,
    /// Name of the engine in reports.
    #[arg(long, conflicts_with = "resume")]
    pub name: Option<String>,
    /// An argument for the engine. Repeat for more.
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true, conflicts_with = "resume")]
    #[serde(default)]
    pub args: Vec<String>,
    /// Start stretto with --lab, which makes every switch and tunable a UCI option.
    #[arg(long, conflicts_with = "resume")]
    #[serde(skip)]
    pub lab: bool,
    /// A UCI option for the engine. Repeat for more. Without a value it presses a button.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value, conflicts_with = "resume")]
    #[serde(default)]
    pub options: Vec<(String, Option<String>)>,
    /// Threads of the engine (its option Threads).
    #[arg(short, long, value_name = "N", conflicts_with = "resume")]
    #[serde(skip)]
    pub threads: Option<NonZeroU32>,
    /// Hash size of the engine, in MiB (its option Hash).
    #[arg(long, value_name = "MB", conflicts_with = "resume")]
    #[serde(skip)]
    pub hash: Option<NonZeroU32>,
    /// Maximum nodes per position.
    #[arg(long, value_name = "N", conflicts_with = "resume", required_unless_present_any = ["movetime", "depth", "resume"])]
    pub nodes: Option<NonZeroU64>,
    /// Time per position, in milliseconds.
    #[arg(long, value_name = "MS", conflicts_with = "resume")]
    pub movetime: Option<NonZeroU64>,
    /// Maximum depth per position, in plies.
    #[arg(long, value_name = "D", conflicts_with = "resume")]
    pub depth: Option<NonZeroU32>,
    /// Use only the first N positions of each file.
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub limit_positions: Option<NonZeroUsize>,
    /// Engines at once; if absent, the logical CPUs divided by the engine's threads. The command has the argument, which a resumed run takes too.
    #[arg(skip)]
    pub concurrency: Option<NonZeroUsize>,
    /// Seconds without a move, beyond --movetime, after which the engine counts as hung.
    #[arg(long, value_name = "S", default_value_t = 300.0, conflicts_with = "resume")]
    pub timeout: f64,
}

/// A validated suite run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SuiteConfig {
    /// EPD files to solve.
    pub files: Vec<PathBuf>,
    /// The engine with its limit.
    pub engine: EngineConfig,
    /// Positions taken from the start of each file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_positions: Option<NonZeroUsize>,
    /// Engines at once; does not affect the results.
    #[serde(skip)]
    pub concurrency: usize,
    /// Timeouts for an unresponsive engine.
    #[serde(skip)]
    pub watchdog: Watchdog,
}

impl SuiteRequest {
    /// Validates the request. Relative paths start at the working directory.
    ///
    /// Errors: the first invalid field, by its name in the manifest, and the expected value.
    pub fn validate(&self) -> Result<SuiteConfig, Problem> {
        let root = FieldPath::root();
        let &Self { nodes, depth, movetime, timeout, .. } = self;
        let limits = Limits { time_control: None, nodes, depth, movetime };
        root.key("nodes").require(!limits.is_empty(), "expected a limit: nodes, movetime or depth")?;
        let is_possible = (0.001..=86_400.0).contains(&timeout);
        root.key("timeout").require(is_possible, "expected seconds, 0.001 to 86400")?;
        let engine =
            EngineConfig::of_words(&self.engine, self.name.as_deref(), &self.args, &self.options, limits)?;
        let absolute = |(index, file): (usize, &PathBuf)| {
            let wrong = |what: String| Problem::new(root.key("files").index(index), what);
            // A resumed run reads it again.
            if file.exists() && !file.is_file() {
                return Err(wrong(format!("`{}` is not a regular file", file.display())));
            }
            std::path::absolute(file).map_err(|error| wrong(format!("`{}`: {error}", file.display())))
        };
        let files = self.files.iter().enumerate().map(absolute).collect::<Result<_, _>>()?;
        let carried = (num_cpus::get() / engine.running_threads()).max(1);
        Ok(SuiteConfig {
            files,
            engine,
            limit_positions: self.limit_positions,
            concurrency: self.concurrency.map_or(carried, NonZeroUsize::get),
            watchdog: Watchdog::for_searches(Duration::from_secs_f64(self.timeout)),
        })
    }

    /// Returns the same request with the arguments and options that flags stand for.
    pub(super) fn with_flags(&self) -> Self {
        let mut request = self.clone();
        if self.lab {
            request.args.insert(0, "--lab".to_owned());
        }
        for (name, value) in [("Threads", self.threads), ("Hash", self.hash)] {
            request.options.extend(value.map(|value| (name.to_owned(), Some(value.to_string()))));
        }
        request
    }

    /// Returns the same request with absolute paths.
    pub fn pinned(&self, config: &SuiteConfig) -> Self {
        Self {
            files: config.files.clone(),
            engine: config.engine.program.display().to_string(),
            name: Some(config.engine.name.clone()),
            ..self.clone()
        }
    }

    /// Reads the request of a stored run.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> SuiteRequest {
        SuiteRequest {
            files: vec!["a.epd".into()],
            engine: "sh".to_owned(),
            name: None,
            args: vec!["-c".to_owned()],
            lab: false,
            threads: None,
            hash: None,
            options: vec![("Hash".to_owned(), Some("16".to_owned())), ("Clear Hash".to_owned(), None)],
            nodes: NonZeroU64::new(500),
            movetime: None,
            depth: None,
            limit_positions: None,
            concurrency: None,
            timeout: 60.0,
        }
    }

    #[test]
    fn a_pinned_request_round_trips() {
        let config = request().validate().unwrap();
        assert_eq!(config.engine.name, "sh");
        let text = serde_yaml::to_string(&request().pinned(&config)).unwrap();
        let source = Source::new("manifest.yaml", text);
        let again = SuiteRequest::load(&source).unwrap().validate().unwrap();
        assert_eq!(serde_yaml::to_string(&again).unwrap(), serde_yaml::to_string(&config).unwrap());
        assert_eq!(again.engine, config.engine);
    }

    #[test]
    fn mistakes_name_the_field() {
        let fail = |change: fn(&mut SuiteRequest)| {
            let mut request = request();
            change(&mut request);
            let problem = request.validate().unwrap_err();
            format!("{}: {}", problem.path, problem.message)
        };
        assert!(fail(|request| request.nodes = None).starts_with("nodes: expected a limit"));
        assert!(fail(|request| request.engine = "no-such-engine".into()).starts_with("engine: no engine"));
        assert!(fail(|request| request.timeout = f64::NAN).starts_with("timeout: expected seconds"));
        let twice = |request: &mut SuiteRequest| request.options.push(("hash".into(), Some("1".into())));
        assert!(fail(twice).starts_with("options.hash: set twice"));
        let same = |request: &mut SuiteRequest| request.options.push(("Hash".into(), Some("1".into())));
        assert!(fail(same).starts_with("options.Hash: set twice"));
    }
}
