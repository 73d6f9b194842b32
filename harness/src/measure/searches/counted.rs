//! Instruction counts of single searches, with `perf` or valgrind.
//!
//! A counted search runs in a process of its own. The instructions of the search are those of the
//! whole process less those of one that does everything but the search. Instruction counts do not
//! depend on other load, and of a search with one thread they hardly vary.

#![expect(clippy::disallowed_methods, reason = "starts perf and valgrind")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow};

use super::record::SearchCounters;
use crate::base::errors::Stop;
use crate::config::command::resolve_command;
use crate::config::{EngineConfig, Watchdog};
use crate::pool::Setup;
use crate::uci::{Engine, UciError};

/// Names of the counters in the journal.
pub(crate) const INSTRUCTIONS: &str = "instructions";
pub(crate) const COUNTED_NODES: &str = "counted-nodes";

/// The event that `perf` counts: instructions outside the kernel.
const EVENT: &str = "instructions:u";
/// Time for the exit of an engine and the output of its count.
const EXIT_GRACE: Duration = Duration::from_mins(1);
/// Factor by which valgrind slows an engine down at most.
const SLOWDOWN: u32 = 100;

/// A program that counts the instructions of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// `perf stat`, at full speed. Path of the program.
    Perf(PathBuf),
    /// valgrind's callgrind, about fifty times slower. Path of the program.
    Valgrind(PathBuf),
}

impl Counter {
    /// Returns the program that can count on this machine, preferably `perf`.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let program = |name: &str| resolve_command(name, Path::new("/")).ok();
        if let Some(perf) = program("perf") {
            let out = tempfile::NamedTempFile::new().context("cannot create a temporary file")?;
            let mut trial = Command::new(&perf);
            trial.args(["stat", "-e", EVENT, "-x", ",", "-o"]).arg(out.path()).args(["--", "true"]);
            let status = trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
            let counter = Self::Perf(perf);
            if status.is_ok_and(|status| status.success()) && counter.read(out.path()).is_some() {
                return Ok(counter);
            }
        }
        program("valgrind").map(Self::Valgrind).with_context(|| {
            format!(
                "instructions cannot be counted: perf is not installed or cannot count `{EVENT}` here (virtual machines often \
                 have no counters), and valgrind is not installed"
            )
        })
    }

    /// Returns the name of the program.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Perf(_) => "perf",
            Self::Valgrind(_) => "valgrind",
        }
    }

    /// Returns the engine as a program that is counted into `out`.
    fn wrap(&self, engine: &EngineConfig, out: &Path) -> EngineConfig {
        let out = out.display().to_string();
        let (program, mut args) = match self {
            Self::Perf(perf) => {
                let args = ["stat", "-e", EVENT, "-x", ",", "-o", &out, "--"].map(str::to_owned);
                (perf, args.to_vec())
            }
            Self::Valgrind(valgrind) => {
                let args = ["--tool=callgrind", "--callgrind-out-file=/dev/null"].map(str::to_owned);
                (valgrind, [&args[..], &[format!("--log-file={out}")]].concat())
            }
        };
        args.push(engine.program.display().to_string());
        args.extend(engine.args.iter().cloned());
        EngineConfig { program: program.clone(), args, ..engine.clone() }
    }

    /// Reads the count from the output of the program.
    fn read(&self, out: &Path) -> Option<u64> {
        self.parse(&std::fs::read_to_string(out).ok()?)
    }

    fn parse(&self, text: &str) -> Option<u64> {
        match self {
            Self::Perf(_) => {
                text.lines().find(|line| line.contains(EVENT))?.split(',').next()?.trim().parse().ok()
            }
            Self::Valgrind(_) => {
                let line = text.lines().find_map(|line| line.split_once("Collected : "))?;
                line.1.split_whitespace().next()?.parse().ok()
            }
        }
    }

    /// Returns what to do if an engine does not run under the program.
    const fn hint(&self) -> &'static str {
        match self {
            Self::Perf(_) => "",
            Self::Valgrind(_) => {
                "; valgrind does not know AVX-512: build the engine for plain x86-64-v3 (RUSTFLAGS=\"-C target-cpu=x86-64-v3\")"
            }
        }
    }

    /// Counts a whole process that sets the engine up and, with the lines of a search, searches. Returns
    /// instructions and nodes.
    pub(super) fn count(
        &self,
        setup: &Setup,
        engine: &EngineConfig,
        search: Option<&str>,
    ) -> Result<(u64, u64), Stop> {
        let name = &engine.name;
        let out = tempfile::NamedTempFile::new().context("cannot create a temporary file")?;
        let wrapped = self.wrap(engine, out.path());
        let failed = |error| match error {
            UciError::Cancelled => Stop::Cancelled,
            error => {
                let hint = if matches!(error, UciError::Exited { .. }) { self.hint() } else { "" };
                anyhow!("{name} failed under {}: {error}{hint}", self.name()).into()
            }
        };
        let patience = |time: Duration| time.saturating_mul(SLOWDOWN);
        let usual = setup.watchdog;
        let watchdog =
            Watchdog { uci: patience(usual.uci), ready: patience(usual.ready), quit: EXIT_GRACE, ..usual };
        let mut process = Engine::start(&wrapped, &setup.launcher, watchdog, &setup.cancel)
            .map_err(|(error, _)| failed(error))?;
        process.extends_on_stall = true;
        process.set_up(&engine.options, &engine.init).map_err(failed)?;
        process.new_game().map_err(failed)?;
        let mut nodes = 0;
        if let Some(search) = search {
            let answer = process.search(search, patience(usual.answer)).map_err(failed)?;
            nodes = answer.report.nodes.unwrap_or(0);
        }
        process.quit(name);
        let count = self
            .read(out.path())
            .with_context(|| format!("{} counted no instructions of {name}{}", self.name(), self.hint()))?;
        Ok((count, nodes))
    }

    /// Counts a search by its lines; `start_up` is the count without it.
    pub(super) fn search(
        &self,
        setup: &Setup,
        engine: &EngineConfig,
        search: &str,
        start_up: u64,
    ) -> Result<SearchCounters, Stop> {
        let (whole, nodes) = self.count(setup, engine, Some(search))?;
        let pairs = [(INSTRUCTIONS, whole.saturating_sub(start_up)), (COUNTED_NODES, nodes)];
        Ok(pairs.into_iter().map(|(name, count)| (name.to_owned(), count)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_parsed_from_the_output_of_each_program() {
        let perf = Counter::Perf("perf".into());
        assert_eq!(perf.parse("# started on Tue\n\n4711,,instructions:u,12,100.00,,\n"), Some(4711));
        assert_eq!(perf.parse("# started\n<not supported>,,instructions:u,0,100.00,,\n"), None);
        assert_eq!(perf.parse(""), None);
        let valgrind = Counter::Valgrind("valgrind".into());
        assert_eq!(valgrind.parse("==7== Events    : Ir\n==7== Collected : 123456\n"), Some(123_456));
        assert_eq!(valgrind.parse("==7== Collected\n"), None);
    }
}
