//! A comparison, shared by the experiment, its workers and the display.

use std::sync::Arc;

use super::record::RegretRecord;
use super::{Job, setup};
use crate::base::system::files::FileStamp;
use crate::play::limit_check::LimitWatch;
use crate::play::matches::Setup;

/// The settings of a comparison and the positions that they search.
#[derive(Debug)]
pub(crate) struct RegretRun {
    pub(super) job: Job,
    pub(super) setup: Arc<Setup>,
    /// Stamps of the executables at the start of the run, that of the judge last.
    pub(super) stamps: Vec<Option<FileStamp>>,
}

/// The positions searched so far.
#[derive(Debug, Default)]
pub(crate) struct RegretState {
    /// Their records, in the order of completion.
    pub(super) done: Vec<RegretRecord>,
    /// Whether the engines, and the judge as the last, keep to their limits.
    pub(super) limits: LimitWatch,
}

impl RegretRun {
    /// Prepares the positions of `job`.
    pub(crate) fn new(job: Job) -> Self {
        let setup = setup(&job.config, &job.launcher, &job.cancel);
        let programs = job.config.engines.iter().chain([&job.config.judge]);
        let stamps = programs.map(|engine| FileStamp::of(&engine.program)).collect();
        Self { job, setup, stamps }
    }
}
