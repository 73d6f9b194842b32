//! Arguments of the commands that keep a run.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::command::Failure;
use super::{Manifest, RunFolder};
use crate::base::wording::counted;
use crate::config::Source;

/// The default folder of runs.
pub const RUNS: &str = "results/runs";

/// A run to resume.
pub type Resumed = (RunFolder, Manifest);

/// The arguments that choose the folder of a run.
#[derive(Clone, Debug, Args)]
pub struct FolderArgs {
    /// The run folder, instead of results/runs/<kind>-<id>.
    #[arg(short, long, value_name = "DIR", conflicts_with = "resume")]
    pub out: Option<PathBuf>,
    /// The <id> of the run folder, instead of date, time and configuration hash.
    #[arg(long, value_name = "NAME", value_parser = run_id, conflicts_with_all = ["resume", "out"])]
    pub run_id: Option<String>,
    /// Continue this run: a path, a name below results/runs, or the NAME of --run-id.
    #[arg(long, value_name = "RUN")]
    pub resume: Option<PathBuf>,
    /// Whether the configuration was made from arguments; the folder then keeps it as `config.yaml`.
    #[arg(skip)]
    pub keeps_config: bool,
}

/// Parses the name of a folder below [`RUNS`].
fn run_id(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains("..") || text.contains(std::path::is_separator) {
        return Err("expected a name without `/` and `..`; --out takes a path".to_owned());
    }
    Ok(text.to_owned())
}

/// The most games or searches at once. Each starts processes of its own.
pub const MAX_CONCURRENCY: usize = 1024;

/// Parses a number of games or searches at once.
pub fn concurrency(text: &str) -> Result<NonZeroUsize, String> {
    let count: NonZeroUsize = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
    if count.get() > MAX_CONCURRENCY {
        return Err(format!(
            "expected at most {MAX_CONCURRENCY}; this process may use {}",
            counted(num_cpus::get(), "processor")
        ));
    }
    Ok(count)
}

/// The arguments of every command that keeps a run.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The configuration file. With --resume the run's own copy is used unless one is given.
    #[arg(value_name = "CONFIG", num_args = 0..=1, action = ArgAction::Set)]
    pub config: Vec<PathBuf>,
    /// Override a field of the configuration, for example `--set sprt.elo1=5`. The value is YAML. Repeat for more.
    ///
    /// Lists are indexed from 0: `--set 'engines[0].options.Hash=64'`. The run keeps the changed text.
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
    /// The configuration made from the other arguments, where no file is given.
    #[arg(skip)]
    pub made: Option<Source>,
    /// Whether the command takes engines in place of a file.
    #[arg(skip)]
    pub takes_engines: bool,
    /// The arguments on the folder of the run.
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Games or searches (or threads, where there are neither) at once, instead of the configured number.
    #[arg(short = 'j', long, value_name = "N", value_parser = concurrency)]
    pub concurrency: Option<NonZeroUsize>,
    /// Stream events as JSON lines on stdout.
    ///
    /// Each line has `v` (the format version, 2) and `event`: `run_started`, `notice`, `run_ended` (with the content of
    /// summary.json), and in matches `game_finished` and `pair_finished` (with all statistics). harness/EVENTS.md
    /// documents all fields.
    #[arg(long)]
    pub json: bool,
    /// Print the configuration that the arguments stand for, with --set applied, and run nothing.
    #[arg(long, conflicts_with = "resume")]
    pub print_config: bool,
}

impl RunArgs {
    /// Returns these arguments with a configuration made from engines and others, if there is one. The
    /// run folder keeps it.
    pub(crate) fn with_made(&self, made: Option<Source>) -> Self {
        let mut args = self.clone();
        args.folder.keeps_config = made.is_some();
        args.made = made;
        args.takes_engines = true;
        args
    }

    /// Returns the configuration with overrides applied: the file given, the one made from other
    /// arguments, or else the copy in the resumed run.
    pub(crate) fn source(&self, resumed: Option<&Resumed>) -> Result<Source, Failure> {
        let source = match (&self.made, &self.config[..], resumed) {
            (Some(made), ..) => made.clone(),
            (None, [file, ..], _) => Source::read(file)?,
            (None, [], Some((_, manifest))) => {
                Source::new(manifest.config_file.clone(), manifest.config_text.clone())
            }
            (None, [], None) => {
                let engines = if self.takes_engines {
                    "engines (programs, or --dev REVISION and --base REVISION), "
                } else {
                    ""
                };
                let message = format!("expected {engines}a configuration, or --resume RUN to continue a run");
                return Err(Failure::Usage(message));
            }
        };
        Ok(source.with_overrides(&self.set)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrency_is_bounded() {
        assert_eq!(concurrency("1024").map(NonZeroUsize::get), Ok(1024));
        for (text, expected) in
            [("1025", "at most 1024"), ("100000", "at most 1024"), ("0", "zero"), ("x", "digit")]
        {
            let error = concurrency(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
