//! The report of a stored fit. A fit keeps no journal: it is one computation, and its summary is
//! the result.

use std::io::ErrorKind;

use anyhow::anyhow;

use super::report::unfinished_report;
use super::{TuneEvalSummary, tune_eval_report};
use stretto_harness::base::errors::FileResult;
use stretto_harness::base::wording::parser_message;
use stretto_harness::run::RunState;
use stretto_harness::run::reporter::Reported;
use stretto_harness::run::stored::StoredRun;

/// Reports on a stored fit. One that was killed, or is still going on, has no summary.
pub(crate) fn report_stored(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let file = run.path.join("summary.json");
    let bytes = match std::fs::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok((RunState::Interrupted, unfinished_report()));
        }
        read => read.or_cannot("read", &file)?,
    };
    let summary: TuneEvalSummary = serde_json::from_slice(&bytes)
        .map_err(|error| anyhow!("{} is damaged: {}", file.display(), parser_message(&error.to_string())))?;
    let state = if summary.is_interrupted { RunState::Interrupted } else { RunState::Finished };
    Ok((state, tune_eval_report(&summary)))
}
