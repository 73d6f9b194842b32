//! A measurement as an experiment of the executor: its tasks are the numbers of a `Grid`.

use super::measurement::{Measurement, SearchRun, SearchState};
use super::worker::{EnginePool, measure};
use super::{Plan, SearchRecord, SearchesError};
use crate::base::cancel::Cancel;
use crate::config::Variant;
use crate::play::limit_check::{Effort, LimitWatch, is_forced};
use crate::report::Report;
use crate::run::executor::{ExecuteError, Experiment, Outbox, Stop, TaskList, Tasks};
use crate::run::stored::StoredRun;
use crate::run::{RunFolder, RunState, StoreError};
use crate::uci::Launcher;

impl<M: Measurement> Experiment for SearchRun<M> {
    const ITEM: &'static str = "search";
    // A summary resamples all positions, which would disturb the searches under way.
    const LIVE_SUMMARY: bool = false;

    type Config = M::Config;
    type Task = usize;
    type Record = SearchRecord;
    type Worker<'a>
        = Vec<EnginePool<'a>>
    where
        M: 'a;
    type State = SearchState;
    type Files = ();
    type Summary = M::Summary;
    type Error = SearchesError;

    fn rebuild(config: M::Config, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let measurement = M::rebuild(config, run)?;
        let plan = Plan {
            engines: Vec::new(),
            loads: measurement.grid().loads,
            positions: Vec::new(),
            config: measurement.searches().clone(),
            launcher: Launcher::of_this_binary(),
            cancel: Cancel::new(),
        };
        Ok(Self::new(measurement, plan))
    }

    fn cancel(&self) -> &Cancel {
        &self.plan.cancel
    }

    fn workers(&self) -> usize {
        self.plan.config.concurrency
    }

    fn state(&self) -> SearchState {
        let name = |index: usize| {
            let engine = self.plan.engines.get(index);
            engine.map_or_else(|| format!("engine {}", index + 1), |engine| engine.name.clone())
        };
        let limits = self.plan.config.limits;
        let limits = LimitWatch::new((0..self.grid.engines).map(|index| (name(index), limits)));
        SearchState { done: Vec::new(), limits }
    }

    fn check(&self, _state: &SearchState, record: &SearchRecord) -> Result<(), String> {
        let index = usize::try_from(record.index).ok().filter(|&index| index < self.grid.searches());
        let is_ours = index.map(|index| self.grid.search(index)).is_some_and(|search| {
            (search.engine, search.position, search.repetition)
                == (record.engine, record.position, record.repetition)
                && record.is_of(self.grid.load_of(search))
        });
        if is_ours {
            Ok(())
        } else {
            Err(format!("search {} does not belong to this measurement", record.index))
        }
    }

    fn files(&self, _folder: &RunFolder) -> Result<(), StoreError> {
        Ok(())
    }

    fn tasks(&self, state: &SearchState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.grid.searches(), done))
    }

    fn worker(
        &self,
        _place: usize,
        _folder: &RunFolder,
    ) -> Result<Vec<EnginePool<'_>>, ExecuteError<SearchesError>> {
        let engines = self.plan.engines.iter().zip(&self.stamps);
        Ok(engines.map(|(config, &stamp)| EnginePool::new(config, stamp, &self.setup)).collect())
    }

    fn perform<'a>(
        &'a self,
        pools: &mut Vec<EnginePool<'a>>,
        index: usize,
        outbox: &Outbox<'_, Self>,
    ) -> Result<(), Stop<SearchesError>> {
        let engine = self.grid.search(index).engine;
        let record = measure(self, &mut pools[engine], index, outbox)?;
        outbox.send(record, (), None)
    }

    fn retire(&self, mut pools: Vec<EnginePool<'_>>) {
        pools.iter_mut().for_each(EnginePool::quit);
    }

    fn take(&self, state: &mut SearchState, record: &SearchRecord) -> bool {
        state.done.push(record.clone());
        state.limits.add([(record.engine, self.effort(record))]);
        false
    }

    fn inspect(&self, state: &SearchState, _: &SearchRecord) -> Result<Option<String>, SearchesError> {
        Ok(state.limits.notice())
    }

    fn is_enough(&self, state: &SearchState) -> bool {
        let (done, all) = (state.done.len(), self.grid.searches());
        // Before the end of a pass the engines have not searched the same positions.
        (1..all).contains(&done)
            && done.is_multiple_of(self.grid.pass())
            && self.measurement.is_enough(&state.done)
    }

    fn is_finished(&self, state: &SearchState) -> bool {
        state.done.len() >= self.grid.searches() || self.measurement.is_enough(&state.done)
    }

    fn summarize(&self, state: &SearchState, run: RunState) -> M::Summary {
        self.measurement.summary(&state.done, run)
    }

    fn report(&self, state: &SearchState, summary: &M::Summary) -> Report {
        self.measurement.report(summary).with_lines(&state.limits.lines())
    }
}

impl<M: Measurement> SearchRun<M> {
    /// Returns the effort of a search as its limit counts it. Separate processes each have the limit.
    fn effort(&self, record: &SearchRecord) -> Effort {
        let processes = if record.separate_processes { u64::from(record.threads.max(1)) } else { 1 };
        let fen = self.plan.positions.get(record.position);
        Effort {
            nodes: Some(record.nodes / processes),
            time_us: record.time_us,
            may_stop_early: fen.is_some_and(|fen| is_forced(fen, Variant::Standard)),
        }
    }
}
