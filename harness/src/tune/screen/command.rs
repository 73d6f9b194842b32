//! `harness screen`.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::play::matches::solo::{Solo, SoloRun};
use crate::play::matches::{ExecutionArgs, LoadedMatch, OptionSource, RunKind};
use crate::run::RunState;
use crate::run::command::{Failure, RunArgs};
use crate::run::print_config::print_config;
use crate::tune::screen::{Factor, Screening, ScreeningStanding, factors, screen_report};

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

/// The content of `summary.json`.
#[derive(Serialize)]
struct Outcome<'a> {
    state: RunState,
    pairs_planned: u64,
    #[serde(flatten)]
    standing: &'a ScreeningStanding,
    #[serde(skip_serializing_if = "<[LimitViolation]>::is_empty")]
    limit_violations: &'a [LimitViolation],
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
    let solo = Solo::begin(RunKind::Screen, &args.run)?;
    let Some(screen) = solo.config.screen.clone() else {
        // Validation guarantees the section.
        return Err(Failure::Usage("screen: section is missing".to_owned()));
    };
    let factors = factors(&screen, &solo.config.engines[0], solo.declared());
    let factors = factors.map_err(|problem| solo.complain(problem))?;
    let solo = solo.open(&Settings { factors: &factors })?;
    let screening = Arc::new(Screening::new(&screen, factors, solo.config.seed));
    play(&solo, &screening)
}

/// Plays the missing games, writes summary and report, and ends the run.
fn play(solo: &SoloRun, screening: &Arc<Screening>) -> Result<ExitCode, Failure> {
    let SoloRun { config, run, folder, .. } = solo;
    let pairs_planned = config.max_pairs().unwrap_or(0);
    let settings = screening.factors().len();
    run.emit_start(json!({ "engine": config.single_engine(), "settings": settings, "pairs": pairs_planned }));
    let source: Arc<dyn OptionSource> = Arc::<Screening>::clone(screening);
    let played = solo.play(config, source);
    let limit_violations =
        played.as_ref().map(|summary| summary.limit_violations.clone()).unwrap_or_default();
    let played = played.map(|summary| summary.state);
    let standing = screening.standing();
    let outcome = Outcome {
        state: *played.as_ref().unwrap_or(&RunState::Failed),
        pairs_planned,
        standing: &standing,
        limit_violations: &limit_violations,
    };
    let report = || {
        folder.write_summary(&outcome).map_err(anyhow::Error::from)?;
        let report = screen_report(&standing, pairs_planned);
        run.report(report.with_lines(&violation_lines(&limit_violations)))
    };
    let reported = report();
    if config.is_timed() {
        run.report_disturbance();
    }
    run.emit_end(&played, &outcome);
    run.conclude(played.and_then(|state| reported.map(|()| state)))
}
