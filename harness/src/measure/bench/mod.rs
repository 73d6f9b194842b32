//! Compares engines over fixed positions: nodes and time to a depth, speed, branching, how often the first move cuts off.
//!
//! The searches are those of [`crate::measure::searches`], side by side in alternating order; what they say is `summary`'s. The first
//! engine may be measured against itself as a control, so that no difference is called one that the machine makes
//! between two runs of the same program. The caller is the command line.

pub(crate) mod command;
pub(crate) mod config;
mod report;

pub use config::{BenchConfig, BenchMeasure, BenchTarget};
pub use report::bench_report;

mod summary;

pub use summary::{BENCH_SUMMARY_VERSION, BenchEngine, BenchSummary, Comparison, Difference, Quantity};

use crate::measure::searches::{Grid, Load, Measurement, SearchRecord, SearchesConfig, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Job {
    /// The engines, and how they are compared.
    pub config: BenchConfig,
    /// What the engines call themselves.
    pub id_names: Vec<String>,
    /// How many positions there are.
    pub positions: usize,
}

impl Measurement for Job {
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

    fn searches(&self) -> &SearchesConfig {
        &self.config.searches
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> BenchSummary {
        BenchSummary::of(self, done, state)
    }

    // The summary is computed on the way only where it may end the run.
    fn is_enough(&self, done: &[SearchRecord]) -> bool {
        let reached = |target| self.summary(done, RunState::Running).has_reached(target);
        self.config.target.is_some_and(reached)
    }

    fn report(&self, summary: &BenchSummary) -> Report {
        bench_report(self, summary)
    }
}
