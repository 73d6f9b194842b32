//! Measures engines by the number of their threads: nodes and time to a depth, or nodes a second.
//!
//! The searches are those of [`crate::searches`]; what they say of threads is `summary`'s. The caller is the command line.

mod summary;

pub use summary::{Cell, EngineCurve, Lateness, SMP_SUMMARY_VERSION, SmpSummary};

use std::num::NonZeroU32;

use crate::config::SmpConfig;
use crate::runner::RunState;
use crate::searches::{Grid, Load, Measurement, SearchRecord};

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

impl Job {
    /// The searches by their numbers.
    pub fn grid(&self) -> Grid {
        Grid {
            engines: self.config.engines.len(),
            loads: loads(&self.config),
            positions: self.positions,
            repetitions: self.config.searches.repetitions.get(),
        }
    }
}

impl Measurement for Job {
    type Summary = SmpSummary;

    fn summary(&self, done: &[SearchRecord], state: RunState) -> SmpSummary {
        SmpSummary::of(self, done, state)
    }
}
