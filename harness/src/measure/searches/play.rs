//! A measurement that is carried out: its tasks are the numbers of a `Grid`.

use std::sync::Arc;

use super::disturbance::DisturbanceMeter;
use super::measurement::Measurement;
use super::study::{SearchState, SearchStudy};
use super::worker::{EnginePool, measure};
use super::{Plan, SearchRecord, SearchesError};
use crate::base::cancel::Cancel;
use crate::base::system::files::FileStamp;
use crate::pool::Setup;
use crate::run::executor::{ExecuteError, Notice, OutboxOf, Play, Stop, TaskList, Tasks};
use crate::run::{RunFolder, StoreError};

/// The searches of a measurement with the engines that do them.
pub(crate) struct SearchPlay<M> {
    pub(super) study: SearchStudy<M>,
    pub(super) plan: Plan,
    setup: Arc<Setup>,
    /// Stamps of the executables at the start of the run.
    stamps: Vec<Option<FileStamp>>,
    /// Measures steal time and other load, if times are compared.
    meter: Option<DisturbanceMeter>,
}

impl<M: Measurement> SearchPlay<M> {
    /// Prepares the searches of `plan`.
    pub(crate) fn new(study: SearchStudy<M>, plan: Plan) -> Self {
        let stamps = plan.engines.iter().map(|engine| FileStamp::of(&engine.program)).collect();
        // In lockstep one thread runs at a time, and times mean nothing.
        let is_timed = plan.config.times && plan.engines.iter().any(|engine| engine.lockstep().is_none());
        let meter = is_timed.then(DisturbanceMeter::default);
        Self { study, setup: Arc::new(plan.setup()), plan, stamps, meter }
    }
}

impl<M: Measurement> Play for SearchPlay<M> {
    const ITEM: &'static str = "search";
    // A summary reads all searches, which would disturb those under way.
    const LIVE_SUMMARY: bool = false;

    type Study = SearchStudy<M>;
    type Task = usize;
    type Worker<'a>
        = Vec<EnginePool<'a>>
    where
        M: 'a;
    type Files = ();
    type Error = SearchesError;

    fn study(&self) -> &SearchStudy<M> {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.plan.cancel
    }

    fn workers(&self) -> usize {
        self.plan.config.concurrency
    }

    fn files(&self, _folder: &RunFolder) -> Result<(), StoreError> {
        Ok(())
    }

    fn tasks(&self, state: &SearchState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.study.grid.searches(), done))
    }

    fn worker(
        &self,
        _place: usize,
        _folder: &RunFolder,
    ) -> Result<Vec<EnginePool<'_>>, ExecuteError<SearchesError>> {
        if let Some(meter) = &self.meter {
            meter.begin();
        }
        let engines = self.plan.engines.iter().zip(&self.stamps);
        Ok(engines.map(|(config, &stamp)| EnginePool::new(config, stamp, &self.setup)).collect())
    }

    fn perform<'a>(
        &'a self,
        pools: &mut Vec<EnginePool<'a>>,
        index: usize,
        outbox: &OutboxOf<'_, Self>,
    ) -> Result<(), Stop<SearchesError>> {
        let engine = self.study.grid.search(index).engine;
        let record = measure(&self.plan, &self.study.grid, &mut pools[engine], index, outbox)?;
        let disturbance = self.meter.as_ref().and_then(DisturbanceMeter::read);
        outbox.send(SearchRecord { disturbance, ..record }, (), None)
    }

    fn retire(&self, mut pools: Vec<EnginePool<'_>>) {
        pools.iter_mut().for_each(EnginePool::quit);
    }

    fn inspect(&self, state: &SearchState, _: &SearchRecord) -> Vec<Notice> {
        state.limits.notices()
    }
}
