//! `harness tune`.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::base::wording::counted;
use crate::config::{EngineConfig, FieldPath, Problem};
use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::play::matches::setup::book_notices;
use crate::play::matches::solo::{Solo, SoloRun};
use crate::play::matches::{MatchConfig, MatchSummary, OptionSource, RunKind};
use crate::play::openings::{OpeningBook, OpeningsConfig};
use crate::run::command::{Failure, RunArgs, say};
use crate::run::session::KeptRun;
use crate::run::{RunFolder, RunState};
use crate::tune::spsa::gradient::Parameter;
use crate::tune::spsa::{Tuning, TuningStanding, UNTESTED, parameters, tune_report};

/// The folder of the test of the result.
pub(crate) const TEST: &str = "test";

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

/// The content of `summary.json`.
#[derive(Serialize)]
struct Outcome<'a> {
    state: RunState,
    iterations: u64,
    iterations_planned: u64,
    parameters: Vec<Tuned<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a MatchSummary>,
    /// Reason why a configured test was not played.
    #[serde(skip_serializing_if = "Option::is_none")]
    untested: Option<&'static str>,
    /// Engines of the games that ignore their limit; those of the test are in `test`.
    #[serde(skip_serializing_if = "<[LimitViolation]>::is_empty")]
    limit_violations: &'a [LimitViolation],
}

/// One parameter of the outcome.
#[derive(Serialize)]
struct Tuned<'a> {
    name: &'a str,
    start: f64,
    result: f64,
}

/// Tunes numbers of an engine by self-play (SPSA) and tests the result.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    run: RunArgs,
}

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode, Failure> {
    let solo = Solo::begin(RunKind::Tune, &args.run)?;
    let Some(tune) = solo.config.tune.clone() else {
        // Validation guarantees the section.
        return Err(Failure::Usage("tune: section is missing".to_owned()));
    };
    let parameters = parameters(&tune, &solo.config.engines[0], solo.declared());
    let parameters = parameters.map_err(|problem| solo.complain(problem))?;
    check_test_start(&solo.config).map_err(|problem| solo.complain(problem))?;
    let mut solo = solo.open(&Settings { parameters: &parameters })?;
    let tuning = Arc::new(Tuning::new(&tune, parameters, solo.config.seed));
    let mut notices = tuning.step_notices();
    notices.extend(test_notices(&solo.config, &solo.book));
    for notice in &notices {
        say(notice);
    }
    solo.run.notices.extend(notices);
    play(&solo, &tuning)
}

/// The parts of a run that have been played.
#[derive(Default)]
struct Played {
    games: Option<MatchSummary>,
    test: Option<MatchSummary>,
    /// Reason why a configured test was not played.
    untested: Option<&'static str>,
}

/// Plays the missing games and ends the run.
fn play(solo: &SoloRun, tuning: &Arc<Tuning>) -> Result<ExitCode, Failure> {
    let SoloRun { config, run, .. } = solo;
    let standing = tuning.standing();
    run.emit_start(json!({
        "engine": config.single_engine(),
        "parameters": standing.parameters.len(),
        "iterations": standing.iterations,
    }));
    let mut played = Played::default();
    let ended = play_all(solo, tuning, &mut played);
    if config.is_timed() {
        run.report_disturbance();
    }
    let state = *ended.as_ref().unwrap_or(&RunState::Failed);
    run.emit_end(&ended, &Outcome::of(&tuning.standing(), &played, state));
    run.conclude(ended)
}

/// Plays the missing games of the tuning, then those of the test, and writes the report after each.
fn play_all(solo: &SoloRun, tuning: &Arc<Tuning>, played: &mut Played) -> Result<RunState, Failure> {
    let SoloRun { config, run, folder, .. } = solo;
    let games = MatchConfig { sprt: None, ..config.clone() };
    let source: Arc<dyn OptionSource> = Arc::<Tuning>::clone(tuning);
    let mut state = played.games.insert(solo.play(&games, source)?).state;
    let standing = tuning.standing();
    let is_tuned = state == RunState::Finished;
    let test = test_of(config, &standing).filter(|_| is_tuned);
    played.untested = (is_tuned && config.sprt.is_some() && standing.is_unmoved()).then_some(UNTESTED);
    // The run is finished once its test is.
    report(folder, run, &standing, played, if test.is_some() { RunState::Running } else { state })?;
    if let Some(why) = played.untested {
        run.show(&format!("{why}\n"));
    }
    if let Some(test) = test {
        state = played.test.insert(solo.parts().play(TEST, &test)?).state;
        report(folder, run, &standing, played, state)?;
    }
    Ok(state)
}

impl<'a> Outcome<'a> {
    fn of(standing: &'a TuningStanding, played: &'a Played, state: RunState) -> Self {
        let parameters = standing.parameters.iter().zip(&standing.result);
        Self {
            state,
            iterations: standing.done(),
            iterations_planned: standing.iterations,
            parameters: parameters
                .map(|(parameter, &result)| Tuned { name: &parameter.name, start: parameter.start, result })
                .collect(),
            test: played.test.as_ref(),
            untested: played.untested,
            limit_violations: played.games.as_ref().map_or(&[][..], |games| &games.limit_violations),
        }
    }
}

fn report(
    folder: &RunFolder,
    run: &KeptRun,
    standing: &TuningStanding,
    played: &Played,
    state: RunState,
) -> Result<(), Failure> {
    folder.write_summary(&Outcome::of(standing, played, state)).map_err(anyhow::Error::from)?;
    let test = played.test.as_ref();
    let lines = played.games.as_ref().map(|games| limit_lines(games, test)).unwrap_or_default();
    run.report(tune_report(standing, test).with_lines(&lines))
}

/// Returns the lines on engines that ignore their limit, in the games or in the test.
pub(crate) fn limit_lines(played: &MatchSummary, test: Option<&MatchSummary>) -> Vec<String> {
    violation_lines([Some(played), test].into_iter().flatten().flat_map(|summary| &summary.limit_violations))
}

/// Returns the match of the tuned against the start values. `None` if no test is configured, or both
/// sets of values are equal.
pub(crate) fn test_of(config: &MatchConfig, standing: &TuningStanding) -> Option<MatchConfig> {
    if standing.is_unmoved() {
        return None;
    }
    let engine = |name: &str, options| {
        let mut engine = EngineConfig { name: name.to_owned(), ..config.engines[0].clone() };
        engine.options.extend(options);
        engine
    };
    let (tuned, start) = (standing.options(), standing.starting_options());
    test_between(config, vec![engine("tuned", tuned), engine("start", start)])
}

/// Returns the test between two engines, with the openings that follow those of the tuning. `None` if
/// no test is configured.
fn test_between(config: &MatchConfig, engines: Vec<EngineConfig>) -> Option<MatchConfig> {
    let sprt = config.sprt?;
    let start = test_start(config).unwrap_or(config.openings.start);
    Some(MatchConfig {
        kind: RunKind::Sprt,
        engines,
        openings: OpeningsConfig { start, ..config.openings.clone() },
        sprt: Some(sprt),
        tune: None,
        games: sprt.max_games,
        ..config.clone()
    })
}

/// Returns the number of openings before the first one of the test; `None` if it is too large.
fn test_start(config: &MatchConfig) -> Option<u64> {
    config.openings.start.checked_add(tuning_openings(config))
}

/// Returns the number of openings that the tuning plays.
fn tuning_openings(config: &MatchConfig) -> u64 {
    config.max_openings().unwrap_or(0)
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
