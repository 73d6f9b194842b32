//! The table of the commands, and the texts of the program.

use std::process::ExitCode;

use super::program::{self, Commands, Program};
use super::{builds, queue, report, runs, schema, shell, watch};
use crate::config::schema::FileKind;
use crate::measure::doctor::command as doctor;
use crate::measure::searches::SearchStudy;
use crate::measure::suite::{SuiteStudy, command as suite};
use crate::measure::{ablate, bench, equivalence, replay, smp};
use crate::play::matches::config::{MATCH_FILE, SCREEN_FILE, TUNE_FILE, stages as test_config};
use crate::play::matches::{MatchStudy, command as games, merge, stages};
use crate::play::openbench::command as openbench;
use crate::run::command::RunArgs;
use crate::run::reporter::Reporter;
use crate::tune::screen::run as screen;
use crate::tune::spsa::run as tune;

commands! {
    "Commands" {
        Sprt(games::SprtArgs) => games::run_sprt {
            runs: "sprt" by stages::REPORTER; file: test_config::FILE;
        },
        Match(games::MatchArgs) => games::run_match {
            runs: "match" by Reporter::of::<MatchStudy>(); file: MATCH_FILE;
        },
        Bench(bench::command::BenchArgs) => bench::command::run {
            runs: "bench" by Reporter::of::<SearchStudy<bench::Job>>(); file: bench::config::FILE;
        },
        Smp(smp::command::SmpArgs) => smp::command::run {
            runs: "smp" by Reporter::of::<SearchStudy<smp::Job>>(); file: smp::config::FILE;
        },
        Tune(tune::TuneArgs) => tune::run {
            runs: "tune" by Reporter::of_stages::<tune::TuneRun>(); file: TUNE_FILE;
        },
        Doctor(doctor::DoctorArgs) => doctor::run,
        Watch(watch::WatchArgs) => watch::run: RUNS,
        Report(report::ReportArgs) => report::run: RUNS,
        Replay(replay::ReplayArgs) => replay::run,
    }
    "More" {
        Suite(suite::SuiteArgs) => suite::run { runs: "suite" by Reporter::of::<SuiteStudy>(); },
        /// Measures the effect of each switch of an engine on nodes, time and (in games) Elo.
        #[command(after_help = ablate::command::HELP)]
        Ablate(RunArgs) => ablate::command::run {
            runs: "ablate" by Reporter::of_stages::<ablate::AblateRun>(); file: ablate::config::FILE;
        },
        /// Measures the node odds at which many threads play as strong as one thread.
        #[command(after_help = equivalence::command::HELP)]
        Equivalence(RunArgs) => equivalence::command::run {
            runs: "equivalence" by Reporter::of_stages::<equivalence::EquivalenceRun>(); file: equivalence::config::FILE;
        },
        /// Measures the Elo of many settings of an engine at once, from the same games.
        #[command(after_help = screen::HELP)]
        Screen(RunArgs) => screen::run {
            runs: "screen" by Reporter::of_stages::<screen::ScreenRun>(); file: SCREEN_FILE;
        },
        Queue(queue::QueueArgs) => queue::run: QUEUED,
        Merge(merge::MergeArgs) => merge::run,
        Runs(runs::RunsArgs) => runs::run,
        Builds(builds::BuildsArgs) => builds::run,
        #[command(name = "openbench")]
        OpenBench(openbench::OpenBenchArgs) => openbench::run,
        Schema(schema::SchemaArgs) => schema::run: FILES,
        Completions(shell::CompletionsArgs) => shell::completions: command(),
        Man(shell::ManArgs) => shell::man: command(),
    }
}

/// The kinds of configuration file that the commands read.
pub const FILES: &[FileKind] = Command::FILES;

/// The kinds of run that the commands keep, and what reports on them.
pub const RUNS: &[(&str, Reporter)] = Command::RUNS;

const PROGRAM: Program = Program {
    name: "harness",
    about: "Matches, SPRT tests, tuning and measurements for UCI chess engines",
    after_help: "`harness COMMAND --help` explains a command with examples. Configuration files: configs/README.md.\n\
    `workshop` has books, endgame tables, networks, the evaluation tuner and the claims.\n\n\
    Exit codes: 0 done; 1 could not run, or a condition such as --expect failed; 2 bad usage or\n\
    configuration; 3 interrupted, all saved; 125 `replay` failed in another way than recorded.\n\n\
    Examples: harness sprt ./dev ./base --tc 8+0.08 --elo 0 5\n          \
    harness sprt --dev my-branch --base main",
    tip,
    hint: |args| {
        let option = option_of_fastchess(args)?;
        Some(format!("`{option}` is an option of fastchess: put --from-fastchess before the first one"))
    },
};

/// The commands that may wait in a queue.
const QUEUED: queue::Commands = queue::Commands {
    parse: |words| {
        let (matches, command) = program::parse::<Command>(&PROGRAM, words)?;
        Ok((matches, Box::new(move || command.run())))
    },
    command,
    runs: RUNS,
};

fn command() -> clap::Command {
    program::command::<Command>(&PROGRAM)
}

/// Runs the command line of this process. `commit` is the commit of the build, if known.
pub fn main(commit: Option<&str>) -> ExitCode {
    program::main::<Command>(&PROGRAM, commit)
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
        ("runs", "prune") => {
            Some("delete the folder of a run to delete the run; `harness runs list` shows them")
        }
        ("ablate", "--measure-again") => Some("an ablation takes no searches from earlier runs"),
        (_, "regret" | "calibrate") => {
            Some("removed after 0.2.0: it replaced no games; 0.2.0 reports on its runs")
        }
        (_, "slow" | "instructions") => Some("now an example of the package stretto-harness"),
        _ => None,
    }
}

/// Returns the first option of fastchess in a command line that does not say so.
fn option_of_fastchess(args: &mut dyn Iterator<Item = String>) -> Option<String> {
    let args: Vec<String> = args.take_while(|arg| arg != "--from-fastchess").collect();
    args.into_iter()
        .find(|arg| matches!(arg.as_str(), "-engine" | "-each" | "-openings" | "-rounds" | "-sprt"))
}

#[cfg(test)]
mod tests {
    use clap::error::ContextKind;

    use super::*;
    use crate::base::programs::program_of;

    #[test]
    fn runs_and_files_are_named_after_their_command() {
        let commands = command();
        let named = Command::RUNS.iter().map(|&(name, _)| name).chain(FILES.iter().map(|file| file.name));
        for name in named {
            assert!(commands.get_subcommands().any(|one| one.get_name() == name), "{name}");
        }
        let mut names: Vec<&str> = Command::RUNS.iter().map(|&(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Command::RUNS.len());
    }

    #[test]
    fn commands_of_this_program_alone_are_known_as_its_own() {
        let commands = command();
        let names = commands.get_subcommands().map(clap::Command::get_name);
        let others: Vec<&str> = names.filter(|name| program_of(name) != Some("harness")).collect();
        assert_eq!(others, ["watch", "report", "runs", "completions", "man", "schema"]);
    }

    #[test]
    fn every_command_is_in_the_help_once() {
        let help = command().render_help().to_string();
        let all: usize = Command::HEADINGS.iter().map(|(_, count)| count).sum();
        assert_eq!(all, command().get_subcommands().count());
        for command in command().get_subcommands() {
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
        let text = program::with_tip(&error.render().to_string(), "never");
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
        let kinds = "match sprt bench smp suite ablate equivalence tune screen".split(' ');
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
