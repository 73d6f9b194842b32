//! `harness tune`.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::quick_tuning::QuickTuning;
use super::run::{TuneRun, test_between, test_start, tuning_openings};
use crate::base::wording::counted;
use crate::config::{FieldPath, Problem};
use crate::play::matches::self_play::{SelfPlay, prepare};
use crate::play::matches::setup::book_notices;
use crate::play::matches::{ExecutionArgs, LoadedMatch, MatchConfig, RunKind};
use crate::play::openings::{OpeningBook, OpeningsConfig};
use crate::run::command::{Failure, RunArgs, print};
use crate::run::executor::complete_stages;
use crate::run::quick;
use crate::tune::spsa::gradient::Parameter;
use crate::tune::spsa::{Tuning, parameters};

const HELP: &str = "\
Examples:
  harness tune ./engine --params spsa.txt --tc 8+0.08 -n 20000
  stretto --lab tunables | grep Lmr >lmr.txt && harness tune stretto --set 'engines[0].args=[--lab]' --params lmr.txt --nodes 5000 -n 3200
  harness tune configs/tune/margins.yaml
  harness tune --resume results/runs/tune-20261121-120000-1a2b3c4d

Simultaneous perturbation stochastic approximation (SPSA): the engine plays against itself with all parameters shifted one way
against all shifted the other way, and each parameter moves towards the side that scores better. Every UCI option of type spin
can be tuned, of any engine. With a section `sprt` the result is then tested against the start values, unless both are equal
after rounding. The test begins with the openings that follow those of the tuning.

--params takes the lines that engines print for OpenBench (name, int, start, min, max, c_end, r_end) or fishtest (name,start,min,max,
c_end,r_end). The result is printed in the same form: all lines, and the changed ones alone (`harness report RUN --format openbench`
prints them later, --changed only those). c_end is the perturbation (`step` in a configuration) and r_end the learning rate (`rate`) in
the last iteration. Without --set, the other settings of SPSA are those of both servers (A ratio 0.1, alpha 0.602, gamma 0.101).

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
#[command(after_help = HELP, mut_arg("config", quick::with_engines))]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    quick: QuickTuning,
}

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode, Failure> {
    let run = args.quick.prepare(&args.run)?;
    if args.quick.print_config {
        let source = run.made_source()?;
        // Only what can be played is printed.
        LoadedMatch::load(&source, RunKind::Tune, ExecutionArgs::default())?;
        print(source.text());
        return Ok(ExitCode::SUCCESS);
    }
    let prepared = prepare(RunKind::Tune, &run)?;
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
