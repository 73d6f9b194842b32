//! The report of a stored ablation: its searches, and the matches in folders below it.

use super::{AblateConfig, Job, Variant, ablation_report, folder_of, settings_to_play};
use crate::measure::searches::SearchStudy;
use crate::play::limit_check::violation_lines;
use crate::play::matches::{Execution, MatchStudy};
use crate::run::RunState;
use crate::run::executor::{Study, review};
use crate::run::reporter::Reported;
use crate::run::stored::StoredRun;
use stretto_stats::summary::MatchStats;

/// Reports on a stored ablation.
pub(crate) fn report_stored(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let config: AblateConfig = run.config()?;
    let games = config.games.clone();
    let searches = SearchStudy::<Job>::rebuild(config, run)?;
    let job = &searches.measurement;
    let found = review(&searches, run.records()?);
    let mut state = found.state;
    let mut violations = found.summary.limit_violations.clone();
    let mut matches: Vec<(Variant, MatchStats)> = Vec::new();
    for (variant, config) in
        games.iter().flat_map(|games| settings_to_play(job, games, &found.summary.figures))
    {
        let folder = folder_of(&variant);
        let played = if run.journal(&folder).is_some() {
            let played = review(
                &MatchStudy::new(config, Execution::recorded(run.manifest))?,
                run.part_records(&folder)?,
            );
            Some((played.state, played.summary))
        } else {
            None
        };
        if played.as_ref().is_none_or(|(state, _)| *state != RunState::Finished) {
            state = RunState::Interrupted;
        }
        let Some((_, played)) = played else { continue };
        violations.extend(played.limit_violations);
        matches.extend(played.stats.map(|stats| (variant, stats)));
    }
    let lines = [violation_lines(&violations), found.summary.time_lines()].concat();
    let report = ablation_report(job, &found.summary.figures.with_games(&matches));
    Ok((state, report.with_lines(&lines)))
}
