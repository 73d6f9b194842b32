//! `harness screen`: a screening as a run of one stage, its games.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Screening, ScreeningStanding, factors, screen_report};
use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::play::matches::{
    Equipment, Execution, GAMES, MatchConfig, MatchStudy, MatchSummary, OptionSource, RepeatedPairs, RunKind,
    SelfPlay, match_stage, prepare,
};
use crate::report::Report;
use crate::run::RunState;
use crate::run::command::{Failure, RunArgs};
use crate::run::executor::{Stage, Staged, complete_stages};
use crate::run::stored::StoredRun;

pub(crate) const HELP: &str = "\
Examples:
  harness screen configs/screen/switches.yaml
  harness screen --resume results/runs/screen-20261123-120000-1a2b3c4d

The engine plays against itself. In each pair of games a random half of the settings is changed on one side and the other half on
the other side; the main effect of each setting in Elo is fitted to the scores of all pairs. Every game contributes to every
setting, so twenty settings take about as many games as one match. A setting is a switch to flip, or another value of any UCI
option, of any engine. Test what stands out with `harness sprt`: a main effect is a mean over the other settings.

A run is kept in results/runs/screen-<id>/: manifest.yaml, games/ with the journal, summary.json, report.md and report.html with
a bar for each setting. An interrupted or killed run is continued with --resume and gives the same result as an uninterrupted
one. With a configuration in which only `games` is larger, --resume makes it longer.";

/// Plays the missing games and writes the report.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let prepared = prepare(RunKind::Screen, args)?;
    let config = &prepared.loaded.config;
    // Validation guarantees the section.
    let screen = config.screen.clone().context("screen: section is missing")?;
    let factors = factors(&screen, &config.engines[0], &prepared.trials[0]);
    let factors = factors.map_err(|problem| prepared.session.source.complain(problem))?;
    let SelfPlay { config, execution, equipment, run, folder } =
        prepared.open_self_play(&BTreeMap::from([("factors", &factors)]))?;
    let screening = Screening::new(&screen, factors, config.seed);
    complete_stages(&ScreenRun::new(config, execution, screening), &equipment, &run, &folder)
}

/// A match of an engine against itself whose games [`Screening`] judges.
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
    #[serde(skip_serializing_if = "RepeatedPairs::is_none")]
    repeated: RepeatedPairs,
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
            repeated: games.as_ref().map(|games| games.repeated).unwrap_or_default(),
        }
    }

    fn report(&self, _games: &Option<MatchSummary>, summary: &ScreenSummary) -> Report {
        let lines = violation_lines(&summary.limit_violations).into_iter().chain(summary.repeated.text());
        screen_report(&summary.standing, summary.pairs_planned).with_lines(&lines.collect::<Vec<_>>())
    }

    fn started(&self) -> Option<Value> {
        let (engine, settings) = (self.config.single_engine(), self.screening.factors.len());
        Some(json!({ "engine": engine, "settings": settings, "pairs": self.pairs_planned() }))
    }

    fn depends_on_time(&self, _games: &Option<MatchSummary>) -> bool {
        self.config.is_timed()
    }
}
