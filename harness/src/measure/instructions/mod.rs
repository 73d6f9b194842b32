//! `harness instructions`: counts CPU instructions of parts of the engine with callgrind and
//! compares them with stored counts.
//!
//! Times depend on the machine; instruction counts of the same source, compiler and target agree
//! within a few per mille. The count of one run is `(I(n) - I(0)) / n`, where `I(n)` is the total of
//! a process with `n` runs; the difference excludes the start-up. `command` is the caller.

pub(crate) mod command;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Runs of each kernel per process.
const TIMES: u32 = 2;
/// The program that counts instructions.
const VALGRIND: &str = "valgrind";

/// An error while counting instructions.
#[derive(Debug, Error)]
pub(crate) enum CountError {
    /// Valgrind or the program cannot be started.
    #[error("cannot run {program}: {error}")]
    Start {
        /// Path of the executable.
        program: String,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The program exited with an error.
    #[error("{command} failed: {text}")]
    Failed {
        /// Description of the command.
        command: String,
        /// Last line of its standard error.
        text: String,
    },
    /// The output of callgrind contains no count.
    #[error("{command} printed no instruction count: expected a line `Collected : N`")]
    NoCount {
        /// Description of the command.
        command: String,
    },
}

/// The content of the file of counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counts {
    /// Compiler version of the counted program.
    pub compiler: String,
    /// Instructions of one run, by name of the kernel.
    pub instructions: BTreeMap<String, u64>,
}

/// Whether valgrind is installed.
pub(crate) fn is_available() -> bool {
    Command::new(VALGRIND).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Returns the output of `rustc --version`, empty if it is not installed.
pub(crate) fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Counts the instructions of all kernels of `program` and calls `done` after each.
///
/// Without arguments the program prints the names of its kernels; with `NAME N` it runs one N times.
pub(crate) fn count(
    program: &Path,
    mut done: impl FnMut(&str, u64),
) -> Result<BTreeMap<String, u64>, CountError> {
    let names = run(Command::new(program), "kernels")?;
    let mut counts = BTreeMap::new();
    for name in String::from_utf8_lossy(&names.stdout).lines() {
        let (whole, start) = (collected(program, name, TIMES)?, collected(program, name, 0)?);
        let one = whole.saturating_sub(start) / u64::from(TIMES);
        done(name, one);
        counts.insert(name.to_owned(), one);
    }
    Ok(counts)
}

/// Returns the instructions of a whole process.
fn collected(program: &Path, name: &str, times: u32) -> Result<u64, CountError> {
    let mut command = Command::new(VALGRIND);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(program).arg(name).arg(times.to_string());
    let shown = format!("callgrind on {name}");
    let output = run(command, &shown)?;
    parse_count(&String::from_utf8_lossy(&output.stderr)).ok_or(CountError::NoCount { command: shown })
}

/// Parses `==123== Collected : 45678` as 45678.
fn parse_count(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once("Collected : "))?;
    line.1.split_whitespace().next()?.parse().ok()
}

fn run(mut command: Command, shown: &str) -> Result<Output, CountError> {
    let program = command.get_program().to_owned();
    let output = command.output().map_err(|error| CountError::Start { program: lossy(&program), error })?;
    if output.status.success() {
        return Ok(output);
    }
    let printed = String::from_utf8_lossy(&output.stderr);
    let text = printed.lines().last().unwrap_or("no output").to_owned();
    Err(CountError::Failed { command: shown.to_owned(), text })
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

/// The change of a kernel since its stored count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// Name of the kernel.
    pub name: String,
    /// Stored count; `None` if the kernel is new.
    pub before: Option<u64>,
    /// Current count; `None` if the kernel no longer exists.
    pub now: Option<u64>,
}

impl Change {
    /// Returns the relative change. Units: percent.
    pub(crate) fn percent(&self) -> Option<f64> {
        let (before, now) = (self.before.filter(|&count| count > 0)?, self.now?);
        Some(100.0 * (now as f64 / before as f64 - 1.0))
    }
}

/// Returns the changes of all stored and current kernels, sorted by name.
pub(crate) fn changes(before: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> Vec<Change> {
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    let change = |name: &String| Change {
        name: name.clone(),
        before: before.get(name).copied(),
        now: now.get(name).copied(),
    };
    names.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_is_parsed_from_callgrind_output() {
        let text = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(parse_count(text), Some(123_456));
        assert_eq!(parse_count("==7== Collected\n"), None);
    }

    #[test]
    fn new_and_removed_kernels_are_listed() {
        let of = |list: &[(&str, u64)]| list.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        let found = changes(&of(&[("make", 200), ("see", 10)]), &of(&[("make", 205), ("table", 7)]));
        let percents: Vec<Option<f64>> = found.iter().map(Change::percent).collect();
        assert_eq!(
            found.iter().map(|change| change.name.as_str()).collect::<Vec<_>>(),
            ["make", "see", "table"]
        );
        assert!((percents[0].unwrap() - 2.5).abs() < 1e-9 && percents[1..] == [None, None]);
        assert_eq!((found[1].now, found[2].before), (None, None));
    }
}
