//! A suite that is solved: its tasks are the positions.

use std::sync::Arc;

use super::study::{SuiteState, SuiteStudy};
use super::worker::solve;
use super::{Baseline, Comparison, PositionRecord, SuiteError, setup};
use crate::base::cancel::Cancel;
use crate::base::system::files::FileStamp;
use crate::pool::{Player, Setup};
use crate::run::executor::{ExecuteError, Notice, OutboxOf, Play, Stop, TaskList, Tasks};
use crate::run::{RunFolder, StoreError};
use crate::uci::Launcher;

/// The positions of a suite with the engine that solves them.
#[derive(Debug)]
pub(crate) struct SuitePlay {
    pub(super) study: SuiteStudy,
    setup: Arc<Setup>,
    /// Stamp of the executable at the start of the run.
    stamp: Option<FileStamp>,
    /// Another run to compare with.
    baseline: Option<Baseline>,
    /// Whether the positions that were not solved are listed at the end.
    pub(super) lists_unsolved: bool,
}

impl SuitePlay {
    /// Prepares the positions of a suite.
    pub(crate) fn new(
        study: SuiteStudy,
        launcher: &Launcher,
        cancel: &Cancel,
        baseline: Option<Baseline>,
        lists_unsolved: bool,
    ) -> Self {
        let setup = Arc::new(setup(&study.config, &study.suite, launcher, cancel));
        let stamp = FileStamp::of(&study.config.engine.program);
        Self { study, setup, stamp, baseline, lists_unsolved }
    }

    /// Compares with the other run, if there is one.
    pub(super) fn comparison(&self, state: &SuiteState) -> Option<Comparison> {
        self.baseline.as_ref().map(|baseline| baseline.compare(&state.done))
    }
}

impl Play for SuitePlay {
    const ITEM: &'static str = "position";

    type Study = SuiteStudy;
    type Task = usize;
    type Worker<'a> = Player<'a>;
    type Files = ();
    type Error = SuiteError;

    fn study(&self) -> &SuiteStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.setup.cancel
    }

    fn workers(&self) -> usize {
        self.study.config.concurrency
    }

    fn files(&self, _folder: &RunFolder) -> Result<(), StoreError> {
        Ok(())
    }

    fn tasks(&self, state: &SuiteState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.study.suite.tasks.len(), done))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> Result<Player<'_>, ExecuteError<SuiteError>> {
        Ok(Player::new(&self.study.config.engine, self.stamp, &self.setup))
    }

    fn perform<'a>(
        &'a self,
        player: &mut Player<'a>,
        index: usize,
        outbox: &OutboxOf<'_, Self>,
    ) -> Result<(), Stop<SuiteError>> {
        let (record, evidence) = solve(&self.study, player, index, outbox)?;
        outbox.send(record, (), evidence)
    }

    fn retire(&self, mut player: Player<'_>) {
        player.quit();
    }

    fn inspect(&self, state: &SuiteState, _record: &PositionRecord) -> Vec<Notice> {
        state.limits.notices()
    }
}
