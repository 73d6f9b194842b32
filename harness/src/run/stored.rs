//! A run folder that is only read: its manifest and its journal.
//!
//! The lock is not taken, so a run that goes on can be looked at.

use std::path::Path;

use anyhow::{Context, anyhow};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{Entry, Manifest, read_journal};
use crate::base::wording::parser_message;

/// The name of the journal in a run folder.
pub(super) const JOURNAL: &str = "journal.jsonl";
/// The name of the summary.
const SUMMARY: &str = "summary.json";

/// A run folder and its manifest.
#[derive(Clone, Copy, Debug)]
pub struct StoredRun<'a> {
    /// Path of the run folder.
    pub path: &'a Path,
    /// Content of its `manifest.yaml`.
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

    /// Whether a part of the run was begun.
    pub(crate) fn has_part(&self, part: &str) -> bool {
        [JOURNAL, SUMMARY].iter().any(|file| self.path.join(part).join(file).is_file())
    }

    /// Reads the records of the journal.
    pub(crate) fn records<T: Entry>(&self) -> anyhow::Result<Vec<T>> {
        let mut records = Vec::new();
        self.each_record("", |record| records.push(record))?;
        Ok(records)
    }

    /// Passes the records of a part's journal to `visit`; none if it has just begun. The part without a name is the run
    /// itself. A run with a summary has lost its journal.
    pub(crate) fn each_record<T: Entry>(&self, part: &str, mut visit: impl FnMut(T)) -> anyhow::Result<()> {
        let folder = self.path.join(part);
        let journal = folder.join(JOURNAL);
        if !journal.exists() && !folder.join(SUMMARY).exists() {
            return Ok(());
        }
        read_journal(&journal, |record| {
            visit(record);
            Ok(())
        })
    }
}
