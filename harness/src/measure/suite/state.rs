//! A suite run and its state, shared by the experiment, its workers and the display.

use std::sync::Arc;

use super::summary::Summarizer;
use super::{Baseline, Comparison, Job, PositionRecord, setup};
use crate::base::system::files::FileStamp;
use crate::play::limit_check::LimitWatch;
use crate::play::matches::Setup;

/// The positions of a suite and the engine that solves them.
#[derive(Debug)]
pub(crate) struct SuiteRun {
    pub(super) job: Job,
    pub(super) setup: Arc<Setup>,
    /// Stamp of the executable at the start of the run.
    pub(super) stamp: Option<FileStamp>,
    /// Another run to compare with.
    pub(super) baseline: Option<Baseline>,
    /// Whether the positions that were not solved are listed at the end.
    pub(super) lists_unsolved: bool,
}

/// The positions so far.
#[derive(Debug)]
pub(crate) struct SuiteState {
    pub(super) summarizer: Summarizer,
    /// Finished positions, in the order of completion.
    pub(super) done: Vec<PositionRecord>,
    /// Whether the engine keeps to its limit.
    pub(super) limits: LimitWatch,
}

impl SuiteRun {
    /// Prepares the positions of `job`.
    pub(crate) fn new(job: Job, baseline: Option<Baseline>, lists_unsolved: bool) -> Self {
        let setup = Arc::new(setup(&job.config, &job.suite, &job.launcher, &job.cancel));
        let stamp = FileStamp::of(&job.config.engine.program);
        Self { job, setup, stamp, baseline, lists_unsolved }
    }

    /// Compares with the other run, if there is one.
    pub(super) fn comparison(&self, state: &SuiteState) -> Option<Comparison> {
        self.baseline.as_ref().map(|baseline| baseline.compare(&state.done))
    }

    pub(super) fn is_ours(&self, record: &PositionRecord) -> bool {
        let task = usize::try_from(record.index).ok().and_then(|index| self.job.suite.tasks.get(index));
        task.is_some_and(|task| (task.line, &task.fen) == (record.line, &record.fen))
    }
}
