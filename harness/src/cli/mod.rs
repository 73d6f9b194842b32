//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done, 1 could not run, 2 bad usage or configuration, 3 interrupted with everything saved.

mod read_run;
mod report;
mod runs;
mod schema;
mod shell;

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::books::command as book;
use crate::books::opening_set::command as openings;
use crate::claims::command as claims;
use crate::endgames::command as tb;
use crate::learn::{datagen::command as datagen, train::command as train};
use crate::measure::ablate::command as ablate;
use crate::measure::bench::command as bench;
use crate::measure::doctor::command as doctor;
use crate::measure::equivalence::command as equivalence;
use crate::measure::instructions::command as instructions;
use crate::measure::smp::command as smp;
use crate::measure::suite::command as suite;
use crate::measure::{replay, slow};
use crate::play::matches::{command as games, merge};
use crate::play::openbench::command as openbench;
use crate::run::command::{Failure, fail};
use crate::run::console::{Verbosity, set_verbosity};
use crate::tune::eval::command as eval;
use crate::tune::screen::command as screen;
use crate::tune::spsa::command as tune;

/// Declares the commands under the headings of the help: the variant, its arguments, and the function that runs it.
///
/// A new command is one line here. Its description is the doc comment of its arguments.
macro_rules! commands {
    ($($heading:literal { $($(#[$attribute:meta])* $variant:ident($args:ty) => $run:path,)+ })+) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($($(#[$attribute])* $variant($args),)+)+
        }

        impl Command {
            fn run(&self) -> Result<ExitCode, Failure> {
                match self {
                    $($(Self::$variant(args) => $run(args),)+)+
                }
            }
        }

        /// The headings of the help, each with its number of commands, in the order of [`Command`].
        const HEADINGS: &[(&str, usize)] = &[$(($heading, [$(stringify!($variant)),+].len())),+];
    };
}

commands! {
    "Play" {
        Match(games::MatchArgs) => games::run_match,
        Sprt(games::SprtArgs) => games::run_sprt,
        Merge(merge::MergeArgs) => merge::run,
    }
    "Measure" {
        Bench(bench::BenchArgs) => bench::run,
        Smp(smp::SmpArgs) => smp::run,
        Suite(suite::SuiteArgs) => suite::run,
        Ablate(ablate::AblateArgs) => ablate::run,
        Equivalence(equivalence::EquivalenceArgs) => equivalence::run,
        Doctor(doctor::DoctorArgs) => doctor::run,
        #[command(hide = true)]
        Instructions(instructions::InstructionsArgs) => instructions::run,
        #[command(hide = true)]
        Slow(slow::SlowArgs) => slow::run,
    }
    "Tune" {
        Tune(tune::TuneArgs) => tune::run,
        Screen(screen::ScreenArgs) => screen::run,
        TuneEval(eval::TuneEvalArgs) => eval::run_tune_eval,
        FitWdl(eval::FitWdlArgs) => eval::run_fit_wdl,
    }
    "Learn" {
        Datagen(datagen::DatagenArgs) => datagen::run,
        Train(train::TrainArgs) => train::run,
        Data(datagen::DataArgs) => datagen::data,
    }
    "Books" {
        Book(book::BookArgs) => book::run,
        Openings(openings::OpeningsArgs) => openings::run_openings,
    }
    "Endgames" {
        Tb(tb::TbArgs) => tb::run,
    }
    "Runs" {
        Report(report::ReportArgs) => report::run,
        Runs(runs::RunsArgs) => runs::run,
        Replay(replay::ReplayArgs) => replay::run,
    }
    "Other" {
        #[command(name = "openbench")]
        OpenBench(openbench::OpenBenchArgs) => openbench::run,
        Claims(claims::ClaimsArgs) => claims::run,
        Schema(schema::SchemaArgs) => schema::run,
        Completions(shell::CompletionsArgs) => print_completions,
        Man(shell::ManArgs) => write_manual,
    }
}

/// Matches, SPRT tests, tuning and measurements for UCI chess engines.
#[derive(Debug, Parser)]
#[command(name = "harness", version, max_term_width = 100)]
#[command(
    after_help = "`harness COMMAND --help` explains a command with examples. Configuration files: configs/README.md.\n\n\
    Exit codes: 0 done, 1 could not run, 2 bad usage or configuration, 3 interrupted, all saved.\n\n\
    Example: harness sprt ./dev ./base --tc 8+0.08 --elo 0 5"
)]
struct Cli {
    /// Print only the result and errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more progress: every game, and a line per second.
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

/// Runs `harness completions`.
fn print_completions(args: &shell::CompletionsArgs) -> Result<ExitCode, Failure> {
    shell::completions(args, command())
}

/// Runs `harness man`.
fn write_manual(args: &shell::ManArgs) -> Result<ExitCode, Failure> {
    shell::man(args, command())
}

/// The command line, with the commands under their headings in its help.
fn command() -> clap::Command {
    let command = Cli::command();
    let template = help_template(&command);
    command.help_template(template)
}

/// The template of the help: clap has no headings for commands.
fn help_template(command: &clap::Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let mut commands = command.get_subcommands();
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    for &(heading, count) in HEADINGS {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{heading}:\n");
        for command in commands.by_ref().take(count).filter(|command| !command.is_hide_set()) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:width$}  {about}", command.get_name());
        }
    }
    text + "\nOptions:\n{options}{after-help}"
}

/// The version, and the commit that the program was built from where that is known.
fn version(commit: Option<&str>) -> String {
    format!(
        "{}\ncommit   {}\nbuild    {}",
        env!("CARGO_PKG_VERSION"),
        commit.unwrap_or("unknown"),
        if cfg!(debug_assertions) { "with assertions" } else { "release" }
    )
}

/// Runs the command line of this process. `commit` is what the program was built from, where that is known.
pub fn main(commit: Option<&str>) -> ExitCode {
    // Leaked once per process, since clap wants text that lives as long.
    let matches = command().long_version(&*version(commit).leak()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    set_verbosity(match (cli.quiet, cli.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    });
    match cli.command.run() {
        Ok(code) => code,
        Err(Failure::Run(error)) => fail(1, &format!("{error:#}")),
        Err(Failure::Config(error)) => fail(2, &error),
        Err(Failure::Usage(error)) => fail(2, &error),
        Err(Failure::Interrupted) => ExitCode::from(3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_the_help_once_unless_hidden() {
        let help = command().render_help().to_string();
        let mut hidden = Vec::new();
        let all: usize = HEADINGS.iter().map(|(_, count)| count).sum();
        assert_eq!(all, Cli::command().get_subcommands().count());
        for command in Cli::command().get_subcommands() {
            let start = format!("  {} ", command.get_name());
            let lines = help.lines().filter(|line| line.starts_with(&start)).count();
            assert_eq!(lines, usize::from(!command.is_hide_set()), "{}:\n{help}", command.get_name());
            assert!(command.get_about().is_some(), "{} has no description", command.get_name());
            if command.is_hide_set() {
                hidden.push(command.get_name().to_owned());
            }
        }
        assert_eq!(hidden, ["instructions", "slow"]);
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }

    #[test]
    fn arguments_of_commands_do_not_clash() {
        command().debug_assert();
    }

    #[test]
    fn kept_runs_take_the_same_arguments() {
        let mut command = command();
        command.build();
        let kinds =
            "match sprt bench smp suite ablate equivalence tune screen tune-eval datagen train".split(' ');
        for kind in kinds {
            let found = command.find_subcommand(kind).unwrap();
            let has = |long: &str, short: Option<char>| {
                found.get_arguments().any(|arg| arg.get_long() == Some(long) && arg.get_short() == short)
            };
            for (long, short) in [("out", Some('o')), ("concurrency", Some('j'))] {
                assert!(has(long, short), "{kind}: --{long}");
            }
            for long in ["run-id", "resume", "json"] {
                assert!(has(long, None), "{kind}: --{long}");
            }
        }
    }
}
