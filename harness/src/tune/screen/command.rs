//! `harness screen`.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::run::ScreenRun;
use crate::play::matches::self_play::{SelfPlay, prepare};
use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};
use crate::run::args::print_config;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::complete_stages;
use crate::tune::screen::{Factor, Screening, factors};

const HELP: &str = "\
Examples:
  harness screen configs/screen/switches.yaml
  harness screen --resume results/runs/screen-20261123-120000-1a2b3c4d

The engine plays against itself. In each pair of games a random half of the settings is changed on one side and the other half on
the other side; the main effect of each setting in Elo is fitted to the scores of all pairs. Every game contributes to every
setting, so twenty settings take about as many games as one match. A setting is a switch to flip, or another value of any UCI
option, of any engine. Test what stands out with `harness sprt`: a main effect is a mean over the other settings.

A run is kept in results/runs/screen-<id>/: manifest.yaml, games/ with the journal, summary.json, report.md and report.html with
a bar for each setting. An interrupted or killed run is continued with --resume and gives the same result as an uninterrupted
one. With a configuration in which only `games` is larger, --resume makes it longer.";

/// Part of the run's identity beyond its match.
#[derive(Serialize)]
struct Settings<'a> {
    factors: &'a [Factor],
}

/// Measures the Elo of many settings of an engine at once, from the same games.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ScreenArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Print the configuration with --set applied, and play nothing.
    #[arg(long, conflicts_with = "resume")]
    print_config: bool,
}

/// Plays the missing games and writes the report.
pub(crate) fn run(args: &ScreenArgs) -> Result<ExitCode, Failure> {
    if args.print_config {
        let execution = ExecutionArgs { concurrency: args.run.concurrency, ..ExecutionArgs::default() };
        return print_config(&args.run, |source| LoadedMatch::load(source, RunKind::Screen, execution));
    }
    let prepared = prepare(RunKind::Screen, &args.run)?;
    let config = &prepared.loaded.config;
    let Some(screen) = config.screen.clone() else {
        // Validation guarantees the section.
        return Err(Failure::Usage("screen: section is missing".to_owned()));
    };
    let factors = factors(&screen, &config.engines[0], prepared.declared());
    let factors = factors.map_err(|problem| prepared.complain(problem))?;
    let SelfPlay { config, execution, equipment, run, folder } =
        prepared.open_self_play(&Settings { factors: &factors })?;
    let screening = Screening::new(&screen, factors, config.seed);
    complete_stages(&ScreenRun::new(config, execution, screening), &equipment, &run, &folder)
}
