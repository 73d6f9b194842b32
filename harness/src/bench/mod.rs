//! Compares engines over fixed positions: nodes and time to a depth, speed, branching, how often the first move cuts off.
//!
//! The searches are those of [`crate::searches`], side by side in alternating order; what they say is `summary`'s. The first
//! engine may be measured against itself as a control, so that no difference is called one that the machine makes
//! between two runs of the same program. The caller is the command line.

mod summary;

pub use summary::{BENCH_SUMMARY_VERSION, BenchEngine, BenchSummary, Comparison, Difference, Quantity};

use crate::config::BenchConfig;
use crate::runner::RunState;
use crate::searches::{self, Ending, Observer, Plan, Records, SearchesError};
use crate::store::{StoreError, write_atomically};

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
    let ending = searches::run(&job.plan, records, observer, &mut |done| {
        BenchSummary::of(job, done, RunState::Running).has_reached(job.config.target)
    });
    let state = match &ending {
        Err(_) => RunState::Failed,
        Ok(Ending::Interrupted) => RunState::Interrupted,
        Ok(Ending::Complete | Ending::Enough) => RunState::Finished,
    };
    let summary = BenchSummary::of(job, &records.done, state);
    let written = write_summary(records, &summary);
    ending?;
    written?;
    Ok(summary)
}

fn write_summary(records: &Records, summary: &BenchSummary) -> Result<(), StoreError> {
    let path = records.folder().summary();
    let mut text =
        serde_json::to_vec_pretty(summary).map_err(|error| StoreError::io("write", &path, error.into()))?;
    text.push(b'\n');
    write_atomically(&path, &text).map_err(|error| StoreError::io("write", &path, error))
}
