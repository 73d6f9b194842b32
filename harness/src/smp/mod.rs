//! Measures engines by the number of their threads: nodes and time to a depth, or nodes a second.
//!
//! The searches are those of [`crate::searches`]; what they say of threads is `summary`'s. The caller is the command line.

mod summary;

pub use summary::{Cell, EngineCurve, Lateness, SMP_SUMMARY_VERSION, SmpSummary};

use crate::config::SmpConfig;
use crate::runner::RunState;
use crate::searches::{Grid, Measurement, SearchRecord};

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

impl Job {
    /// The searches by their numbers.
    pub fn grid(&self) -> Grid {
        Grid {
            engines: self.config.engines.len(),
            threads: self.config.threads.iter().copied().map(Some).collect(),
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
