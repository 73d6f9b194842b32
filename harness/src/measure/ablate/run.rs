//! An ablation as a run of stages: its searches, then a match for each setting that they choose.

use serde_json::Value;

use super::{
    AblateConfig, AblateGames, Ablation, Job, Variant, ablation_report, folder_of, settings_to_play,
};
use crate::measure::searches::{Measurement, Plan, SearchPlay, SearchStudy, SearchSummary};
use crate::play::matches::stage::match_stage;
use crate::play::matches::{Equipment, Execution, MatchConfig, MatchStudy, MatchSummary};
use crate::report::Report;
use crate::run::RunState;
use crate::run::executor::{Stage, Staged, Study};
use crate::run::stored::StoredRun;

/// The searches of an ablation, and the matches after them.
pub(crate) struct AblateRun {
    pub(super) job: Job,
    pub(super) games: Option<AblateGames>,
    /// Number of logical CPUs that the searches may use.
    pub(super) processors: usize,
    /// The execution of the matches.
    pub(super) execution: Execution,
}

/// Resources for searches and matches.
pub(crate) struct AblateKit {
    pub(super) plan: Plan,
    pub(super) equipment: Equipment,
}

/// The results of the stages so far.
pub(crate) struct AblateResults {
    searched: SearchSummary<Ablation>,
    is_searched: bool,
    /// Summaries of the matches played so far, in the order of the settings.
    played: Vec<MatchSummary>,
}

impl AblateRun {
    fn searches(&self) -> SearchStudy<Job> {
        SearchStudy::new(self.job.clone(), self.processors)
    }

    /// Returns the settings to play with their matches. Requires the results of all searches.
    fn settings(&self, searched: &SearchSummary<Ablation>) -> Vec<(Variant, MatchConfig)> {
        let games = self.games.as_ref();
        games.map(|games| settings_to_play(&self.job, games, &searched.figures)).unwrap_or_default()
    }
}

impl Staged for AblateRun {
    type Config = AblateConfig;
    type Kit = AblateKit;
    type Results = AblateResults;
    type Summary = SearchSummary<Ablation>;

    fn rebuild(config: AblateConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let games = config.games.clone();
        let (processors, execution) = (run.manifest.host.cores, Execution::recorded(run.manifest));
        Ok(Self { job: Job::rebuild(config, run)?, games, processors, execution })
    }

    fn begin(&self) -> AblateResults {
        let study = self.searches();
        let searched = study.summarize(&study.state(), RunState::Interrupted);
        AblateResults { searched, is_searched: false, played: Vec::new() }
    }

    fn next(&self, results: &AblateResults) -> anyhow::Result<Option<Stage<'_, Self>>> {
        let AblateResults { searched, is_searched, played } = results;
        if !is_searched {
            let equip = |study, kit: &AblateKit| SearchPlay::new(study, kit.plan.clone());
            let fold = |results: &mut AblateResults, searched| {
                (results.searched, results.is_searched) = (searched, true);
            };
            return Ok(Some(Stage::new::<SearchPlay<Job>>(None, self.searches(), equip, fold)));
        }
        let Some((variant, config)) = self.settings(searched).into_iter().nth(played.len()) else {
            return Ok(None);
        };
        let study = MatchStudy::new(config, self.execution)?;
        let fold = |results: &mut AblateResults, summary| results.played.push(summary);
        Ok(Some(match_stage(&folder_of(&variant), study, |kit: &AblateKit| &kit.equipment, fold)))
    }

    fn summarize(&self, results: &AblateResults, state: RunState) -> SearchSummary<Ablation> {
        let AblateResults { searched, played, .. } = results;
        let matches: Vec<_> = self
            .settings(searched)
            .into_iter()
            .zip(played)
            .filter_map(|((variant, _), summary)| Some((variant, summary.stats?)))
            .collect();
        let mut summary = searched.clone();
        summary.figures = Ablation { state, ..summary.figures.with_games(&matches) };
        summary.limit_violations.extend(played.iter().flat_map(|played| played.limit_violations.clone()));
        summary
    }

    fn report(&self, _results: &AblateResults, summary: &SearchSummary<Ablation>) -> Report {
        ablation_report(&self.job, &summary.figures).with_lines(&summary.lines())
    }

    fn started(&self) -> Option<Value> {
        None
    }

    /// The searches report on their times themselves.
    fn depends_on_time(&self, results: &AblateResults) -> bool {
        let is_timed = self.games.as_ref().is_some_and(|games| games.config.is_timed());
        is_timed && results.searched.figures.state == RunState::Running
    }
}
