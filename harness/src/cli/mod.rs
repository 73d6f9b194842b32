//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done; 1 could not run, or a condition such as `--expect` failed; 2 bad usage or
//! configuration; 3 interrupted with everything saved; 125 in `replay`, another failure than recorded.

mod builds;
mod read_run;
mod report;
mod runs;
mod schema;
mod shell;
mod watch;

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::base::wording::argument_message;
use crate::books::command as book;
use crate::books::opening_set;
use crate::claims::{ClaimsRun, command as claims};
use crate::config::schema::FileKind;
use crate::endgames::command as tb;
use crate::learn::datagen::{self, DatagenRun};
use crate::learn::train::{self, TrainRun};
use crate::measure::doctor::command as doctor;
use crate::measure::searches::SearchRun;
use crate::measure::suite::{SuiteRun, command as suite};
use crate::measure::{ablate, bench, equivalence, replay, smp};
use crate::play::matches::config::{RunKind, file_kind as games_file};
use crate::play::matches::{MatchRun, command as games, merge};
use crate::play::openbench::command as openbench;
use crate::run::command::{Failure, arguments, fail};
use crate::run::console::{Verbosity, set_verbosity};
use crate::run::stored::Reporter;
use crate::tune::spsa::{self, command as tune};
use crate::tune::{eval, screen};

/// Declares the commands under the headings of the help: the variant, its arguments, and the
/// function that runs it. A command whose runs are kept adds `runs`, the function that reports on a
/// stored run; one that reads a configuration file adds `file`.
///
/// A new command is one entry here. Its description is the doc comment of its arguments.
macro_rules! commands {
    ($($heading:literal { $(
        $(#[$attribute:meta])* $variant:ident($args:ty) => $run:path
        $({ $(runs: $name:literal by $reporter:expr;)? $(file: $file:expr;)? })?,
    )+ })+) => {
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
        /// The kinds of run that are kept, as in their manifests, and what reports on them.
        const RUNS: &[(&str, Reporter)] = &[$($($($(($name, $reporter),)?)?)+)+];
        /// The kinds of configuration file.
        const FILES: &[FileKind] = &[$($($($($file,)?)?)+)+];
    };
}

commands! {
    "Play" {
        Match(games::MatchArgs) => games::run_match {
            runs: "match" by Reporter::of::<MatchRun>(); file: games_file(RunKind::Match);
        },
        Sprt(games::SprtArgs) => games::run_sprt {
            runs: "sprt" by Reporter::of::<MatchRun>(); file: games_file(RunKind::Sprt);
        },
        Merge(merge::MergeArgs) => merge::run,
    }
    "Measure" {
        Bench(bench::command::BenchArgs) => bench::command::run {
            runs: "bench" by Reporter::of::<SearchRun<bench::Job>>(); file: bench::config::FILE;
        },
        Smp(smp::command::SmpArgs) => smp::command::run {
            runs: "smp" by Reporter::of::<SearchRun<smp::Job>>(); file: smp::config::FILE;
        },
        Suite(suite::SuiteArgs) => suite::run { runs: "suite" by Reporter::of::<SuiteRun>(); },
        Ablate(ablate::command::AblateArgs) => ablate::command::run {
            runs: "ablate" by Reporter::by(ablate::report_stored); file: ablate::config::FILE;
        },
        Equivalence(equivalence::command::EquivalenceArgs) => equivalence::command::run {
            runs: "equivalence" by Reporter::by(equivalence::report_stored); file: equivalence::config::FILE;
        },
        Doctor(doctor::DoctorArgs) => doctor::run,
    }
    "Tune" {
        Tune(tune::TuneArgs) => tune::run { runs: "tune" by Reporter::by(spsa::report_stored); file: games_file(RunKind::Tune); },
        Screen(screen::command::ScreenArgs) => screen::command::run {
            runs: "screen" by Reporter::by(screen::report_stored); file: games_file(RunKind::Screen);
        },
        TuneEval(eval::command::TuneEvalArgs) => eval::command::run_tune_eval {
            runs: "tune-eval" by Reporter::by(eval::report_stored); file: eval::config::FILE;
        },
        FitWdl(eval::command::FitWdlArgs) => eval::command::run_fit_wdl,
    }
    "Learn" {
        Datagen(datagen::command::DatagenArgs) => datagen::command::run {
            runs: "datagen" by Reporter::of::<DatagenRun>(); file: datagen::config::FILE;
        },
        Train(train::command::TrainArgs) => train::command::run {
            runs: "train" by Reporter::of::<TrainRun>(); file: train::config::FILE;
        },
        Data(datagen::command::DataArgs) => datagen::command::data,
    }
    "Books" {
        Book(book::BookArgs) => book::run,
        Openings(opening_set::command::OpeningsArgs) => opening_set::command::run_openings {
            file: opening_set::config::FILE;
        },
    }
    "Endgames" {
        Tb(tb::TbArgs) => tb::run,
    }
    "Runs" {
        Report(report::ReportArgs) => write_report,
        Watch(watch::WatchArgs) => watch_runs,
        Runs(runs::RunsArgs) => runs::run,
        Builds(builds::BuildsArgs) => builds::run,
        Replay(replay::ReplayArgs) => replay::run,
    }
    "Other" {
        #[command(name = "openbench")]
        OpenBench(openbench::OpenBenchArgs) => openbench::run,
        Claims(claims::ClaimsArgs) => claims::run { runs: "claims" by Reporter::of::<ClaimsRun>(); },
        Schema(schema::SchemaArgs) => print_schema,
        Completions(shell::CompletionsArgs) => print_completions,
        Man(shell::ManArgs) => write_manual,
    }
}

/// Matches, SPRT tests, tuning and measurements for UCI chess engines.
#[derive(Debug, Parser)]
#[command(name = "harness", version, max_term_width = 100)]
#[command(
    after_help = "`harness COMMAND --help` explains a command with examples. Configuration files: configs/README.md.\n\n\
    Exit codes: 0 done; 1 could not run, or a condition such as --expect failed; 2 bad usage or\n\
    configuration; 3 interrupted, all saved; 125 `replay` failed in another way than recorded.\n\n\
    Examples: harness sprt ./dev ./base --tc 8+0.08 --elo 0 5\n          \
    harness sprt --dev my-branch --base main"
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

/// Runs `harness report`.
fn write_report(args: &report::ReportArgs) -> Result<ExitCode, Failure> {
    report::run(args, RUNS)
}

/// Runs `harness watch`.
fn watch_runs(args: &watch::WatchArgs) -> Result<ExitCode, Failure> {
    watch::run(args, RUNS)
}

/// Runs `harness schema`.
fn print_schema(args: &schema::SchemaArgs) -> Result<ExitCode, Failure> {
    schema::run(args, FILES)
}

/// Runs `harness completions`.
fn print_completions(args: &shell::CompletionsArgs) -> Result<ExitCode, Failure> {
    shell::completions(args, command())
}

/// Runs `harness man`.
fn write_manual(args: &shell::ManArgs) -> Result<ExitCode, Failure> {
    shell::man(args, command())
}

/// Builds the command line, with the commands under their headings in its help.
fn command() -> clap::Command {
    let kinds = PossibleValuesParser::new(FILES.iter().map(|file| file.name));
    let command = Cli::command();
    let command =
        command.mut_subcommand("schema", |one| one.mut_arg("kind", |kind| kind.value_parser(kinds)));
    let template = help_template(&command);
    command.help_template(template)
}

/// Builds the template of the help, because clap has no headings for commands.
fn help_template(command: &clap::Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let mut commands = command.get_subcommands();
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    for &(heading, count) in HEADINGS {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{heading}:\n");
        for command in commands.by_ref().take(count) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:width$}  {about}", command.get_name());
        }
    }
    text + "\nOptions:\n{options}{after-help}"
}

/// Returns the version and, if known, the commit that the program was built from.
fn version(commit: Option<&str>) -> String {
    format!(
        "{}\ncommit   {}\nbuild    {}",
        env!("CARGO_PKG_VERSION"),
        commit.unwrap_or("unknown"),
        if cfg!(debug_assertions) { "with assertions" } else { "release" }
    )
}

/// Prints an error in the arguments, the help or the version, and returns the exit code.
fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let is_colored = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = error.render();
        let text = if is_colored { text.ansi().to_string() } else { text.to_string() };
        let text = match tip_for(error) {
            Some(tip) => with_tip(&text, tip),
            None => text,
        };
        let _ = std::io::stderr().lock().write_all(argument_message(&text).as_bytes());
    } else {
        // Prints to stdout with clap's own choice of colours.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns an error message with advice, which replaces clap's guess of a similar argument and the usage with that argument.
fn with_tip(text: &str, tip: &str) -> String {
    const GUESS: &str = "a similar ";
    let has_guess = text.contains(GUESS);
    let is_kept = |line: &&str| !has_guess || !(line.contains(GUESS) || line.contains("Usage:"));
    let mut text: String = text.split_inclusive('\n').filter(is_kept).collect();
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.replacen("\n\n", &format!("\n\n  tip: {tip}\n\n"), 1)
}

/// Returns advice on an unknown argument or command of this process, if there is some.
fn tip_for(error: &clap::Error) -> Option<&'static str> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    let command = arguments().find(|arg| !arg.starts_with('-'))?;
    tip(&command, word)
}

/// Returns advice on an unknown argument of a command, or on an unknown command.
fn tip(command: &str, word: &str) -> Option<&'static str> {
    match (command, word) {
        ("match", "--elo" | "--alpha" | "--beta" | "--expect" | "--plan") => {
            Some("only a test has bounds and a verdict: harness sprt")
        }
        ("sprt", "--shard") => {
            Some("a sequential test cannot be divided; `harness match --shard I/N` plays a part of a match")
        }
        ("match" | "sprt", "--book") => Some("the argument is --openings FILE"),
        ("spsa", "spsa") => Some("`harness tune` tunes with SPSA"),
        _ => None,
    }
}

/// Returns the first option of fastchess in a command line that does not say so.
fn option_of_fastchess(args: impl Iterator<Item = String>) -> Option<String> {
    let args: Vec<String> = args.take_while(|arg| arg != "--from-fastchess").collect();
    args.into_iter()
        .find(|arg| matches!(arg.as_str(), "-engine" | "-each" | "-openings" | "-rounds" | "-sprt"))
}

/// Runs the command line of this process. `commit` is the commit of the build, if known.
pub fn main(commit: Option<&str>) -> ExitCode {
    // Leaked once per process, since clap wants text that lives as long.
    let matches = command().long_version(&*version(commit).leak()).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(option) = option_of_fastchess(arguments()) {
                let message = format!(
                    "`{option}` is an option of fastchess: put --from-fastchess before the first one"
                );
                return fail(2, &message);
            }
            return refuse(&error);
        }
    };
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
    fn runs_and_files_are_named_after_their_command() {
        let commands = command();
        let named = RUNS.iter().map(|&(name, _)| name).chain(FILES.iter().map(|file| file.name));
        for name in named {
            assert!(commands.get_subcommands().any(|one| one.get_name() == name), "{name}");
        }
        let mut names: Vec<&str> = RUNS.iter().map(|&(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RUNS.len());
    }

    #[test]
    fn every_command_is_in_the_help_once() {
        let help = command().render_help().to_string();
        let all: usize = HEADINGS.iter().map(|(_, count)| count).sum();
        assert_eq!(all, Cli::command().get_subcommands().count());
        for command in Cli::command().get_subcommands() {
            let start = format!("  {} ", command.get_name());
            let lines = help.lines().filter(|line| line.starts_with(&start)).count();
            assert_eq!(lines, 1, "{}:\n{help}", command.get_name());
            assert!(command.get_about().is_some(), "{} has no description", command.get_name());
        }
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }

    #[test]
    fn arguments_of_another_command_have_a_tip() {
        for (words, expected) in [
            (&["match", "--elo"][..], Some("only a test has bounds and a verdict: harness sprt")),
            (&["match", "--expect"], Some("only a test has bounds and a verdict: harness sprt")),
            (&["sprt", "--book"], Some("the argument is --openings FILE")),
            (
                &["sprt", "--shard"],
                Some(
                    "a sequential test cannot be divided; `harness match --shard I/N` plays a part of a match",
                ),
            ),
            (&["spsa"], Some("`harness tune` tunes with SPSA")),
            (&["bench", "--elo"], None),
        ] {
            let error = command().try_get_matches_from([&["harness"], words].concat()).unwrap_err();
            let word = words.last().copied().unwrap_or_default();
            let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
            let named =
                kinds.into_iter().any(|kind| error.get(kind).is_some_and(|found| found.to_string() == word));
            assert!(named, "{words:?}: {error}");
            assert_eq!(tip(words[0], word), expected, "{words:?}");
        }
    }

    #[test]
    fn tip_replaces_the_guess_of_a_similar_argument() {
        let error = command().try_get_matches_from(["harness", "sprt", "--shard", "1/2"]).unwrap_err();
        let text = with_tip(&error.render().to_string(), "never");
        assert!(
            text.starts_with("error: unexpected argument '--shard' found\n\n  tip: never\n\nFor more "),
            "{text}"
        );
        assert!(!text.contains("--threads"), "{text}");
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
