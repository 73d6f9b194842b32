//! Compares engines over fixed positions: nodes and time to a depth, speed, branching, how often the first move cuts off.
//!
//! The searches are those of [`crate::searches`], side by side in alternating order; what they say is `summary`'s. The first
//! engine may be measured against itself as a control, so that no difference is called one that the machine makes
//! between two runs of the same program. The caller is the command line.

mod summary;

pub use summary::{BENCH_SUMMARY_VERSION, BenchEngine, BenchSummary, Comparison, Difference, Quantity};

use crate::config::BenchConfig;
use crate::runner::RunState;
use crate::searches::{self, Ending, Observer, Plan, Records, SearchRecord, SearchesError};

/// Everything a comparison needs.
#[derive(Debug)]
pub struct Job {
    /// What is compared, and how.
    pub config: BenchConfig,
    /// What the engines call themselves.
    pub id_names: Vec<String>,
    /// The searches.
    pub plan: Plan,
}

/// Does the searches that are missing, or as many as are needed, and returns the summary. An error leaves everything
/// found so far saved.
pub fn run(
    job: &Job,
    records: &mut Records,
    observer: &mut dyn Observer,
) -> Result<BenchSummary, SearchesError> {
    // What has been found is only looked at on the way where that may end it.
    let mut is_enough = |done: &[SearchRecord]| {
        job.config
            .target
            .is_some_and(|target| BenchSummary::of(job, done, RunState::Running).has_reached(target))
    };
    let ending = searches::run(&job.plan, records, observer, &mut is_enough);
    let state = match &ending {
        Err(_) => RunState::Failed,
        Ok(Ending::Interrupted) => RunState::Interrupted,
        Ok(Ending::Complete | Ending::Enough) => RunState::Finished,
    };
    let summary = BenchSummary::of(job, &records.done, state);
    let written = records.write_summary(&summary);
    ending?;
    written?;
    Ok(summary)
}
