//! `harness tune`: a tuning as a run of two stages, its games, and the test of its result.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::quick_tuning::QuickTuning;
use super::{Spsa, Tuning, UNTESTED, parameters, tune_report};
use crate::base::wording::counted;
use crate::config::{EngineConfig, FieldPath, Problem};
use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::play::matches::config::TuneConfig;
use crate::play::matches::setup::book_notices;
use crate::play::matches::{
    Equipment, Execution, GAMES, MatchConfig, MatchStudy, MatchSummary, OptionSource, RunKind, SelfPlay,
    match_stage, prepare,
};
use crate::play::openings::{OpeningBook, OpeningsConfig};
use crate::report::Report;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::{Stage, Staged, complete_stages};
use crate::run::stored::StoredRun;
use crate::run::{RunState, quick};

const HELP: &str = "\
Examples:
  harness tune ./engine --params spsa.txt --tc 8+0.08 -n 20000
  stretto tunables | grep Lmr >lmr.txt && harness tune stretto --set 'engines[0].args=[--lab]' --params lmr.txt --nodes 5000 -n 3200
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

/// Tunes numbers of an engine by self-play (SPSA); a section `sprt` tests the result.
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
    let prepared = prepare(RunKind::Tune, &run)?;
    let config = &prepared.loaded.config;
    // Validation guarantees the section.
    let tune = config.tune.clone().context("tune: section is missing")?;
    let parameters = parameters(&tune, &config.engines[0], &prepared.trials[0]);
    let parameters = parameters.map_err(|problem| prepared.session.source.complain(problem))?;
    check_test_start(config).map_err(|problem| prepared.session.source.complain(problem))?;
    let SelfPlay { config, execution, equipment, mut run, folder } =
        prepared.open_self_play(&BTreeMap::from([("parameters", &parameters)]))?;
    let tuning = Tuning::new(&tune, parameters, config.seed);
    run.notices.extend(tuning.step_notices());
    run.notices.extend(idle_notice(&tune, execution.concurrency));
    run.notices.extend(test_notices(&config, &equipment.book));
    complete_stages(&TuneRun::new(config, execution, tuning), &equipment, &run, &folder)
}

/// Returns a notice if more games may be played at once than an iteration has pairs: the next one needs their results.
fn idle_notice(tune: &TuneConfig, concurrency: usize) -> Option<String> {
    let pairs = tune.pairs.get();
    (pairs < concurrency as u64).then(|| {
        format!("at most {pairs} of {concurrency} games are played at once, the pairs of an iteration: see `pairs`")
    })
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

/// The folder of the test of the result.
const TEST: &str = "test";

/// The games that [`Tuning`] learns from, and the test of its result.
pub(crate) struct TuneRun {
    config: MatchConfig,
    execution: Execution,
    tuning: Arc<Tuning>,
}

/// The stages that have been played.
#[derive(Default)]
pub(crate) struct TuneResults {
    games: Option<MatchSummary>,
    test: Option<MatchSummary>,
}

/// The content of `summary.json`.
#[derive(Serialize)]
pub(crate) struct TuneSummary {
    state: RunState,
    iterations: u64,
    iterations_planned: u64,
    parameters: Vec<Tuned>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<MatchSummary>,
    /// Reason why a configured test was not played.
    #[serde(skip_serializing_if = "Option::is_none")]
    untested: Option<&'static str>,
    /// Engines of the games that ignore their limit; those of the test are in `test`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limit_violations: Vec<LimitViolation>,
}

/// One parameter of the summary.
#[derive(Serialize)]
struct Tuned {
    name: String,
    start: f64,
    result: f64,
}

impl TuneRun {
    /// Returns a tuning without games.
    pub(super) fn new(config: MatchConfig, execution: Execution, tuning: Tuning) -> Self {
        Self { config, execution, tuning: Arc::new(tuning) }
    }

    /// Returns the match of the tuned against the start values. `None` if no test is configured, or both
    /// sets of values are equal.
    fn test(&self) -> Option<MatchConfig> {
        let standing = self.tuning.standing();
        if standing.is_unmoved() {
            return None;
        }
        let engine = |name: &str, options| {
            let mut engine = EngineConfig { name: name.to_owned(), ..self.config.engines[0].clone() };
            engine.options.extend(options);
            engine
        };
        let engines = vec![engine("tuned", standing.options()), engine("start", standing.starting_options())];
        test_between(&self.config, engines)
    }

    /// Returns the reason why a configured test is not played.
    fn untested(&self, results: &TuneResults, standing: &Spsa) -> Option<&'static str> {
        let is_tuned = results.games.as_ref().is_some_and(|games| games.state == RunState::Finished);
        (is_tuned && self.config.sprt.is_some() && standing.is_unmoved()).then_some(UNTESTED)
    }
}

impl Staged for TuneRun {
    type Config = MatchConfig;
    type Kit = Equipment;
    type Results = TuneResults;
    type Summary = TuneSummary;

    fn rebuild(config: MatchConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let tune = config.tune.as_ref().context("its configuration has nothing to tune")?;
        let tuning = Tuning::new(tune, run.identity("parameters")?, config.seed);
        Ok(Self::new(config, Execution::recorded(run.manifest), tuning))
    }

    fn next(&self, results: &TuneResults) -> anyhow::Result<Option<Stage<'_, Self>>> {
        if results.games.is_none() {
            let games = MatchConfig { sprt: None, ..self.config.clone() };
            let source: Arc<dyn OptionSource> = Arc::<Tuning>::clone(&self.tuning);
            let study = MatchStudy::new(games, self.execution)?.with_options(source);
            let fold = |results: &mut TuneResults, games| results.games = Some(games);
            return Ok(Some(match_stage(GAMES, study, |kit| kit, fold)));
        }
        let Some(test) = self.test().filter(|_| results.test.is_none()) else { return Ok(None) };
        let study = MatchStudy::new(test, self.execution)?;
        let fold = |results: &mut TuneResults, test| results.test = Some(test);
        Ok(Some(match_stage(TEST, study, |kit| kit, fold)))
    }

    fn summarize(&self, results: &TuneResults, state: RunState) -> TuneSummary {
        let standing = self.tuning.standing();
        let parameters = standing.parameters.iter().zip(standing.result());
        let games = results.games.as_ref();
        TuneSummary {
            state,
            iterations: standing.done(),
            iterations_planned: standing.iterations(),
            parameters: parameters
                .map(|(parameter, result)| Tuned {
                    name: parameter.name.clone(),
                    start: parameter.start,
                    result,
                })
                .collect(),
            test: results.test.clone(),
            untested: self.untested(results, &standing),
            limit_violations: games.map(|games| games.limit_violations.clone()).unwrap_or_default(),
        }
    }

    fn report(&self, results: &TuneResults, _summary: &TuneSummary) -> Report {
        let played = [&results.games, &results.test].into_iter().flatten();
        let lines = violation_lines(played.flat_map(|summary| &summary.limit_violations));
        tune_report(&self.tuning.standing(), results.test.as_ref()).with_lines(&lines)
    }

    fn started(&self) -> Option<Value> {
        let standing = self.tuning.standing();
        Some(json!({
            "engine": self.config.single_engine(),
            "parameters": standing.parameters.len(),
            "iterations": standing.iterations(),
        }))
    }

    /// The result of the games is shown before its test begins.
    fn shown(&self, results: &TuneResults, report: &Report, _state: RunState) -> Option<String> {
        let untested = self.untested(results, &self.tuning.standing());
        Some(report.printed() + &untested.map(|why| format!("{why}\n")).unwrap_or_default())
    }

    fn depends_on_time(&self, _results: &TuneResults) -> bool {
        self.config.is_timed()
    }
}

/// Returns the test between two engines, with the openings that follow those of the tuning. `None` if
/// no test is configured.
pub(super) fn test_between(config: &MatchConfig, engines: Vec<EngineConfig>) -> Option<MatchConfig> {
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
pub(super) fn test_start(config: &MatchConfig) -> Option<u64> {
    config.openings.start.checked_add(tuning_openings(config))
}

/// Returns the number of openings that the tuning plays.
pub(super) fn tuning_openings(config: &MatchConfig) -> u64 {
    config.max_openings().unwrap_or(0)
}
