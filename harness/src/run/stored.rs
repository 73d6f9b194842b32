//! A run folder that is only read: its manifest and its journal.
//!
//! The lock is not taken, so a run that goes on can be looked at. [`Followed`] reads a journal as it
//! grows.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::executor::{Experiment, conclude, review};
use super::{Entry, Manifest, RunState, read_journal};
use crate::base::wording::parser_message;
use crate::report::Report;

/// The name of the journal in a run folder.
const JOURNAL: &str = "journal.jsonl";

/// What reports on the stored runs of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    /// Computes the report once.
    pub report: fn(&StoredRun<'_>) -> anyhow::Result<Reported>,
    /// Opens a run whose report is computed again and again.
    pub follow: Option<Follow>,
}

/// Opens a run whose report is computed again and again.
pub(crate) type Follow = fn(&StoredRun<'_>) -> anyhow::Result<Box<dyn Followed>>;

impl Reporter {
    /// Reports on a run that is one experiment.
    pub const fn of<E: Experiment + 'static>() -> Self {
        Self { report: report_on::<E>, follow: Some(follow::<E>) }
    }

    /// Reports on a run of several experiments.
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

/// A run folder and its manifest.
#[derive(Clone, Copy, Debug)]
pub struct StoredRun<'a> {
    /// The folder.
    pub path: &'a Path,
    /// Its manifest.
    pub manifest: &'a Manifest,
}

impl StoredRun<'_> {
    /// Reads the validated configuration.
    pub(crate) fn config<C: DeserializeOwned>(&self) -> anyhow::Result<C> {
        self.identity("config")
    }

    /// Reads a field of the run's identity.
    pub(crate) fn identity<T: DeserializeOwned>(&self, field: &str) -> anyhow::Result<T> {
        let value = self.manifest.identity.get(field);
        let value = value.with_context(|| format!("its manifest has no `identity.{field}`"))?;
        serde_yaml::from_value(value.clone()).map_err(|error| {
            anyhow!("its manifest is damaged: `identity.{field}`: {}", parser_message(&error.to_string()))
        })
    }

    /// Returns the engines' own names (`id name`).
    pub(crate) fn id_names(&self) -> Vec<String> {
        let identity = self.manifest.identity_of::<IgnoredAny, IgnoredAny>().unwrap_or_default();
        identity.engines.all().map(|engine| engine.id_name.clone()).collect()
    }

    /// Returns the journal of a part of the run, if it was begun.
    pub(crate) fn journal(&self, part: &str) -> Option<PathBuf> {
        Some(self.path.join(part).join(JOURNAL)).filter(|journal| journal.is_file())
    }

    /// Reads the records of the journal.
    pub(crate) fn records<T: Entry>(&self) -> anyhow::Result<Vec<T>> {
        records(self.path)
    }

    /// Reads the records of a part's journal.
    pub(crate) fn part_records<T: Entry>(&self, part: &str) -> anyhow::Result<Vec<T>> {
        records(&self.path.join(part))
    }
}

/// Reads the records of the journal in a folder; none if the run has just begun. A run with a summary has lost its
/// journal.
fn records<T: Entry>(folder: &Path) -> anyhow::Result<Vec<T>> {
    let mut records = Vec::new();
    let journal = folder.join(JOURNAL);
    if !journal.exists() && !folder.join("summary.json").exists() {
        return Ok(records);
    }
    read_journal(&journal, |record| {
        records.push(record);
        Ok(())
    })?;
    Ok(records)
}

/// State and report of a stored run.
pub type Reported = (RunState, Report);

/// A run that is one experiment, and the part of its journal that was read.
struct Follower<E: Experiment> {
    experiment: E,
    state: E::State,
    journal: PathBuf,
    /// End of the last whole line that was read. Units: bytes.
    offset: u64,
}

impl<E: Experiment> Followed for Follower<E> {
    fn refresh(&mut self) -> anyhow::Result<bool> {
        let mut file = match File::open(&self.journal) {
            Ok(file) => file,
            // A run that has just begun has no journal yet.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", self.journal.display()));
            }
        };
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        if length < self.offset {
            // The journal was replaced.
            (self.state, self.offset) = (self.experiment.state(), 0);
        }
        if length == self.offset {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut added = Vec::new();
        file.read_to_end(&mut added)?;
        let whole = memchr::memrchr(b'\n', &added).map_or(0, |end| end + 1);
        for line in added[..whole].split_inclusive(|&byte| byte == b'\n') {
            let record: E::Record = serde_json::from_slice(line)
                .with_context(|| format!("{} is damaged", self.journal.display()))?;
            if record.check().is_ok() && self.experiment.check(&self.state, &record).is_ok() {
                self.experiment.take(&mut self.state, &record);
            }
            // After each line: those before an unreadable one must not be counted again.
            self.offset += line.len() as u64;
        }
        Ok(whole > 0)
    }

    fn report(&self) -> Reported {
        let review = conclude(&self.experiment, &self.state);
        (review.state, review.report)
    }
}

fn follow<E: Experiment + 'static>(run: &StoredRun<'_>) -> anyhow::Result<Box<dyn Followed>> {
    let experiment = E::rebuild(run.config()?, run)?;
    let (state, journal) = (experiment.state(), run.path.join(JOURNAL));
    Ok(Box::new(Follower { experiment, state, journal, offset: 0 }))
}

/// Reports on a run that is one experiment.
fn report_on<E: Experiment>(run: &StoredRun<'_>) -> anyhow::Result<Reported> {
    let experiment = E::rebuild(run.config()?, run)?;
    let review = review(&experiment, run.records()?);
    Ok((review.state, review.report))
}
