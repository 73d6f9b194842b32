//! `live.json`: what a run is doing now, for `harness watch`.
//!
//! The process of the run replaces the file at most twice a second and removes it at the end. It is
//! not part of the record: nothing is computed from it, and a failure to write it is no error. A
//! killed process leaves it behind, so it counts only while the folder is locked.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Name of the file in a run folder, or in that of a part.
pub(super) const FILE: &str = "live.json";
/// Version of the format.
const VERSION: u32 = 1;

/// The status of a run in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveStatus {
    v: u32,
    /// Time since this session began. Units: seconds.
    pub elapsed_s: u64,
    /// Expected time to the end. Units: seconds.
    pub eta_s: Option<u64>,
    /// Progress, as a terminal shows it.
    pub text: String,
    /// The games under way, in the form of the kind of run.
    pub games: Value,
}

impl LiveStatus {
    /// Returns a status of the current version.
    pub(crate) fn new(elapsed_s: u64, eta_s: Option<u64>, text: String, games: Value) -> Self {
        Self { v: VERSION, elapsed_s, eta_s, text, games }
    }

    /// Replaces the file in a run folder as a whole. It is not synced, because it outlives nothing.
    pub(crate) fn write(&self, folder: &Path) {
        let Ok(text) = serde_json::to_vec(self) else { return };
        let temporary = folder.join(format!("{FILE}.tmp"));
        let _ = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, folder.join(FILE)));
    }

    /// Removes `live.json` at the end of a session; a missing file is no error.
    pub(crate) fn remove(folder: &Path) {
        let _ = fs::remove_file(folder.join(FILE));
    }

    /// Reads the file; `None` if there is none of this version.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let status: Self = serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()?;
        (status.v == VERSION).then_some(status)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn status_is_read_as_written_until_removed() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(LiveStatus::read(dir.path()), None);
        let status = LiveStatus::new(5, Some(60), "half".to_owned(), json!([1]));
        status.write(dir.path());
        assert_eq!(LiveStatus::read(dir.path()), Some(status.clone()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
        LiveStatus { v: VERSION + 1, ..status }.write(dir.path());
        assert_eq!(LiveStatus::read(dir.path()), None, "another version");
        LiveStatus::remove(dir.path());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
