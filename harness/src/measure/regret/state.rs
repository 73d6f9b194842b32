//! A comparison, shared by the experiment, its workers and the display.

use std::sync::Arc;

use super::{Job, setup};
use crate::base::system::files::FileStamp;
use crate::play::matches::Setup;

/// The settings of a comparison and the positions that they search.
#[derive(Debug)]
pub(crate) struct RegretRun {
    pub(super) job: Job,
    pub(super) setup: Arc<Setup>,
    /// Stamps of the executables at the start of the run, that of the judge last.
    pub(super) stamps: Vec<Option<FileStamp>>,
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
