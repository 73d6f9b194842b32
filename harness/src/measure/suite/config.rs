//! The configuration of `harness suite`: files, engine and limit.
//!
//! It is given on the command line. The manifest stores it as YAML, from which the run is resumed.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::limits::Limits;
use crate::config::{ConfigError, EngineConfig, FieldPath, Problem, Source, Watchdog};

/// A suite run as given on the command line, before validation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteRequest {
    /// The EPD files, in the order in which they are solved.
    pub files: Vec<PathBuf>,
    /// The engine: a bare name or a path.
    pub engine: String,
    /// Name of the engine in reports; its file name if absent.
    pub name: Option<String>,
    /// Arguments of the engine.
    #[serde(default)]
    pub args: Vec<String>,
    /// UCI options; a null value presses a button.
    #[serde(default)]
    pub options: Vec<(String, Option<String>)>,
    /// Maximum nodes per position.
    pub nodes: Option<NonZeroU64>,
    /// Time per position. Units: milliseconds.
    pub movetime: Option<NonZeroU64>,
    /// Maximum depth per position. Units: plies.
    pub depth: Option<NonZeroU32>,
    /// Positions taken from the start of each file; all if absent.
    pub limit_positions: Option<NonZeroUsize>,
    /// Engines at once; as many as the cores allow if absent.
    pub concurrency: Option<NonZeroUsize>,
    /// Time without a best move that counts as a hang, on top of `movetime`. Units: seconds.
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
        let limits =
            Limits { time_control: None, nodes: self.nodes, depth: self.depth, movetime: self.movetime };
        if limits.is_empty() {
            return root.key("nodes").refuse("expected a limit: nodes, movetime or depth");
        }
        if !(0.001..=86_400.0).contains(&self.timeout) {
            return root.key("timeout").refuse("expected seconds, 0.001 to 86400");
        }
        let engine =
            EngineConfig::of_words(&self.engine, self.name.as_deref(), &self.args, &self.options, limits)?;
        let mut files = Vec::with_capacity(self.files.len());
        for (index, file) in self.files.iter().enumerate() {
            let path = std::path::absolute(file).map_err(|error| {
                Problem::new(root.key("files").index(index), format!("`{}`: {error}", file.display()))
            })?;
            files.push(path);
        }
        let cores = num_cpus::get();
        let carried = (cores / engine.running_threads()).max(1);
        Ok(SuiteConfig {
            files,
            engine,
            limit_positions: self.limit_positions,
            concurrency: self.concurrency.map_or(carried, NonZeroUsize::get),
            watchdog: Watchdog::for_searches(Duration::from_secs_f64(self.timeout)),
        })
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
