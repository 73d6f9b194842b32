//! Reports on stored runs: one report, or a new one whenever the journal grows.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::Context;

use super::executor::{Staged, Study, conclude, report_stages, review};
use super::stored::{JOURNAL, StoredRun};
use super::{Entry, RunState};
use crate::base::errors::FileResult;
use crate::base::system::files::if_exists;
use crate::report::Report;

/// Functions that report on the stored runs of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// Computes the report once.
    pub report: fn(&StoredRun<'_>) -> anyhow::Result<Reported>,
    /// Opens a run whose report is computed again and again.
    pub follow: Option<Follow>,
}

/// Opens a run whose report is computed again and again; `None` if its reports are computed from the whole run.
pub(crate) type Follow = fn(&StoredRun<'_>) -> anyhow::Result<Option<Box<dyn Followed>>>;

impl Reporter {
    /// Reports on a run that is one experiment.
    pub const fn of<S: Study + 'static>() -> Self {
        Self { report: report_on::<S>, follow: Some(follow::<S>) }
    }

    /// Reports on a run of several stages.
    pub(crate) const fn of_stages<T: Staged>() -> Self {
        Self::by(report_stages::<T>)
    }

    /// Reports on a run with a function of its own.
    pub const fn by(report: fn(&StoredRun<'_>) -> anyhow::Result<Reported>) -> Self {
        Self { report, follow: None }
    }
}

/// A stored run whose journal is read as it grows.
pub trait Followed {
    /// Reads the records that were added; returns whether there were any.
    ///
    /// Errors: a record is damaged or the journal cannot be read.
    fn refresh(&mut self) -> anyhow::Result<bool>;
    /// Computes the report of the records read.
    fn report(&self) -> Reported;
}

/// State and report of a stored run.
pub type Reported = (RunState, Report);

/// A run that is one experiment, and the part of its journal that was read.
struct Follower<S: Study> {
    study: S,
    state: S::State,
    journal: PathBuf,
    /// End of the last whole line that was read. Units: bytes.
    offset: u64,
}

impl<S: Study> Followed for Follower<S> {
    fn refresh(&mut self) -> anyhow::Result<bool> {
        let file = if_exists(File::open(&self.journal)).or_cannot("read", &self.journal)?;
        // A run that has just begun has no journal yet.
        let Some(mut file) = file else { return Ok(false) };
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        if length < self.offset {
            // The journal was replaced.
            (self.state, self.offset) = (self.study.state(), 0);
        }
        if length == self.offset {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let (mut reader, mut line, before) = (BufReader::new(file), Vec::new(), self.offset);
        // A line without its end is being written.
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            let record: S::Record = serde_json::from_slice(&line)
                .with_context(|| format!("{} is damaged", self.journal.display()))?;
            if record.check().is_ok() && self.study.check(&self.state, &record).is_ok() {
                self.study.take(&mut self.state, &record);
            }
            // After each line: those before an unreadable one must not be counted again.
            self.offset += line.len() as u64;
            line.clear();
        }
        Ok(self.offset > before)
    }

    fn report(&self) -> Reported {
        let review = conclude(&self.study, &self.state);
        (review.state, review.report)
    }
}

fn follow<S: Study + 'static>(run: &StoredRun<'_>) -> anyhow::Result<Option<Box<dyn Followed>>> {
    let study = S::rebuild(run.config()?, run)?;
    let (state, journal) = (study.state(), run.path.join(JOURNAL));
    Ok(Some(Box::new(Follower { study, state, journal, offset: 0 })))
}

/// Reports on a run that is one experiment.
fn report_on<S: Study>(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let review = review(&S::rebuild(run.config()?, run)?, run, "")?;
    Ok((review.state, review.report))
}
