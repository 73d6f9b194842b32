//! `harness bench`: compares engines on fixed positions in nodes, time, speed, branching factor and
//! first-move cutoffs.
//!
//! [`crate::measure::searches`] runs the searches, in rotating order. `summary` computes the
//! ratios and their intervals. The first engine may be measured a second time as a
//! control: the ratio between the two runs of one program shows the noise of the machine, and
//! smaller differences are not reported as differences. `command` is the caller.

pub(crate) mod command;
pub(crate) mod config;
mod job;
mod report;

pub use config::BenchConfig;
pub(crate) use config::{BenchMeasure, BenchTarget};
pub(crate) use job::Job;
pub(crate) use report::bench_report;

mod summary;

pub(crate) use summary::{BenchEngine, BenchSummary, Comparison, Difference, Quantity};

use crate::config::EngineConfig;
use crate::measure::searches::{Grid, Load, Measurement, SearchRecord, SearchesConfig, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;

impl Measurement for Job {
    const COMPARES_CPU_TIME: bool = true;

    type Config = BenchConfig;
    type Summary = BenchSummary;

    fn rebuild(config: BenchConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let positions = stored_positions(&config.searches, run)?;
        Ok(Self { config, id_names: run.id_names(), positions })
    }

    fn grid(&self) -> Grid {
        Grid {
            engines: self.config.engines.len(),
            loads: vec![Load::AsConfigured],
            positions: self.positions,
            repetitions: self.config.searches.repetitions.get(),
        }
    }

    fn engine_names(&self) -> Vec<String> {
        self.config.engines.iter().map(|engine| engine.name.clone()).collect()
    }

    fn engine(&self, index: usize) -> Option<&EngineConfig> {
        self.config.engines.get(index)
    }

    fn searches(&self) -> &SearchesConfig {
        &self.config.searches
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> BenchSummary {
        BenchSummary::of(self, done, state)
    }

    // During the run the summary is only computed if it may end the run.
    fn is_enough(&self, done: &[SearchRecord]) -> bool {
        let reached = |target| self.summary(done, RunState::Running).has_reached(target);
        self.config.target.is_some_and(reached)
    }

    fn report(&self, summary: &BenchSummary) -> Report {
        bench_report(self, summary)
    }
}
