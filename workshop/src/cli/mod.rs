//! The commands of the workshop.

use std::process::ExitCode;
use std::sync::LazyLock;

use stretto_harness::cli::program::{Commands, Program};
use stretto_harness::cli::{program, report, runs, schema, shell, watch};
use stretto_harness::config::schema::FileKind;
use stretto_harness::run::command::RunArgs;
use stretto_harness::run::reporter::Reporter;

use crate::books::{command as book, opening_set};
use crate::claims::{ClaimsStudy, command as claims};
use crate::endgames::command as tb;
use crate::learn::datagen::{self, DatagenStudy};
use crate::learn::train::{self, TrainStudy};
use crate::{eval_error, tune_eval};

stretto_harness::commands! {
    "Books" {
        Book(book::BookArgs) => book::run,
        Openings(opening_set::command::OpeningsArgs) => opening_set::command::run_openings {
            file: opening_set::config::FILE;
        },
    }
    "Endgame tables" {
        Tb(tb::TbArgs) => tb::run,
    }
    "Networks" {
        /// Plays games of the engine against itself as training data for networks.
        #[command(after_help = datagen::command::HELP)]
        Datagen(RunArgs) => datagen::command::run {
            runs: "datagen" by Reporter::of::<DatagenStudy>(); file: datagen::config::FILE;
        },
        /// Trains an evaluation network on games written by `datagen`.
        #[command(after_help = train::command::HELP)]
        Train(RunArgs) => train::command::run {
            runs: "train" by Reporter::of::<TrainStudy>(); file: train::config::FILE;
        },
        Data(datagen::command::DataArgs) => datagen::command::data,
    }
    "Evaluation" {
        /// Fits the weights of the classical evaluation to games.
        ///
        /// Selects quiet positions from PGN files, fits the curve from evaluation to expected score and then all weights by gradient
        /// descent, and validates on games held out. Writes the weights as Rust source, and a summary.
        #[command(after_help = tune_eval::command::TUNE_EVAL_HELP)]
        TuneEval(RunArgs) => tune_eval::command::run_tune_eval {
            runs: "tune-eval" by Reporter::by(tune_eval::report_stored); file: tune_eval::config::FILE;
        },
        FitWdl(tune_eval::command::FitWdlArgs) => tune_eval::command::run_fit_wdl,
        EvalError(eval_error::command::EvalErrorArgs) => eval_error::command::run,
    }
    "Texts" {
        Claims(claims::ClaimsArgs) => claims::run { runs: "claims" by Reporter::of::<ClaimsStudy>(); },
    }
    "Runs" {
        Report(report::ReportArgs) => report::run: &RUNS,
        Watch(watch::WatchArgs) => watch::run: &RUNS,
        Runs(runs::RunsArgs) => runs::run,
    }
    "More" {
        Schema(schema::SchemaArgs) => schema::run: FILES,
        Completions(shell::CompletionsArgs) => shell::completions: command(),
        Man(shell::ManArgs) => shell::man: command(),
    }
}

/// The kinds of configuration file that the commands read.
const FILES: &[FileKind] = Command::FILES;

const PROGRAM: Program = Program {
    name: "workshop",
    about: "Opening books, endgame tables, networks, the evaluation tuner and the measured claims of Stretto",
    after_help: "`workshop COMMAND --help` explains a command with examples. Matches and measurements: `harness`.\n\n\
    Exit codes: 0 done; 1 could not run, or a condition failed; 2 bad usage or configuration;\n\
    3 interrupted, all saved.\n\n\
    Examples: workshop book info book.bin\n          \
    workshop tb generate KQvKR --out tables",
    tip: |command, word| {
        ((command, word) == ("data", "walk"))
            .then_some("removed after 0.2.0: games on top of it gained nothing")
    },
    hint: |_| None,
};

/// The reporters by kind of run, of both programs: their runs lie in one folder.
static RUNS: LazyLock<Vec<(&str, Reporter)>> =
    LazyLock::new(|| [stretto_harness::cli::RUNS, Command::RUNS].concat());

fn command() -> clap::Command {
    program::command::<Command>(&PROGRAM)
}

/// Runs the command line of this process. `commit` is the commit of the build, if known.
pub fn main(commit: Option<&str>) -> ExitCode {
    program::main::<Command>(&PROGRAM, commit)
}

#[cfg(test)]
mod fields;
#[cfg(test)]
mod tests;
