//! The frame of a command line: arguments in, exit code out. The harness and the workshop share it.
//!
//! Exit codes: 0 done; 1 could not run, or a condition such as `--expect` failed; 2 bad usage or
//! configuration; 3 interrupted with everything saved; 125 in `replay`, another failure than recorded.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::base::programs;
use crate::base::wording::argument_message;
use crate::config::schema::FileKind;
use crate::run::check;
use crate::run::command::{Failure, arguments, fail};
use crate::run::console::{Verbosity, set_verbosity, unprinted};
use crate::run::reporter::Reporter;

/// Declares the commands of a program under the headings of its help: the variant, its arguments, and the
/// function that runs it. A command whose runs are kept adds `runs`, the function that reports on a
/// stored run; one that reads a configuration file adds `file`. A value after `:` is passed on to the function, such as
/// all kinds of runs.
///
/// A new command is one entry. Its description is the doc comment of the entry or of its arguments.
#[macro_export]
macro_rules! commands {
    ($($heading:literal { $(
        $(#[$attribute:meta])* $variant:ident($args:ty) => $run:path
        $({ $(runs: $name:literal by $reporter:expr;)? $(file: $file:expr;)? })? $(: $with:expr)?,
    )+ })+) => {
        #[derive(Debug, ::clap::Subcommand)]
        enum Command {
            $($($(#[$attribute])* $variant($args),)+)+
        }

        impl $crate::cli::program::Commands for Command {
            const HEADINGS: &[(&str, usize)] = &[$(($heading, [$(stringify!($variant)),+].len())),+];
            const RUNS: &[(&str, $crate::run::reporter::Reporter)] = &[$($($($(($name, $reporter),)?)?)+)+];
            const FILES: &[$crate::config::schema::FileKind] = &[$($($($($file,)?)?)+)+];

            fn run(&self) -> Result<::std::process::ExitCode, $crate::run::command::Failure> {
                match self {
                    $($(Self::$variant(args) => $run(args $(, $with)?),)+)+
                }
            }
        }
    };
}

/// The commands of a program; [`commands!`](crate::commands) declares them.
pub trait Commands: Subcommand {
    /// The headings of the help, each with its number of commands, in the order of the variants.
    const HEADINGS: &[(&str, usize)];
    /// The kinds of run that are kept, as in their manifests, and what reports on them.
    const RUNS: &[(&str, Reporter)];
    /// The kinds of configuration file.
    const FILES: &[FileKind];

    /// Runs the command of the arguments and returns the exit code.
    fn run(&self) -> Result<ExitCode, Failure>;
}

/// The texts of a program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name of the program, such as `harness`.
    pub name: &'static str,
    /// First line of its help.
    pub about: &'static str,
    /// End of its help.
    pub after_help: &'static str,
    /// Returns advice on an unknown argument (second word) of a command (first word), or on an unknown command (twice).
    pub tip: fn(&str, &str) -> Option<&'static str>,
    /// Returns what to say in place of an error in these arguments, if something says it better.
    pub hint: fn(&mut dyn Iterator<Item = String>) -> Option<String>,
}

/// The arguments of every program.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli<C: Subcommand> {
    /// Print only the result and errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more progress: every game, and a line per second.
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: C,
}

/// Builds the command line, with the commands under their headings in its help.
pub fn command<C: Commands>(program: &Program) -> clap::Command {
    let kinds = PossibleValuesParser::new(C::FILES.iter().map(|file| file.name));
    let command = Cli::<C>::command().name(program.name).about(program.about).after_help(program.after_help);
    let command =
        command.mut_subcommand("schema", |one| one.mut_arg("kind", |kind| kind.value_parser(kinds)));
    let template = help_template::<C>(&command);
    let command = command.help_template(template);
    if program.name == "harness" { command } else { with_examples_of(command, program.name) }
}

/// Names this program in the examples of commands that the harness has too.
fn with_examples_of(command: clap::Command, program: &str) -> clap::Command {
    let help =
        command.get_after_help().map(|help| help.to_string().replace("  harness ", &format!("  {program} ")));
    let command = match help {
        Some(help) if programs::program_of(command.get_name()).is_none() => {
            command.after_help(help.replace("Example: harness", &format!("Example: {program}")))
        }
        _ => command,
    };
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |one| with_examples_of(one, program)))
}

/// Builds the template of the help, because clap has no headings for commands.
fn help_template<C: Commands>(command: &clap::Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let mut commands = command.get_subcommands();
    let width = command.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    for &(heading, count) in C::HEADINGS {
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
fn refuse(error: &clap::Error, program: &Program) -> ExitCode {
    if error.use_stderr() {
        let is_colored = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let text = error.render();
        let text = if is_colored { text.ansi().to_string() } else { text.to_string() };
        let text = match tip_for(error, program) {
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
pub(super) fn with_tip(text: &str, tip: &str) -> String {
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
fn tip_for(error: &clap::Error, program: &Program) -> Option<&'static str> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    (program.tip)(&arguments().find(|arg| !arg.starts_with('-'))?, word)
}

/// The commands with subcommands of their own.
const GROUPS: [&str; 4] = ["book", "tb", "data", "schema"];

/// Returns the sentence on a command that the other program has.
fn elsewhere(program: &Program, args: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = args.skip_while(|arg| arg.starts_with('-')).take(2).collect();
    let first = words.first()?.as_str();
    let second = words.get(1).filter(|word| GROUPS.contains(&first) && !word.starts_with('-'));
    let command = second.filter(|_| first == "schema").map_or(first, String::as_str);
    let other = programs::program_of(command)?;
    let called = second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"));
    (other != program.name).then(|| format!("moved: `{other} {called}`"))
}

/// Parses a command line of the program, without its name. Errors: the message of the parser.
pub(super) fn parse<C: Commands>(program: &Program, words: &[String]) -> Result<(ArgMatches, C), String> {
    let words = std::iter::once(program.name).chain(words.iter().map(String::as_str));
    let matches = command::<C>(program).try_get_matches_from(words);
    let parsed = matches.and_then(|matches| Ok((Cli::<C>::from_arg_matches(&matches)?.command, matches)));
    parsed.map(|(command, matches)| (matches, command)).map_err(|error| {
        let text = argument_message(&error.render().to_string());
        text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned()
    })
}

/// Runs the command line of this process. `commit` is the commit of the build, if known.
pub fn main<C: Commands>(program: &Program, commit: Option<&str>) -> ExitCode {
    check::register(|kind, source| {
        let file = C::FILES.iter().find(|file| file.name == kind);
        file.map_or(Ok(()), |file| (file.check)(source))
    });
    // Leaked once per process, since clap wants text that lives as long.
    let matches = command::<C>(program).long_version(&*version(commit).leak()).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::<C>::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let message = if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::InvalidValue) {
                elsewhere(program, arguments())
            } else {
                None
            };
            return match message.or_else(|| (program.hint)(&mut arguments())) {
                Some(message) if error.use_stderr() => fail(2, &message),
                _ => refuse(&error, program),
            };
        }
    };
    set_verbosity(match (cli.quiet, cli.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    });
    match cli.command.run() {
        Ok(code) => unprinted().map_or(code, |error| fail(1, &format!("cannot write to stdout: {error}"))),
        Err(Failure::Run(error)) => fail(1, &format!("{error:#}")),
        Err(Failure::Config(error)) => fail(2, &error),
        Err(Failure::Usage(error)) => fail(2, &error),
        Err(Failure::Interrupted) => ExitCode::from(3),
        // Only a queue asks for a check, and takes its result.
        Err(Failure::Checked(_) | Failure::Printed) => ExitCode::SUCCESS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_of_the_other_program_is_named() {
        let said = |name: &'static str, words: &str| {
            let program = Program { name, about: "", after_help: "", tip: |_, _| None, hint: |_| None };
            elsewhere(&program, words.split(' ').map(str::to_owned))
        };
        assert_eq!(
            said("harness", "tb generate KQK --out x").as_deref(),
            Some("moved: `workshop tb generate`")
        );
        assert_eq!(said("harness", "-q claims --json").as_deref(), Some("moved: `workshop claims`"));
        assert_eq!(said("workshop", "match a.yaml").as_deref(), Some("moved: `harness match`"));
        assert_eq!(said("harness", "schema train").as_deref(), Some("moved: `workshop schema train`"));
        assert_eq!(said("harness", "schema sprt"), None);
        assert_eq!(said("workshop", "tb generate"), None);
        assert_eq!(said("harness", "regret a.yaml"), None);
    }
}
