//! A screening as a run of one stage, its games.

use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Screening, ScreeningStanding, screen_report};
use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::play::matches::{
    Equipment, Execution, GAMES, MatchConfig, MatchStudy, MatchSummary, OptionSource, match_stage,
};
use crate::report::Report;
use crate::run::RunState;
use crate::run::executor::{Stage, Staged};
use crate::run::stored::StoredRun;

/// A screening.
pub(crate) struct ScreenRun {
    config: MatchConfig,
    execution: Execution,
    screening: Arc<Screening>,
}

/// The content of `summary.json`.
#[derive(Serialize)]
pub(crate) struct ScreenSummary {
    state: RunState,
    pairs_planned: u64,
    #[serde(flatten)]
    standing: ScreeningStanding,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limit_violations: Vec<LimitViolation>,
}

impl ScreenRun {
    /// Returns a screening without games.
    pub(super) fn new(config: MatchConfig, execution: Execution, screening: Screening) -> Self {
        Self { config, execution, screening: Arc::new(screening) }
    }

    fn pairs_planned(&self) -> u64 {
        self.config.max_pairs().unwrap_or(0)
    }
}

impl Staged for ScreenRun {
    type Config = MatchConfig;
    type Kit = Equipment;
    /// The summary of the games, once there is one.
    type Results = Option<MatchSummary>;
    type Summary = ScreenSummary;

    fn rebuild(config: MatchConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let screen = config.screen.as_ref().context("its configuration has nothing to judge")?;
        let screening = Screening::new(screen, run.identity("factors")?, config.seed);
        Ok(Self::new(config, Execution::recorded(run.manifest), screening))
    }

    fn begin(&self) -> Option<MatchSummary> {
        None
    }

    fn next(&self, games: &Option<MatchSummary>) -> anyhow::Result<Option<Stage<'_, Self>>> {
        if games.is_some() {
            return Ok(None);
        }
        let source: Arc<dyn OptionSource> = Arc::<Screening>::clone(&self.screening);
        let study = MatchStudy::new(self.config.clone(), self.execution)?.with_options(source);
        Ok(Some(match_stage(GAMES, study, |kit| kit, |games, summary| *games = Some(summary))))
    }

    fn summarize(&self, games: &Option<MatchSummary>, state: RunState) -> ScreenSummary {
        ScreenSummary {
            state,
            pairs_planned: self.pairs_planned(),
            standing: self.screening.standing(),
            limit_violations: games.as_ref().map(|games| games.limit_violations.clone()).unwrap_or_default(),
        }
    }

    fn report(&self, _games: &Option<MatchSummary>, summary: &ScreenSummary) -> Report {
        screen_report(&summary.standing, summary.pairs_planned)
            .with_lines(&violation_lines(&summary.limit_violations))
    }

    fn started(&self) -> Option<Value> {
        let (engine, settings) = (self.config.single_engine(), self.screening.factors().len());
        Some(json!({ "engine": engine, "settings": settings, "pairs": self.pairs_planned() }))
    }

    fn depends_on_time(&self, _games: &Option<MatchSummary>) -> bool {
        self.config.is_timed()
    }
}
