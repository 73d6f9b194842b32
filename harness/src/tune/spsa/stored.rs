//! The report of a stored tuning: its games, and the test of its result.

use anyhow::Context;

use super::command::{TEST, limit_lines, test_of};
use super::{Tuning, tune_report};
use crate::play::matches::{Execution, MatchConfig, MatchStudy, OptionSource, solo};
use crate::play::record::GameRecord;
use crate::run::RunState;
use crate::run::executor::review;
use crate::run::reporter::Reported;
use crate::run::stored::StoredRun;

/// Reports on a stored tuning.
pub(crate) fn report_stored(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let config: MatchConfig = run.config()?;
    let tune = config.tune.as_ref().context("its configuration has nothing to tune")?;
    let tuning = Tuning::new(tune, run.identity("parameters")?, config.seed);
    let games: Vec<GameRecord> = run.part_records(solo::GAMES)?;
    for game in &games {
        tuning.count(game);
    }
    let execution = Execution::recorded(run.manifest);
    let all = MatchStudy::new(MatchConfig { sprt: None, ..config.clone() }, execution)?;
    let all = review(&all, games).summary;
    let standing = tuning.standing();
    let is_tuned = standing.done() == standing.iterations;
    let test = test_of(&config, &standing).filter(|_| is_tuned);
    let has_test = test.is_some();
    let played = match test.filter(|_| run.journal(TEST).is_some()) {
        Some(test) => Some(review(&MatchStudy::new(test, execution)?, run.part_records(TEST)?).summary),
        None => None,
    };
    let is_tested = played.as_ref().is_some_and(|played| played.state == RunState::Finished);
    let is_whole = is_tuned && (!has_test || is_tested);
    let state = if is_whole { RunState::Finished } else { RunState::Interrupted };
    let lines = limit_lines(&all, played.as_ref());
    Ok((state, tune_report(&standing, played.as_ref()).with_lines(&lines)))
}
