//! A suite as an experiment of the executor: its tasks are the positions.

use anyhow::{Context, bail};

use super::state::{SuiteRun, SuiteState};
use super::summary::Summarizer;
use super::worker::solve;
use super::{Job, PositionRecord, Suite, SuiteConfig, SuiteError, SuiteSummary, suite_report};
use crate::base::cancel::Cancel;
use crate::play::limit_check::{Effort, LimitWatch, is_forced, limits_strength, violation_lines};
use crate::play::matches::Player;
use crate::report::Report;
use crate::run::executor::{ExecuteError, Experiment, Notice, Outbox, Stop, TaskList, Tasks};
use crate::run::stored::StoredRun;
use crate::run::{RunFolder, RunState, StoreError};
use crate::uci::{Launcher, ReportedScore};

impl Experiment for SuiteRun {
    const ITEM: &'static str = "position";

    type Config = SuiteConfig;
    type Task = usize;
    type Record = PositionRecord;
    type Worker<'a> = Player<'a>;
    type State = SuiteState;
    type Files = ();
    type Summary = SuiteSummary;
    type Error = SuiteError;

    fn rebuild(config: SuiteConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let limit = config.limit_positions.map(std::num::NonZero::get);
        let suite = Suite::load(&config.files, limit).context("cannot load the positions")?;
        let id_name = run.id_names().pop().unwrap_or_default();
        let (launcher, cancel) = (Launcher::of_this_binary(), Cancel::new());
        let suite_run = Self::new(Job { config, id_name, suite, launcher, cancel }, None, false);
        if let Some(other) = run.records::<PositionRecord>()?.iter().find(|record| !suite_run.is_ours(record))
        {
            bail!("{}:{} has changed since the run: restore the file", other.file, other.line);
        }
        Ok(suite_run)
    }

    fn cancel(&self) -> &Cancel {
        &self.job.cancel
    }

    fn workers(&self) -> usize {
        self.job.config.concurrency
    }

    fn state(&self) -> SuiteState {
        let engine = &self.job.config.engine;
        let limits = LimitWatch::new([(engine.name.clone(), engine.limits)]);
        SuiteState { summarizer: Summarizer::new(&self.job), done: Vec::new(), limits }
    }

    fn check(&self, _state: &SuiteState, record: &PositionRecord) -> Result<(), String> {
        if self.is_ours(record) {
            Ok(())
        } else {
            Err(format!("position {} does not belong to this suite", record.index))
        }
    }

    fn files(&self, _folder: &RunFolder) -> Result<(), StoreError> {
        Ok(())
    }

    fn tasks(&self, state: &SuiteState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.job.suite.tasks.len(), done))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> Result<Player<'_>, ExecuteError<SuiteError>> {
        Ok(Player::new(&self.job.config.engine, self.stamp, &self.setup))
    }

    fn perform<'a>(
        &'a self,
        player: &mut Player<'a>,
        index: usize,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<SuiteError>> {
        let (record, evidence) = solve(self, player, index, outbox)?;
        outbox.send(record, (), evidence)
    }

    fn retire(&self, mut player: Player<'_>) {
        player.quit();
    }

    fn take(&self, state: &mut SuiteState, record: &PositionRecord) -> bool {
        state.summarizer.add(record);
        if record.fault.is_none() {
            let is_mate = matches!(record.score, Some(ReportedScore::Mate(_)));
            let may_stop_early = is_mate
                || limits_strength(&self.job.config.engine)
                || is_forced(&record.fen, self.job.suite.variant);
            let effort = Effort { nodes: record.nodes, time_us: record.time_us, may_stop_early };
            state.limits.add([(0, effort)]);
        }
        state.done.push(record.clone());
        false
    }

    fn inspect(&self, state: &SuiteState, _record: &PositionRecord) -> Vec<Notice> {
        state.limits.notices()
    }

    fn is_finished(&self, state: &SuiteState) -> bool {
        state.done.len() >= self.job.suite.tasks.len()
    }

    fn summarize(&self, state: &SuiteState, run: RunState) -> SuiteSummary {
        SuiteSummary { limit_violations: state.limits.violations(), ..state.summarizer.summary(run) }
    }

    fn report(&self, _state: &SuiteState, summary: &SuiteSummary) -> Report {
        suite_report(summary).with_lines(&violation_lines(&summary.limit_violations))
    }
}
