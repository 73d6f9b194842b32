//! Measures engines by the number of their threads: nodes and time to a depth, or nodes a second.
//!
//! The searches are those of [`crate::searches`]; what they say of threads is `summary`'s. The caller is the command line.

mod summary;

pub use summary::{Cell, EngineCurve, Lateness, SMP_SUMMARY_VERSION, SmpSummary};

use crate::config::SmpConfig;
use crate::runner::RunState;
use crate::searches::{self, Ending, Observer, Plan, Records, SearchesError};

/// Everything a measurement needs.
#[derive(Debug)]
pub struct Job {
    /// Who is measured, and how.
    pub config: SmpConfig,
    /// What the engines call themselves.
    pub id_names: Vec<String>,
    /// The searches.
    pub plan: Plan,
}

/// Does the searches that are missing and returns the summary. An error leaves everything found so far saved.
pub fn run(
    job: &Job,
    records: &mut Records,
    observer: &mut dyn Observer,
) -> Result<SmpSummary, SearchesError> {
    let ending = searches::run(&job.plan, records, observer, &mut |_| false);
    let state = match &ending {
        Err(_) => RunState::Failed,
        Ok(Ending::Interrupted) => RunState::Interrupted,
        Ok(Ending::Complete | Ending::Enough) => RunState::Finished,
    };
    let summary = SmpSummary::of(job, &records.done, state);
    let written = records.write_summary(&summary);
    ending?;
    written?;
    Ok(summary)
}
