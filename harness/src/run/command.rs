//! The parts common to all commands: arguments of a kept run, failures, signals, output.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{ArgAction, Args};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

pub(crate) use super::console::say;
use super::session::{FolderArgs, Resumed};
use super::shipped;
use crate::base::cancel::Cancel;
use crate::config::{ConfigError, Source};

/// Signals this close together count as one request: `timeout` sends two, and so does a closing
/// terminal.
pub(crate) const ONE_REQUEST: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, Args)]
pub(crate) struct RunArgs {
    /// The configuration file. With --resume the run's own copy is used unless one is given.
    #[arg(value_name = "CONFIG", num_args = 0..=1, action = ArgAction::Set)]
    pub(crate) config: Vec<PathBuf>,
    /// Override a field of the configuration, for example `--set sprt.elo1=5`. The value is YAML. Repeat for more.
    ///
    /// Lists are indexed from 0: `--set engines[0].options.Hash=64`. The run keeps the changed text.
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) set: Vec<String>,
    /// The configuration made from the other arguments, where no file is given.
    #[arg(skip)]
    pub(crate) made: Option<Source>,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    /// Games or searches (or threads, where there are neither) at once, instead of the configured number.
    #[arg(short = 'j', long, value_name = "N")]
    pub(crate) concurrency: Option<std::num::NonZeroUsize>,
    /// Stream events as JSON lines on stdout.
    ///
    /// Each line has `v` (the format version, 2) and `event`: `run_started`, `notice`, `run_ended` (with the content of
    /// summary.json), and in matches `game_finished` and `pair_finished` (with all statistics). harness/EVENTS.md
    /// documents all fields.
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunArgs {
    /// Returns these arguments with a configuration made from others, if there is one. The run
    /// folder keeps it.
    pub(crate) fn with_made(&self, made: Option<Source>) -> Self {
        let mut args = self.clone();
        args.folder.keeps_config = made.is_some();
        args.made = made;
        args
    }

    /// Returns the configuration with overrides applied: the file given, the one made from other
    /// arguments, or else the copy in the resumed run.
    pub(crate) fn source(&self, resumed: Option<&Resumed>) -> Result<Source, Failure> {
        let source = match (&self.made, &self.config[..], resumed) {
            (Some(made), ..) => made.clone(),
            (None, [file, ..], _) => {
                let source = Source::read(file)?;
                source.renamed_fields().iter().for_each(|notice| say(notice));
                source
            }
            (None, [], Some((_, manifest))) => {
                shipped::restore(&manifest.config_text)?;
                Source::new(manifest.config_file.clone(), manifest.config_text.clone())
            }
            (None, [], None) => {
                let message = "expected a configuration, or --resume RUN to continue a run";
                return Err(Failure::Usage(message.to_owned()));
            }
        };
        Ok(source.with_overrides(&self.set)?)
    }
}

/// The reason why a command failed.
pub(crate) enum Failure {
    /// Exit code 1.
    Run(anyhow::Error),
    /// Exit code 2.
    Config(ConfigError),
    /// Exit code 2, for arguments.
    Usage(String),
    /// Exit code 3.
    Interrupted,
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

pub(crate) fn fail(code: u8, error: &impl std::fmt::Display) -> ExitCode {
    let _ = writeln!(std::io::stderr().lock(), "error: {error}");
    ExitCode::from(code)
}

/// Writes text to stdout. A closed pipe is no error.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Installs the signal handlers of the process and returns the stop request that they raise. No
/// other place does.
///
/// The first signal raises the request; a later second one ends the process at once. The kernel
/// then kills the engines, and the journal holds whole records or a torn last line.
pub(crate) fn cancel_on_signals() -> anyhow::Result<Cancel> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    let cancel = Cancel::new();
    let raised = cancel.clone();
    let listen = move || {
        let mut first = None;
        for _ in signals.forever() {
            let since = first.get_or_insert_with(Instant::now).elapsed();
            raised.cancel();
            if since > ONE_REQUEST {
                std::process::exit(3);
            }
        }
    };
    std::thread::Builder::new().spawn(listen).context("cannot listen for signals")?;
    Ok(cancel)
}
