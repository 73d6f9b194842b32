//! The report of a stored measurement: the matches in folders below it.

use super::{EquivalenceConfig, EquivalenceSummary, equivalence_report};
use crate::play::matches::{Execution, MatchStudy};
use crate::run::RunState;
use crate::run::executor::review;
use crate::run::reporter::Reported;
use crate::run::stored::StoredRun;

/// Reports on a stored measurement of node factors.
pub(crate) fn report_stored(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let config: EquivalenceConfig = run.config()?;
    let mut matches = Vec::new();
    for cell in &config.cells {
        let folder = cell.folder();
        if run.journal(&folder).is_some() {
            let execution = Execution::recorded(run.manifest);
            let stored = MatchStudy::new(cell.config.clone(), execution)?;
            matches.push(review(&stored, run.part_records(&folder)?).summary);
        }
    }
    let is_whole = matches.len() == config.cells.len()
        && matches.iter().all(|summary| summary.state == RunState::Finished);
    let state = if is_whole { RunState::Finished } else { RunState::Interrupted };
    let summary = EquivalenceSummary::of(&config, &matches, state);
    Ok((state, equivalence_report(&config, &summary)))
}
