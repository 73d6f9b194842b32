//! The report of a stored screening.

use anyhow::Context;

use super::{Screening, screen_report};
use crate::play::matches::{MatchConfig, OptionSource, solo};
use crate::play::record::GameRecord;
use crate::run::RunState;
use crate::run::stored::{Reported, StoredRun};

/// Reports on a stored screening.
pub fn report_stored(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let config: MatchConfig = run.config()?;
    let screen = config.screen.as_ref().context("its configuration has nothing to judge")?;
    let screening = Screening::new(screen, run.identity("factors")?, config.seed);
    for game in &run.part_records::<GameRecord>(solo::GAMES)? {
        screening.count(game);
    }
    let (standing, planned) = (screening.standing(), config.max_pairs().unwrap_or(0));
    let state = if standing.pairs >= planned { RunState::Finished } else { RunState::Interrupted };
    Ok((state, screen_report(&standing, planned)))
}
