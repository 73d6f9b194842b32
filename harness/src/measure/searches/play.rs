//! A measurement that is carried out: its tasks are the numbers of a `Grid`, and its display is that of `smp`, `bench`
//! and `ablate`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::disturbance::DisturbanceMeter;
use super::measurement::{Measurement, SearchSummary};
use super::study::{SearchState, SearchStudy};
use super::worker::{EnginePool, measure};
use super::{Load, Plan, SearchRecord};
use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::base::system::files::FileStamp;
use crate::base::wording::counted;
use crate::pool::{Player, Setup};
use crate::run::RunFolder;
use crate::run::executor::{Notice, OutboxOf, Play, TaskList, Tasks, View};

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

    fn study(&self) -> &SearchStudy<M> {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.plan.cancel
    }

    fn workers(&self) -> usize {
        self.plan.config.concurrency
    }

    fn files(&self, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn tasks(&self, state: &SearchState) -> Box<dyn Tasks<usize>> {
        let done = state.done.iter().map(|record| record.index);
        Box::new(TaskList::missing(self.study.grid.searches(), done))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> anyhow::Result<Vec<EnginePool<'_>>> {
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
    ) -> Result<(), Stop> {
        let engine = self.study.grid.search(index).engine;
        let record = measure(&self.plan, &self.study.grid, &mut pools[engine], index, outbox)?;
        let disturbance = self.meter.as_ref().and_then(DisturbanceMeter::read);
        outbox.send(SearchRecord { disturbance, ..record }, (), None)
    }

    fn retire(&self, mut pools: Vec<EnginePool<'_>>) -> Vec<String> {
        Player::quit(pools.iter_mut().flat_map(EnginePool::players))
    }

    fn inspect(&self, state: &SearchState, _: &SearchRecord) -> Vec<Notice> {
        state.limits.notices()
    }
}

/// More engines or settings than this are counted instead of named.
const MAX_NAMES: usize = 6;

impl<M: Measurement> View for SearchPlay<M> {
    const REPORTS_STEAL_TIME: bool = true;

    fn closing_notices(&self, summary: &SearchSummary<M::Summary>) -> Vec<String> {
        summary.time_lines()
    }

    fn header(&self) -> String {
        let plan = &self.plan;
        let engines: Vec<&str> = plan.engines.iter().map(|engine| engine.name.as_str()).collect();
        let engines = if engines.len() > MAX_NAMES {
            format!("{} settings and engines", engines.len())
        } else {
            engines.join(", ")
        };
        let shown = |load: &Load| match load {
            Load::AsConfigured => None,
            Load::Threads(threads) => Some(threads.to_string()),
            Load::Processes(processes) => Some(format!("{processes} processes")),
        };
        let threads: Vec<String> = plan.loads.iter().filter_map(shown).collect();
        let threads =
            if threads.is_empty() { String::new() } else { format!(" | threads {}", threads.join(", ")) };
        let (positions, repetitions) = (counted(plan.positions.len(), "position"), plan.config.repetitions);
        let times = if repetitions.get() == 1 { "once".into() } else { format!("{repetitions} times") };
        format!("{engines} | {}{threads} | {positions}, {times} each", plan.config.limits)
    }

    fn started(&self, state: &SearchState) -> (Value, Option<String>) {
        let done = state.done.len();
        let body = json!({ "searches": self.study.grid.searches(), "done_before": done });
        (body, (done > 0).then(|| format!("with {done} searches")))
    }

    fn units(&self, state: &SearchState) -> u64 {
        state.done.len() as u64
    }

    fn length(&self) -> Option<(u64, &'static str)> {
        Some((self.study.grid.searches() as u64, "searches"))
    }
}
