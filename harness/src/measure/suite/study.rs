//! A suite as far as it reports: its records are solved positions.

use anyhow::{Context, bail};

use super::summary::summarize;
use super::{PositionRecord, Suite, SuiteConfig, SuiteSummary, suite_report};
use crate::play::limit_check::{Effort, LimitWatch, is_forced, limits_strength, violation_lines};
use crate::report::Report;
use crate::run::RunState;
use crate::run::executor::Study;
use crate::run::stored::StoredRun;
use crate::uci::ReportedScore;

/// The positions of a suite and the engine that solves them.
#[derive(Debug)]
pub(crate) struct SuiteStudy {
    /// The engine with its limit, and the timeouts.
    pub config: SuiteConfig,
    /// Name of the engine by `id name`.
    pub id_name: String,
    /// The positions to solve.
    pub suite: Suite,
}

/// The positions so far.
#[derive(Debug)]
pub(crate) struct SuiteState {
    /// Finished positions, in the order of completion.
    pub(super) done: Vec<PositionRecord>,
    /// Whether the engine keeps to its limit.
    pub(super) limits: LimitWatch,
}

impl SuiteStudy {
    pub(super) fn is_ours(&self, record: &PositionRecord) -> bool {
        let task = usize::try_from(record.index).ok().and_then(|index| self.suite.tasks.get(index));
        task.is_some_and(|task| (task.line, &task.fen) == (record.line, &record.fen))
    }
}

impl Study for SuiteStudy {
    type Config = SuiteConfig;
    type Record = PositionRecord;
    type State = SuiteState;
    type Summary = SuiteSummary;

    fn rebuild(config: SuiteConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let limit = config.limit_positions.map(std::num::NonZero::get);
        let suite = Suite::load(&config.files, limit).context("cannot load the positions")?;
        let study = Self { config, id_name: run.id_names().pop().unwrap_or_default(), suite };
        if let Some(other) = run.records::<PositionRecord>()?.iter().find(|record| !study.is_ours(record)) {
            bail!("{}:{} has changed since the run: restore the file", other.file, other.line);
        }
        Ok(study)
    }

    fn state(&self) -> SuiteState {
        let engine = &self.config.engine;
        SuiteState { done: Vec::new(), limits: LimitWatch::new([(engine.name.clone(), engine.limits)]) }
    }

    fn check(&self, _state: &SuiteState, record: &PositionRecord) -> Result<(), String> {
        let refusal = || format!("position {} does not belong to this suite", record.index);
        self.is_ours(record).then_some(()).ok_or_else(refusal)
    }

    fn take(&self, state: &mut SuiteState, record: &PositionRecord) -> bool {
        if record.fault.is_none() {
            let is_mate = matches!(record.score, Some(ReportedScore::Mate(_)));
            let may_stop_early =
                is_mate || limits_strength(&self.config.engine) || is_forced(&record.fen, self.suite.variant);
            let effort = Effort { nodes: record.nodes, time_us: record.time_us, may_stop_early };
            state.limits.add([(0, effort)]);
        }
        state.done.push(record.clone());
        false
    }

    fn is_finished(&self, state: &SuiteState) -> bool {
        state.done.len() >= self.suite.tasks.len()
    }

    fn summarize(&self, state: &SuiteState, run: RunState) -> SuiteSummary {
        SuiteSummary {
            id_name: self.id_name.clone(),
            limit_violations: state.limits.violations(),
            ..summarize(&self.config, &self.suite, &state.done, run)
        }
    }

    fn report(&self, _state: &SuiteState, summary: &SuiteSummary) -> Report {
        suite_report(summary).with_lines(&violation_lines(&summary.limit_violations))
    }
}
