//! `harness equivalence`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::config::FieldPath;
use crate::measure::equivalence;
use crate::measure::equivalence::{EquivalenceConfig, EquivalenceSummary, equivalence_report};
use crate::play::matches::parts::Parts;
use crate::play::matches::setup::{book_notices, load_book, machine_notices, untried};
use crate::run::command::{Failure, RunArgs, say};
use crate::run::print_config::print_config;
use crate::run::session::{KeptRun, Session};
use crate::run::{FilesBefore, Identity, RunEngines, RunFiles, RunFolder, RunState};
use crate::uci::Launcher;

/// The kind of run, as in the names of run folders.
const KIND: &str = "equivalence";

const HELP: &str = "\
Examples:
  harness equivalence configs/equivalence/threads-2.yaml
  harness equivalence --resume results/runs/equivalence-20261121-120000-1a2b3c4d

The engine plays against itself with one thread, at each number of threads and with several multiples of its nodes, counted over
all threads. A line fitted to the Elo of these matches gives the multiple at which both are equally strong, and from it the
speedup if all threads ran at full speed.

A run is kept in results/runs/equivalence-<id>/: manifest.yaml, a folder per match with journal.jsonl, games.pgn and
summary.json, and for all of them summary.json, report.md and report.html. An interrupted or killed run is continued with
--resume and plays exactly the missing games.";

/// Returns the identity of a measurement.
fn identity<'a>(
    config: &'a EquivalenceConfig,
    id_name: &str,
    before: &FilesBefore,
) -> std::io::Result<Identity<&'a EquivalenceConfig>> {
    let engines = RunEngines::one(&config.engine, id_name, before)?;
    Ok(Identity::new(config, engines, RunFiles::of_openings(&config.any_match().openings.file)?))
}

/// Measures the node odds at which many threads play as strong as one thread.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct EquivalenceArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Print the configuration with --set applied, and play nothing.
    #[arg(long, conflicts_with = "resume")]
    print_config: bool,
}

pub(crate) fn run(args: &EquivalenceArgs) -> Result<ExitCode, Failure> {
    if args.print_config {
        return print_config(&args.run, |source| EquivalenceConfig::load(source, args.run.concurrency));
    }
    let session = Session::begin(KIND, &args.run)?;
    let (config, execution) = EquivalenceConfig::load(&session.source, session.set_concurrency())?;
    let game = config.any_match();
    let book = load_book(&game.openings, game.variant, &FieldPath::root(), &session.source)?;
    let (launcher, cancel) = (Launcher::of_this_binary(), session.cancel.clone());
    let before = FilesBefore::of([&config.engine]);
    let (id_name, warnings) = equivalence::trial(&config, &launcher, &cancel)
        .map_err(|error| untried(error, &session.source, "interrupted before the first game"))?;
    let identity = identity(&config, &id_name, &before);
    let (mut run, folder) = session.open(identity, execution.concurrency, warnings)?;
    run.notices.extend(book_notices(game, &book));
    run.notices.extend(machine_notices(config.largest_match(), execution.concurrency));
    run.notices.iter().for_each(|notice| say(notice));
    let (tables, cpu_sets) = (None, Vec::new());
    let parts = Parts { folder: &folder, run: &run, execution, book, launcher, tables, cpu_sets, cancel };
    measure(&config, &run, &folder, &parts)
}

/// Plays the matches and ends the run.
fn measure(
    config: &EquivalenceConfig,
    run: &KeptRun,
    folder: &RunFolder,
    parts: &Parts<'_>,
) -> Result<ExitCode, Failure> {
    run.emit_start(json!({ "engine": config.engine.name, "matches": config.cells.len() }));
    let mut summary = EquivalenceSummary::of(config, &[], RunState::Running);
    if !folder.path().join("report.md").exists() {
        // Lists of runs show its title.
        run.write_report(equivalence_report(config, &summary))?;
    }
    let played = play(config, folder, parts, &mut summary);
    if played.is_err() {
        summary.state = RunState::Failed;
        // The error of the run comes first: its cause may refuse the summary too.
        let _ = folder.write_summary(&summary);
    }
    run.emit_end(&played, &summary);
    if matches!(played, Ok(RunState::Finished)) {
        run.show(&equivalence_report(config, &summary).printed());
    }
    // All games are played to a number of nodes: other load changes no result.
    run.conclude(played)
}

/// Plays the matches one after the other, and writes summary and report after each.
fn play(
    config: &EquivalenceConfig,
    folder: &RunFolder,
    parts: &Parts<'_>,
    summary: &mut EquivalenceSummary,
) -> Result<RunState, Failure> {
    let mut matches = Vec::new();
    for cell in &config.cells {
        let played = parts.play(&cell.folder(), &cell.config)?;
        let state = match (played.state, matches.len() + 1 == config.cells.len()) {
            (RunState::Finished, false) => RunState::Running,
            (state, _) => state,
        };
        matches.push(played);
        *summary = EquivalenceSummary::of(config, &matches, state);
        folder.write_summary(summary).map_err(anyhow::Error::from)?;
        parts.run.write_report(equivalence_report(config, summary))?;
        if !matches!(state, RunState::Finished | RunState::Running) {
            return Ok(state);
        }
    }
    Ok(RunState::Finished)
}
