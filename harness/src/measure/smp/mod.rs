//! `harness smp`: measures engines at several numbers of threads, in nodes and time to depth or in
//! nodes per second.
//!
//! [`crate::measure::searches`] runs the searches and `summary` computes the speedups. `command` is
//! the caller.

pub(crate) mod command;
pub(crate) mod config;
mod job;
mod report;

pub use config::SmpConfig;
pub(crate) use job::{Job, loads};
pub(crate) use report::smp_report;

mod summary;

pub(crate) use summary::{Cell, EngineCurve, Latency, SmpSummary};

use crate::config::EngineConfig;
use crate::measure::searches::{Grid, Measurement, SearchRecord, SearchesConfig, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;

impl Measurement for Job {
    const COMPARES_CPU_TIME: bool = false;

    type Config = SmpConfig;
    type Summary = SmpSummary;

    fn rebuild(config: SmpConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let positions = stored_positions(&config.searches, run)?;
        Ok(Self { config, id_names: run.id_names(), positions })
    }

    fn grid(&self) -> Grid {
        Grid {
            engines: self.config.engines.len(),
            loads: loads(&self.config),
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

    fn summary(&self, done: &[SearchRecord], state: RunState) -> SmpSummary {
        SmpSummary::of(self, done, state)
    }

    fn report(&self, summary: &SmpSummary) -> Report {
        smp_report(self, summary)
    }
}
