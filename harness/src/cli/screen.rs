//! `harness screen`.

use std::process::ExitCode;
use std::sync::Arc;

use serde::Serialize;

use super::session::write_json;
use super::solo::{Solo, SoloRun};
use super::{Failure, RunArgs};
use crate::config::RunKind;
use crate::report::screen_report;
use crate::runner::{Dealer, RunState};
use crate::screening::{Factor, Screening, ScreeningStanding, factors};

pub(super) const HELP: &str = "\
Examples:
  harness screen configs/screen/switches.yaml
  harness screen --resume results/runs/screen-20261123-120000-1a2b3c4d

The engine plays against itself, in each pair of games with another half of the settings against the other half, and the worth of
each setting in Elo is fitted to the points of all pairs. Every game says something of every setting, so twenty are judged by
the games that one would take in a match of its own. Settings are switches to be turned, or options of any sort with another
value, of any engine. What stands out deserves a test of its own (harness sprt): the worth of a setting is its mean over the
others turned and not.

A run is kept in results/runs/screen-<id>/: manifest.yaml, games/ with the journal (the truth), summary.json, report.md and
report.html with a bar for each setting. An interrupted or killed run is continued with --resume and comes to the same as if it had not
been; with a file in which only `games` is larger it becomes longer.";

/// What makes a screening another one, besides the match it is.
#[derive(Serialize)]
struct Settings<'a> {
    factors: &'a [Factor],
}

/// What `summary.json` keeps.
#[derive(Serialize)]
struct Outcome<'a> {
    state: RunState,
    pairs_planned: u64,
    #[serde(flatten)]
    standing: &'a ScreeningStanding,
}

/// Plays what is missing, and says what the games say.
pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let solo = Solo::begin(RunKind::Screen, args)?;
    let Some(screen) = solo.config.screen.clone() else {
        // The configuration was checked to have it.
        return Err(Failure::Usage("nothing to judge".to_owned()));
    };
    let factors = factors(&screen, &solo.config.engines[0], solo.declared());
    let factors = factors.map_err(|problem| solo.complain(problem))?;
    let solo = solo.open(&Settings { factors: &factors })?;
    let screening = Arc::new(Screening::new(&screen, factors, solo.config.seed));
    play(&solo, &screening)
}

fn play(solo: &SoloRun, screening: &Arc<Screening>) -> Result<ExitCode, Failure> {
    let SoloRun { config, run, folder, .. } = solo;
    let dealer: Arc<dyn Dealer> = Arc::<Screening>::clone(screening);
    let state = solo.play(config, dealer, || screening.standing().line())?.state;
    let standing = screening.standing();
    let pairs_planned = config.max_pairs().unwrap_or(0);
    write_json(&folder.summary(), &Outcome { state, pairs_planned, standing: &standing })?;
    run.report(&screen_report(&standing, pairs_planned))?;
    run.end(state)
}
