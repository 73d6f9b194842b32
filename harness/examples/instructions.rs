//! Counts CPU instructions of parts of the engine with callgrind and compares them with stored counts; `make
//! instructions` runs it.
//!
//! Times depend on the machine; instruction counts of the same source, compiler and target agree
//! within a few per mille. The count of one run is `(I(n) - I(0)) / n`, where `I(n)` is the total of
//! a process with `n` runs; the difference excludes the start-up.

#![expect(clippy::disallowed_methods, reason = "starts valgrind")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use anyhow::{Context, bail};
use clap::Parser;
use serde::{Deserialize, Serialize};

const HELP: &str = "\
Examples:
  make instructions
  instructions target/fold/with/release/examples/kernels results/instructions.yaml
  instructions target/fold/with/release/examples/kernels results/instructions.yaml --max-rise 1
  instructions target/fold/with/release/examples/kernels results/instructions.yaml --update

Counts the instructions of parts of the engine (move generation, making moves, exchanges, both evaluations, the hash table, a
search) with callgrind, and prints the change since the stored counts. Without valgrind nothing is counted. The program is the
engine's example `kernels`, built for plain x86-64-v3, since valgrind does not support AVX-512.";

/// Counts CPU instructions of parts of the engine and compares them with stored counts.
#[derive(Debug, Parser)]
#[command(after_help = HELP)]
struct Args {
    /// The program to run: the engine's example `kernels`.
    program: PathBuf,
    /// The file with the stored counts (YAML).
    counts: PathBuf,
    /// Exit with code 1 if a count rises by more than this percentage, if a stored kernel is missing,
    /// or if nothing can be judged: without valgrind, or with counts of another compiler.
    #[arg(long, value_name = "PERCENT")]
    max_rise: Option<f64>,
    /// Write the new counts to the file.
    #[arg(long)]
    update: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    if !is_available() {
        eprintln!("no instructions counted: valgrind is not installed");
        return Ok(ExitCode::from(u8::from(args.max_rise.is_some())));
    }
    let file = args.counts.display();
    let before = match std::fs::read_to_string(&args.counts) {
        Ok(text) => {
            serde_yaml::from_str::<Counts>(&text).with_context(|| format!("{file}: not a file of counts"))?
        }
        Err(_) if args.update => Counts::default(),
        Err(error) => bail!("{file}: {error}"),
    };
    let instructions = count(&args.program, |name, count| eprintln!("{name}: {count}"))?;
    let now = Counts { compiler: compiler(), instructions };
    print!("{}", table(&before, &now));
    if args.update {
        let head =
            "# Instructions of one run of each piece of work; written by `make instructions UPDATE=1`.\n";
        std::fs::write(&args.counts, format!("{head}{}", serde_yaml::to_string(&now)?))
            .with_context(|| format!("cannot write {file}"))?;
    }
    let Some(limit) = args.max_rise else { return Ok(ExitCode::SUCCESS) };
    if before.compiler != now.compiler {
        bail!("not judged: the counts are of {}, not of {}", before.compiler, now.compiler);
    }
    let faults = faults(&before, &now, limit);
    for fault in &faults {
        eprintln!("{fault}");
    }
    Ok(ExitCode::from(u8::from(!faults.is_empty())))
}

/// Returns a sentence for each stored kernel that is missing or whose count rose by more than `limit`
/// percent.
fn faults(before: &Counts, now: &Counts, limit: f64) -> Vec<String> {
    let fault = |change: Change| {
        let name = &change.name;
        match (change.before, change.now) {
            (Some(_), None) => Some(format!("{name}: stored, but the program has no such kernel")),
            _ => change
                .percent()
                .is_some_and(|percent| percent > limit)
                .then(|| format!("{name}: more instructions than stored, by more than {limit} %")),
        }
    };
    changes(&before.instructions, &now.instructions).into_iter().filter_map(fault).collect()
}

fn table(before: &Counts, now: &Counts) -> String {
    let number = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let mut text = format!("{:12} {:>14} {:>14} {:>9}\n", "", "stored", "now", "change");
    for change in changes(&before.instructions, &now.instructions) {
        let percent = change.percent().map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.2} %"));
        let Change { name, before, now } = change;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:12} {:>14} {:>14} {percent:>9}", number(before), number(now));
    }
    if before.compiler != now.compiler && !before.compiler.is_empty() {
        let _ = writeln!(text, "the compiler changed: stored with {}, now {}", before.compiler, now.compiler);
    }
    text
}

/// Runs of each kernel per process.
const TIMES: u32 = 2;
/// The program that counts instructions.
const VALGRIND: &str = "valgrind";

/// The content of the file of counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    /// Compiler version of the counted program.
    compiler: String,
    /// Instructions of one run, by name of the kernel.
    instructions: BTreeMap<String, u64>,
}

/// Whether valgrind is installed.
fn is_available() -> bool {
    Command::new(VALGRIND).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Returns the output of `rustc --version`, empty if it is not installed.
fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Counts the instructions of all kernels of `program` and calls `done` after each.
///
/// Without arguments the program prints the names of its kernels; with `NAME N` it runs one N times.
fn count(program: &Path, mut done: impl FnMut(&str, u64)) -> anyhow::Result<BTreeMap<String, u64>> {
    let names = output(Command::new(program), "kernels")?;
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
fn collected(program: &Path, name: &str, times: u32) -> anyhow::Result<u64> {
    let mut command = Command::new(VALGRIND);
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(program).arg(name).arg(times.to_string());
    let shown = format!("callgrind on {name}");
    let output = output(command, &shown)?;
    parse_count(&String::from_utf8_lossy(&output.stderr))
        .with_context(|| format!("{shown} printed no instruction count: expected a line `Collected : N`"))
}

/// Parses `==123== Collected : 45678` as 45678.
fn parse_count(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once("Collected : "))?;
    line.1.split_whitespace().next()?.parse().ok()
}

fn output(mut command: Command, shown: &str) -> anyhow::Result<Output> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {program}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let printed = String::from_utf8_lossy(&output.stderr);
    bail!("{shown} failed: {}", printed.lines().last().unwrap_or("no output"))
}

/// The change of a kernel since its stored count.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    /// Name of the kernel.
    name: String,
    /// Stored count; `None` if the kernel is new.
    before: Option<u64>,
    /// Current count; `None` if the kernel no longer exists.
    now: Option<u64>,
}

impl Change {
    /// Returns the relative change. Units: percent.
    fn percent(&self) -> Option<f64> {
        let (before, now) = (self.before.filter(|&count| count > 0)?, self.now?);
        Some(100.0 * (now as f64 / before as f64 - 1.0))
    }
}

/// Returns the changes of all stored and current kernels, sorted by name.
fn changes(before: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> Vec<Change> {
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

    fn counts(list: &[(&str, u64)]) -> Counts {
        let instructions = list.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        Counts { compiler: String::new(), instructions }
    }

    #[test]
    fn rises_beyond_the_limit_and_missing_kernels_are_faults() {
        let before = counts(&[("make", 1000), ("movegen", 1000), ("see", 900), ("table", 1000)]);
        let now = counts(&[("make", 1009), ("movegen", 1011), ("see", 800), ("new", 5)]);
        let names = |limit| {
            let faults = faults(&before, &now, limit);
            faults.iter().map(|fault| fault.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(1.0), ["movegen", "table"]);
        assert_eq!(names(0.5), ["make", "movegen", "table"]);
    }

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
