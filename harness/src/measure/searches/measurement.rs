//! A kind of measurement on fixed positions, and its run.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Grid, Plan, SearchRecord, SearchesConfig, load_positions};
use crate::base::system::files::FileStamp;
use crate::play::limit_check::{LimitViolation, LimitWatch, violation_lines};
use crate::play::matches::Setup;
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;

/// A kind of measurement: its grid of searches, and their evaluation.
pub(crate) trait Measurement: Sync + Sized {
    /// The validated configuration of the measurement.
    type Config: DeserializeOwned;
    /// The content of `summary.json`.
    type Summary: Serialize;

    /// Rebuilds the measurement from a stored run.
    fn rebuild(config: Self::Config, run: &StoredRun<'_>) -> anyhow::Result<Self>;
    /// Returns the searches by their numbers.
    fn grid(&self) -> Grid;
    /// Returns the names of the engines, in the order of the grid.
    fn engine_names(&self) -> Vec<String>;
    /// Returns limits, repetitions and timeouts.
    fn searches(&self) -> &SearchesConfig;
    /// Summarizes the searches so far.
    fn summary(&self, done: &[SearchRecord], state: RunState) -> Self::Summary;
    /// Whether the searches so far suffice. Called after each complete pass over the positions.
    fn is_enough(&self, _done: &[SearchRecord]) -> bool {
        false
    }
    /// Builds the report from a summary.
    fn report(&self, summary: &Self::Summary) -> Report;
}

/// Returns the number of positions of a stored run: those of the file, or where it is gone, those
/// searched.
pub(crate) fn stored_positions(config: &SearchesConfig, run: &StoredRun<'_>) -> anyhow::Result<usize> {
    let count = config.count.map(std::num::NonZero::get);
    if let Some(found) = count.or_else(|| Some(load_positions(&config.positions, None).ok()?.len())) {
        return Ok(found);
    }
    let searched: Vec<SearchRecord> = run.records()?;
    Ok(searched.iter().map(|record| record.position + 1).max().unwrap_or(0))
}

/// The searches of a measurement.
pub(crate) struct SearchRun<M> {
    /// The measurement they belong to.
    pub measurement: M,
    pub(super) plan: Plan,
    pub(super) grid: Grid,
    pub(super) setup: Arc<Setup>,
    /// Stamps of the executables at the start of the run.
    pub(super) stamps: Vec<Option<FileStamp>>,
}

/// The content of `summary.json`: the figures of the measurement, and the engines that ignore their
/// limit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SearchSummary<S> {
    /// The figures.
    #[serde(flatten)]
    pub figures: S,
    /// Engines that ignore their limit of nodes or time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_violations: Vec<LimitViolation>,
}

impl<S> SearchSummary<S> {
    /// Returns lines for the report.
    pub(crate) fn limit_lines(&self) -> Vec<String> {
        violation_lines(&self.limit_violations)
    }
}

/// The searches so far.
#[derive(Debug, Default)]
pub(crate) struct SearchState {
    /// Finished searches, in the order of completion.
    pub done: Vec<SearchRecord>,
    /// Whether the engines keep to their limits.
    pub(super) limits: LimitWatch,
}

impl<M: Measurement> SearchRun<M> {
    /// Prepares the searches of `plan`.
    pub(crate) fn new(measurement: M, plan: Plan) -> Self {
        let stamps = plan.engines.iter().map(|engine| FileStamp::of(&engine.program)).collect();
        Self { grid: measurement.grid(), setup: Arc::new(plan.setup()), measurement, plan, stamps }
    }

    /// Returns the plan of the searches.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }
}
