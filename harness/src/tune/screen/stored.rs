//! The report of a stored screening.

use anyhow::Context;

use super::{Screening, screen_report};
use crate::play::limit_check::violation_lines;
use crate::play::matches::{Execution, MatchConfig, MatchStudy, OptionSource, solo};
use crate::play::record::GameRecord;
use crate::run::RunState;
use crate::run::executor::review;
use crate::run::reporter::Reported;
use crate::run::stored::StoredRun;

/// Reports on a stored screening.
pub(crate) fn report_stored(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let config: MatchConfig = run.config()?;
    let screen = config.screen.as_ref().context("its configuration has nothing to judge")?;
    let screening = Screening::new(screen, run.identity("factors")?, config.seed);
    let games: Vec<GameRecord> = run.part_records(solo::GAMES)?;
    for game in &games {
        screening.count(game);
    }
    let all = MatchStudy::new(config.clone(), Execution::recorded(run.manifest))?;
    let lines = violation_lines(&review(&all, games).summary.limit_violations);
    let (standing, planned) = (screening.standing(), config.max_pairs().unwrap_or(0));
    let state = if standing.pairs >= planned { RunState::Finished } else { RunState::Interrupted };
    Ok((state, screen_report(&standing, planned).with_lines(&lines)))
}
