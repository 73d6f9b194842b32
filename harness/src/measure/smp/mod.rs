//! Measures engines by the number of their threads: nodes and time to a depth, or nodes a second.
//!
//! The searches are those of [`crate::measure::searches`]; what they say of threads is `summary`'s. The caller is the command line.

pub(crate) mod command;
pub(crate) mod config;
mod report;

pub use config::SmpConfig;
pub use report::smp_report;

mod summary;

pub use summary::{Cell, EngineCurve, Lateness, SMP_SUMMARY_VERSION, SmpSummary};

use std::num::NonZeroU32;

use crate::measure::searches::{Grid, Load, Measurement, SearchRecord, SearchesConfig, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Job {
    /// Who is measured, and how.
    pub config: SmpConfig,
    /// What the engines call themselves.
    pub id_names: Vec<String>,
    /// How many positions there are.
    pub positions: usize,
}

/// What the engines search with: each number of threads, and where asked for, what stands beside it.
pub fn loads(config: &SmpConfig) -> Vec<Load> {
    let beside = |threads: NonZeroU32| (config.apart && threads.get() > 1).then_some(Load::Apart(threads));
    config
        .threads
        .iter()
        .flat_map(|&threads| [Some(Load::Threads(threads)), beside(threads)])
        .flatten()
        .collect()
}

impl Measurement for Job {
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
