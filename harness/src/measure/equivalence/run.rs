//! A measurement of node factors as a run of stages: a match for each cell.

use serde_json::{Value, json};

use super::{EquivalenceConfig, EquivalenceSummary, equivalence_report};
use crate::play::matches::match_stage;
use crate::play::matches::{Equipment, Execution, MatchStudy, MatchSummary};
use crate::report::Report;
use crate::run::RunState;
use crate::run::executor::{Stage, Staged};
use crate::run::stored::StoredRun;

/// A measurement of node factors.
pub(crate) struct EquivalenceRun {
    pub(super) config: EquivalenceConfig,
    pub(super) execution: Execution,
}

impl Staged for EquivalenceRun {
    type Config = EquivalenceConfig;
    type Kit = Equipment;
    /// The summaries of the first matches.
    type Results = Vec<MatchSummary>;
    type Summary = EquivalenceSummary;

    fn rebuild(config: EquivalenceConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self { config, execution: Execution::recorded(run.manifest) })
    }

    fn begin(&self) -> Vec<MatchSummary> {
        Vec::new()
    }

    fn next(&self, matches: &Vec<MatchSummary>) -> anyhow::Result<Option<Stage<'_, Self>>> {
        let Some(cell) = self.config.cells.get(matches.len()) else { return Ok(None) };
        let study = MatchStudy::new(cell.config.clone(), self.execution)?;
        Ok(Some(match_stage(&cell.folder(), study, |kit| kit, Vec::push)))
    }

    fn summarize(&self, matches: &Vec<MatchSummary>, state: RunState) -> EquivalenceSummary {
        EquivalenceSummary::of(&self.config, matches, state)
    }

    fn report(&self, _matches: &Vec<MatchSummary>, summary: &EquivalenceSummary) -> Report {
        equivalence_report(&self.config, summary)
    }

    fn started(&self) -> Option<Value> {
        let EquivalenceConfig { engine, cells, .. } = &self.config;
        Some(json!({ "engine": engine.name, "matches": cells.len() }))
    }

    fn shown(&self, _matches: &Vec<MatchSummary>, report: &Report, state: RunState) -> Option<String> {
        (state == RunState::Finished).then(|| report.printed())
    }

    /// All games are played to a number of nodes: other load changes no result.
    fn depends_on_time(&self, _matches: &Vec<MatchSummary>) -> bool {
        false
    }
}
