//! `harness instructions`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::base::wording::parser_message;
use crate::measure::instructions::{Change, Counts, changes, compiler, count, is_available};
use crate::run::command::{Failure, print, say};
use crate::run::session::write_file;

const HELP: &str = "\
Examples:
  make instructions
  harness instructions target/fold/with/release/examples/kernels results/instructions.yaml
  harness instructions target/fold/with/release/examples/kernels results/instructions.yaml --max-rise 1
  harness instructions target/fold/with/release/examples/kernels results/instructions.yaml --update

Counts the instructions of parts of the engine (move generation, making moves, exchanges, both evaluations, the hash table, a
search) with callgrind, and prints the change since the stored counts. Without valgrind nothing is counted. The program is the
engine's example `kernels`, built for plain x86-64-v3, since valgrind does not support AVX-512.";

/// Counts CPU instructions of parts of the engine and compares them with stored counts.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct InstructionsArgs {
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

pub(crate) fn run(args: &InstructionsArgs) -> Result<ExitCode, Failure> {
    if !is_available() {
        say("no instructions counted: valgrind is not installed");
        return Ok(ExitCode::from(u8::from(args.max_rise.is_some())));
    }
    let before = match std::fs::read_to_string(&args.counts) {
        Ok(text) => serde_yaml::from_str::<Counts>(&text).map_err(|error| {
            let (file, text) = (args.counts.display(), parser_message(&error.to_string()));
            Failure::Usage(format!("{file}: not a file of instruction counts: {text}"))
        })?,
        Err(_) if args.update => Counts::default(),
        Err(error) => {
            return Err(Failure::Usage(format!("{}: {error}", args.counts.display())));
        }
    };
    let instructions = count(&args.program, |name, count| say(&format!("{name}: {count}")));
    let now = Counts { compiler: compiler(), instructions: instructions.map_err(anyhow::Error::from)? };
    print(&table(&before, &now));
    if args.update {
        let text = serde_yaml::to_string(&now).context("cannot write the counts")?;
        let head =
            "# Instructions of one run of each piece of work; written by `make instructions UPDATE=1`.\n";
        write_file(&args.counts, &format!("{head}{text}"))?;
    }
    match args.max_rise {
        Some(_) if before.compiler != now.compiler => {
            say(&format!("not judged: the counts are of {}, not of {}", before.compiler, now.compiler));
            Ok(ExitCode::from(1))
        }
        Some(limit) => {
            let faults = faults(&before, &now, limit);
            for fault in &faults {
                say(fault);
            }
            Ok(ExitCode::from(u8::from(!faults.is_empty())))
        }
        None => Ok(ExitCode::SUCCESS),
    }
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
}
