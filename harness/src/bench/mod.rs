//! Compares engines over fixed positions: nodes and time to a depth, speed, branching, how often the first move cuts off.
//!
//! The searches are those of [`crate::searches`], side by side in alternating order; what they say is `summary`'s. The first
//! engine may be measured against itself as a control, so that no difference is called one that the machine makes
//! between two runs of the same program. The caller is the command line.

mod summary;

pub use summary::{BENCH_SUMMARY_VERSION, BenchEngine, BenchSummary, Comparison, Difference, Quantity};

use crate::config::BenchConfig;
use crate::runner::RunState;
use crate::searches::{Grid, Load, Measurement, SearchRecord};

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

impl Job {
    /// The searches by their numbers.
    pub fn grid(&self) -> Grid {
        Grid {
            engines: self.config.engines.len(),
            loads: vec![Load::AsConfigured],
            positions: self.positions,
            repetitions: self.config.searches.repetitions.get(),
        }
    }
}

impl Measurement for Job {
    type Summary = BenchSummary;

    fn summary(&self, done: &[SearchRecord], state: RunState) -> BenchSummary {
        BenchSummary::of(self, done, state)
    }

    // What has been found is only looked at on the way where that may end it.
    fn is_enough(&self, done: &[SearchRecord]) -> bool {
        let reached = |target| self.summary(done, RunState::Running).has_reached(target);
        self.config.target.is_some_and(reached)
    }
}
