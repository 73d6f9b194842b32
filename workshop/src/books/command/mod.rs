//! `workshop book`.

mod check;
mod common;
mod games;
mod inspect;
mod merge;
pub(in crate::books) mod meter;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use stretto_harness::run::command::Failure;

const HELP: &str = "\
Examples:
  workshop book make games.pgn --out book.bin --max-ply 40
  workshop book merge white.bin black.bin --out both.bin
  workshop book info book.bin
  workshop book dump book.bin --color white --max-ply 12
  workshop book learn book.bin results/runs/match-20261122-120000-1a2b3c4d --player stretto
  workshop book vet book.bin --nodes 50000 --margin 60 --prune sound.bin

Books are in the Polyglot format, which most engines and GUIs read. Stretto uses one with the options OwnBook and Book File.
Files are replaced atomically.";

/// Makes, merges, inspects, trains and checks opening books.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, Subcommand)]
enum BookCommand {
    /// Make a book from the moves of games.
    #[command(after_help = games::MAKE_HELP)]
    Make(games::MakeArgs),
    /// Merge several books into one.
    #[command(after_help = merge::HELP)]
    Merge(merge::MergeArgs),
    /// Print the contents of a book and its problems.
    #[command(after_help = inspect::INFO_HELP)]
    Info(inspect::InfoArgs),
    /// Print the lines of a book.
    #[command(after_help = inspect::DUMP_HELP)]
    Dump(inspect::DumpArgs),
    /// Update the learned results of a book from games.
    #[command(after_help = games::LEARN_HELP)]
    Learn(games::LearnArgs),
    /// List, or remove, the book moves that the engine's search rejects.
    #[command(after_help = check::HELP)]
    Vet(check::VetArgs),
}

/// Runs a subcommand of `workshop book`.
pub(crate) fn run(args: &BookArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        BookCommand::Make(args) => games::make(args),
        BookCommand::Merge(args) => merge::run(args),
        BookCommand::Info(args) => inspect::info(args),
        BookCommand::Dump(args) => inspect::dump(args),
        BookCommand::Learn(args) => games::learn(args),
        BookCommand::Vet(args) => check::run(args),
    }?;
    Ok(ExitCode::SUCCESS)
}
