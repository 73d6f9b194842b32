//! Instructions of small pieces of the engine's work, counted by callgrind and compared with counts kept in a file.
//!
//! Time depends on the machine, instructions hardly: the same source, compiler and target give the same count to a few in a
//! thousand, wherever they are counted. Each piece is run some times and not at all, so that starting up does not
//! count. The caller is the command line.

pub(crate) mod command;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How often each piece is run; the count is that of one run.
const TIMES: u32 = 2;
/// What counts.
const VALGRIND: &str = "valgrind";

/// Why instructions could not be counted.
#[derive(Debug, Error)]
pub enum CountError {
    /// The counter or the program does not start.
    #[error("cannot run {program}: {error}")]
    Start {
        /// Which.
        program: String,
        /// What the system said.
        error: io::Error,
    },
    /// It ended with an error.
    #[error("{command} failed: {text}")]
    Failed {
        /// What was run.
        command: String,
        /// The end of what it said.
        text: String,
    },
    /// There is no count in what it said.
    #[error("{command} names no count of instructions: expected a line `Collected : N`")]
    NoCount {
        /// What was run.
        command: String,
    },
}

/// Counts as a file keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// The compiler they were counted with.
    pub compiler: String,
    /// Instructions of one run, by piece of work.
    pub instructions: BTreeMap<String, u64>,
}

/// Is there a counter on this machine?
pub fn is_available() -> bool {
    Command::new(VALGRIND).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The compiler's name for itself, empty where there is none.
pub fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Counts all pieces of work of `program`, which names them when asked without arguments, and runs `NAME TIMES`.
pub fn count(program: &Path, mut done: impl FnMut(&str, u64)) -> Result<BTreeMap<String, u64>, CountError> {
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

/// Instructions of a whole run.
fn collected(program: &Path, name: &str, times: u32) -> Result<u64, CountError> {
    let mut command = Command::new(VALGRIND);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(program).arg(name).arg(times.to_string());
    let shown = format!("callgrind on {name}");
    let output = run(command, &shown)?;
    parse_count(&String::from_utf8_lossy(&output.stderr)).ok_or(CountError::NoCount { command: shown })
}

/// `==123== Collected : 45678` as 45678.
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
    let said = String::from_utf8_lossy(&output.stderr);
    let text = said.lines().last().unwrap_or("it said nothing").to_owned();
    Err(CountError::Failed { command: shown.to_owned(), text })
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

/// A piece of work beside its stored count.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// As the file has it.
    pub before: Option<u64>,
    /// As counted now; `None` where the piece is gone.
    pub now: Option<u64>,
}

impl Change {
    /// By how much it grew. Units: percent.
    pub fn percent(&self) -> Option<f64> {
        let (before, now) = (self.before.filter(|&count| count > 0)?, self.now?);
        Some(100.0 * (now as f64 / before as f64 - 1.0))
    }
}

/// All pieces of work there were or are, by name.
pub fn changes(before: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> Vec<Change> {
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
    fn the_count_is_found_in_what_callgrind_says() {
        let text = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(parse_count(text), Some(123_456));
        assert_eq!(parse_count("==7== Collected\n"), None);
    }

    #[test]
    fn pieces_that_come_and_go_are_named() {
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
