//! An engine's `bench` and its output, by the conventions of OpenBench.

use std::fmt;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::job::{self, run_logged};
use crate::base::cancel::Cancel;
use crate::base::system::group::describe_exit;
use crate::config::EngineConfig;

/// Longest time that `bench` may take.
pub(super) const BENCH_LIMIT: Duration = Duration::from_mins(5);

/// Lines of a log that an error shows.
const SHOWN_LINES: usize = 15;

/// The figures of an engine's `bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bench {
    /// Nodes searched: the signature of the search.
    pub(crate) nodes: u64,
    /// Nodes per second, if printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) nps: Option<u64>,
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes", self.nodes)?;
        self.nps.map_or(Ok(()), |nps| write!(f, " {nps} nps"))
    }
}

impl Bench {
    /// Returns the figures of the last lines that have them; `None` without a number of nodes.
    ///
    /// Source: `parse_stream_output` of OpenBench's client.
    fn parse(output: &str) -> Option<Self> {
        let (mut nodes, mut nps) = (None, None);
        for line in output.lines().rev() {
            let words = words(line);
            nodes = nodes.or_else(|| figure(&words, "nodes", "searched"));
            nps = nps
                .or_else(|| figure(&words, "nps", "").or_else(|| number_after(&words, ["nodes", "second"])));
        }
        nodes.map(|nodes| Self { nodes, nps })
    }
}

/// Runs `bench` of an engine with its arguments and returns its figures. Its output goes to `log`.
///
/// Errors: the reason, which follows the command in a message. After a stop request it means nothing.
pub(crate) fn bench_of(engine: &EngineConfig, log: &Path, cancel: &Cancel) -> Result<Bench, String> {
    let dir = engine.working_dir.as_deref().unwrap_or(Path::new("."));
    let mut command = job::command(&engine.program, dir);
    command.args(&engine.args).envs(&engine.env);
    run_bench(command.arg("bench"), log, BENCH_LIMIT, cancel)
}

/// Runs a command that is the `bench` of an engine; see [`bench_of`].
pub(super) fn run_bench(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Bench, String> {
    let file =
        File::create(log).map_err(|error| format!("has no log: cannot create {}: {error}", log.display()))?;
    let status = run_logged(command, &file, Some(limit), cancel)
        .map_err(|error| format!("could not be started: {error}"))?;
    let Some(status) = status else { return Err(format!("did not end within {} s", limit.as_secs())) };
    // Engines may exit with any code after bench, but a crashed one has no result.
    match (Bench::parse(&read_lossy(log)), status.code()) {
        (Some(bench), Some(_)) => Ok(bench),
        (Some(_), None) => Err(describe_exit(status)),
        (None, _) => {
            Err(format!("printed no line such as `123 nodes 456 nps` and {}", describe_exit(status)))
        }
    }
}

/// Returns the last lines of a log for an error, indented; `None` if it is empty. They begin a new line, so that the first
/// line of the error is its cause.
pub(crate) fn last_lines(log: &Path, title: &str) -> Option<String> {
    let text = read_lossy(log);
    let lines: Vec<&str> = text.lines().collect();
    let end = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n  ");
    (!lines.is_empty()).then(|| format!("\nThe last lines of {title}:\n  {end}"))
}

/// Returns the text of a log; empty if it cannot be read.
pub(super) fn read_lossy(log: &Path) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned()
}

/// Splits a line at everything but ASCII letters and digits, in lower case.
fn words(line: &str) -> Vec<String> {
    let parts = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(str::to_ascii_lowercase).collect()
}

/// Returns the first of `N unit`, `unit N` and `unit more N`.
fn figure(words: &[String], unit: &str, more: &str) -> Option<u64> {
    (0..words.len()).find_map(|start| {
        let is = |index: usize, word: &str| words.get(start + index).is_some_and(|found| found == word);
        let number = |index: usize| words.get(start + index)?.parse().ok();
        match () {
            () if is(1, unit) && number(0).is_some() => number(0),
            () if is(0, unit) && number(1).is_some() => number(1),
            () if is(0, unit) && is(1, more) => number(2),
            () => None,
        }
    })
}

/// Returns the number after two words.
fn number_after(words: &[String], pair: [&str; 2]) -> Option<u64> {
    words.windows(3).find(|three| three[0] == pair[0] && three[1] == pair[1])?[2].parse().ok()
}

/// Returns the node count that a commit message states as `Bench: N`, if any.
pub(super) fn stated(message: &str) -> Option<u64> {
    message.lines().rev().find_map(|line| {
        let line = line.to_ascii_lowercase();
        let rest = &line[line.find("bench")? + "bench".len()..];
        let number = rest.trim_start_matches([' ', ':', '=']);
        let digits: String = number.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        (number.len() < rest.len()).then(|| digits.replace(',', "").parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(output: &str) -> Option<(u64, Option<u64>)> {
        Bench::parse(output).map(|bench| (bench.nodes, bench.nps))
    }

    #[test]
    fn formats_of_known_engines_are_read() {
        for (output, expected) in [
            ("1662183 nodes 1534000 nps\n", Some((1_662_183, Some(1_534_000)))),
            // Ethereal
            ("Bench [# 50] bestmove\nOVERALL:    3 nodes 5 nps\n", Some((3, Some(5)))),
            ("Time  : 1000ms\nNodes : 3456\nNPS   : 3456000\n", Some((3456, Some(3_456_000)))),
            // Stockfish
            ("Total time (ms) : 10\nNodes searched  : 77\nNodes/second    : 7700\n", Some((77, Some(7700)))),
            ("info depth 1 nodes 20 nps 100\nBench: 99 nodes 1000 nps", Some((99, Some(1000)))),
            ("Nodes searched: 12 in 3 ms", Some((12, None))),
            ("error: unknown command bench\n", None),
            ("", None),
            ("99999999999999999999999 nodes", None),
        ] {
            assert_eq!(parse(output), expected, "{output}");
        }
    }

    #[test]
    fn bench_of_a_commit_message_is_the_last_one() {
        assert_eq!(stated("Subject\n\nBench: 1\nmore\nBench: 2,345"), Some(2345));
        assert_eq!(stated("Simplify\n\nbench 4567"), Some(4567));
        assert_eq!(stated("Benchmark the search"), None);
        assert_eq!(stated("No functional change"), None);
    }
}
