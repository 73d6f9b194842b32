//! The record of a build: `build.yaml` in its folder of the cache, and in the manifests of runs.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bench::Bench;
use crate::base::system::files::if_exists;

/// Version of the format.
pub(super) const RECORD_VERSION: u32 = 1;

/// The name of the record in the folder of a build.
pub(crate) const RECORD: &str = "build.yaml";

/// A build whose program is in the cache, as [`RECORD`] describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BuildRecord {
    pub(crate) version: u32,
    /// Full hash of the commit.
    pub(crate) commit: String,
    /// First line of its message.
    pub(crate) subject: String,
    /// Folder of the command, relative to the root of the repository.
    pub(crate) folder: PathBuf,
    /// Shell command that built it, such as `make`.
    pub(crate) build: String,
    /// Time of the build, UTC.
    pub(crate) built: String,
    /// Duration of the command. Units: seconds.
    pub(crate) seconds: f64,
    /// Hash of the program.
    pub(crate) blake3: String,
    /// Figures of its `bench`, if it was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bench: Option<Bench>,
}

impl BuildRecord {
    /// Reads the record in the folder of a build; `None` if there is none.
    pub(crate) fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = if_exists(std::fs::read_to_string(folder.join(RECORD)))?;
        // A damaged record is no record: the build is repeated.
        let record = text.and_then(|text| serde_yaml::from_str::<Self>(&text).ok());
        Ok(record.filter(|record| record.version == RECORD_VERSION))
    }
}

/// Returns the start of a hash, for people.
pub(crate) fn short_hash(hash: &str) -> &str {
    &hash[..hash.len().min(10)]
}

/// Returns a build command in one line, for people.
pub(crate) fn one_line(command: &str) -> String {
    command.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// An engine of a run that was built from a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineBuild {
    /// Name of the engine in the run.
    pub(crate) engine: String,
    /// The revision as the user gave it.
    pub(crate) revision: String,
    /// Root of the repository that has the commit.
    pub(crate) repository: PathBuf,
    #[serde(flatten)]
    pub(crate) record: BuildRecord,
}

impl EngineBuild {
    /// Returns a description such as `1a2b3c4d5e (my-branch) Improve the search`.
    pub(crate) fn commit(&self) -> String {
        let Self { revision, record, .. } = self;
        let is_hash = record.commit.starts_with(revision);
        let revision = if is_hash { String::new() } else { format!(" ({revision})") };
        format!("{}{revision} {}", short_hash(&record.commit), record.subject)
    }

    /// Returns the commit and its bench.
    pub(crate) fn describe(&self) -> String {
        let bench = self.record.bench.map(|bench| format!("; bench {bench}")).unwrap_or_default();
        format!("commit {}{bench}", self.commit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_command_of_several_lines_is_shown_in_one() {
        assert_eq!(one_line("make EXE={exe}"), "make EXE={exe}");
        assert_eq!(one_line("cd src\n\n  make EXE={exe}\n"), "cd src; make EXE={exe}");
    }
}
