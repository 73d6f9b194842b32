//! `harness tune`.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::run::{TuneRun, test_between, test_start, tuning_openings};
use crate::base::wording::counted;
use crate::config::{FieldPath, Problem};
use crate::play::matches::setup::book_notices;
use crate::play::matches::{MatchConfig, RunKind, SelfPlay, prepare};
use crate::play::openings::{OpeningBook, OpeningsConfig};
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::complete_stages;
use crate::tune::spsa::gradient::Parameter;
use crate::tune::spsa::{Tuning, parameters};

const HELP: &str = "\
Examples:
  harness tune configs/tune/margins.yaml
  harness tune --resume results/runs/tune-20261121-120000-1a2b3c4d

Simultaneous perturbation stochastic approximation (SPSA): the engine plays against itself with all parameters shifted one way
against all shifted the other way, and each parameter moves towards the side that scores better. Every UCI option of type spin
can be tuned, of any engine. With a section `sprt` the result is then tested against the start values, unless both are equal
after rounding. The test begins with the openings that follow those of the tuning.

A run is kept in results/runs/tune-<id>/: manifest.yaml, games/ and test/ with a journal each, summary.json (the parameters),
report.md and report.html with the path of each parameter. An interrupted or killed run is continued with --resume and gives the
same values as an uninterrupted one.";

/// Part of the run's identity beyond its match.
#[derive(Serialize)]
struct Settings<'a> {
    parameters: &'a [Parameter],
}

/// Tunes numbers of an engine by self-play (SPSA) and tests the result.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    run: RunArgs,
}

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode, Failure> {
    let prepared = prepare(RunKind::Tune, &args.run)?;
    let config = &prepared.loaded.config;
    let Some(tune) = config.tune.clone() else {
        // Validation guarantees the section.
        return Err(Failure::Usage("tune: section is missing".to_owned()));
    };
    let parameters = parameters(&tune, &config.engines[0], prepared.declared());
    let parameters = parameters.map_err(|problem| prepared.complain(problem))?;
    check_test_start(config).map_err(|problem| prepared.complain(problem))?;
    let SelfPlay { config, execution, equipment, mut run, folder } =
        prepared.open_self_play(&Settings { parameters: &parameters })?;
    let tuning = Tuning::new(&tune, parameters, config.seed);
    run.notices.extend(tuning.step_notices());
    run.notices.extend(test_notices(&config, &equipment.book));
    complete_stages(&TuneRun::new(config, execution, tuning), &equipment, &run, &folder)
}

/// Rejects a start of the openings after which those of the test cannot be counted.
fn check_test_start(config: &MatchConfig) -> Result<(), Problem> {
    if config.sprt.is_none() || test_start(config).is_some() {
        return Ok(());
    }
    let most = u64::MAX - tuning_openings(config);
    let message = format!("{}: expected at most {most}", config.openings.start);
    Err(Problem::new(FieldPath::root().key("openings").key("start"), message))
}

/// Returns the notices on openings that the test shares with the tuning or plays more than once.
fn test_notices(config: &MatchConfig, book: &OpeningBook) -> Vec<String> {
    let Some(test) = test_between(config, config.engines.clone()) else { return Vec::new() };
    let unused = (book.len() as u64).saturating_sub(tuning_openings(config));
    let mut notices = Vec::new();
    if test.max_openings().is_none_or(|most| most > unused) {
        notices.push(format!(
            "{} has {}, of which the tuning leaves {unused} unused; further pairs repeat openings of the tuning",
            config.openings.file.display(),
            counted(book.len(), "opening")
        ));
    }
    // The notice on a start after the end of the book would repeat that of the tuning.
    let openings = OpeningsConfig { start: 0, ..test.openings.clone() };
    notices.extend(book_notices(&MatchConfig { openings, ..test }, book));
    notices.iter().map(|notice| format!("test of the result: {notice}")).collect()
}
