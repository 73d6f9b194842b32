//! The folders of builds in the user's cache, and their locks.
//!
//! A folder holds the program, its logs and the record, which is written last: without it the build
//! is not finished. The lock is a file beside the folder. Runs hold it shared, so that no program is
//! deleted while a run uses it. A second lock, in the folder, allows one bench at a time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::record::{BuildRecord, RECORD};
use super::repository::Repository;
use crate::base::cancel::Cancel;
use crate::base::system::files::{LockFile, has_locked, if_exists, is_same};
use crate::config::git::{EXE, builds_folder};
use crate::run::{hash_file, write_atomically};

/// Time between two attempts to take a lock.
const POLL: Duration = Duration::from_millis(50);

/// Name of the work tree in the folder of a build.
pub(super) const TREE: &str = "tree";

/// The file with the time at which a build was last used.
pub(super) const USED: &str = "used";

/// The file with the error of a build that failed.
const FAILED: &str = "failed";

/// The output of the build command.
pub(super) const BUILD_LOG: &str = "build.log";

/// The lock of a build.
#[derive(Debug)]
pub struct Lock {
    file: LockFile,
    path: PathBuf,
}

/// A lock is shared by those who use a build, and exclusive to the one who makes or deletes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockKind {
    Shared,
    Exclusive,
}

impl Lock {
    /// Takes the lock of the build in `folder` without waiting; `None` if another process has it.
    pub(super) fn try_take(folder: &Path, kind: LockKind) -> io::Result<Option<Self>> {
        let path = folder.with_extension("lock");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let file = LockFile::open(&path)?;
        let locked = match kind {
            LockKind::Shared => file.try_lock_shared(),
            LockKind::Exclusive => file.try_lock(),
        };
        // The file may have been deleted together with the build in between.
        Ok((has_locked(locked)? && is_same(&file, &path)).then_some(Self { file, path }))
    }

    /// Takes the lock as soon as it is free; `None` on a stop request. `waiting` is called once if
    /// another process has it.
    pub(super) fn take(
        folder: &Path,
        kind: LockKind,
        cancel: &Cancel,
        waiting: impl FnOnce(),
    ) -> io::Result<Option<Self>> {
        let mut waiting = Some(waiting);
        loop {
            if let Some(lock) = Self::try_take(folder, kind)? {
                return Ok(Some(lock));
            }
            if cancel.is_cancelled() {
                return Ok(None);
            }
            if let Some(waiting) = waiting.take() {
                waiting();
            }
            std::thread::sleep(POLL);
        }
    }

    /// Deletes the lock file of a deleted build.
    fn delete(self) -> io::Result<()> {
        let Self { file, path } = self;
        fs::remove_file(path)?;
        drop(file);
        Ok(())
    }
}

/// Reads the record of a finished build whose program is intact.
pub(super) fn finished(folder: &Path) -> io::Result<Option<BuildRecord>> {
    let Some(record) = BuildRecord::read(folder)? else { return Ok(None) };
    Ok(hash_file(&folder.join(EXE)).is_ok_and(|hash| hash == record.blake3).then_some(record))
}

/// Writes the record of a build.
pub(super) fn write_record(folder: &Path, record: &BuildRecord) -> io::Result<()> {
    let text = serde_yaml::to_string(record).map_err(io::Error::other)?;
    write_atomically(&folder.join(RECORD), text.as_bytes())
}

/// Stores the error of a build that failed. `None` removes that of an earlier attempt.
pub(super) fn note_failure(folder: &Path, error: Option<&str>) -> io::Result<()> {
    let mark = folder.join(FAILED);
    if let Some(error) = error {
        return fs::write(mark, error);
    }
    if_exists(fs::remove_file(mark)).map(drop)
}

/// A build in the cache, as a list shows it.
#[derive(Debug)]
pub(crate) struct CachedBuild {
    /// Name of its folder.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The record; `None` for a build that failed or was interrupted.
    pub(crate) record: Option<BuildRecord>,
    /// The error of the last attempt, if that failed.
    pub(crate) failure: Option<String>,
    /// Time of the last use, UTC; empty if it was never used.
    pub(crate) used: String,
}

/// Returns all builds, most recently used first.
pub(crate) fn list() -> io::Result<Vec<CachedBuild>> {
    let entries = if_exists(fs::read_dir(builds_folder()))?.into_iter().flatten();
    let mut builds = Vec::new();
    for folder in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let used = fs::read_to_string(folder.join(USED)).unwrap_or_default();
        let failure = fs::read_to_string(folder.join(FAILED)).ok();
        builds.push(CachedBuild { name, record: BuildRecord::read(&folder)?, failure, used, folder });
    }
    builds.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.name.cmp(&b.name)));
    Ok(builds)
}

impl CachedBuild {
    /// Whether the build command failed and its output is in the folder.
    pub(crate) fn has_log(&self) -> bool {
        let log = self.folder.join(BUILD_LOG);
        // Only an error of the build command quotes this log.
        let is_quoted = self.failure.as_ref().is_some_and(|error| error.contains(&log.display().to_string()));
        is_quoted && fs::metadata(&log).is_ok_and(|log| log.len() > 0)
    }

    /// Whether a process uses or makes the build.
    pub(crate) fn is_in_use(&self) -> io::Result<bool> {
        Ok(Lock::try_take(&self.folder, LockKind::Exclusive)?.is_none())
    }

    /// Deletes the build; returns false if a process uses it.
    pub(crate) fn delete(&self) -> io::Result<bool> {
        let Some(lock) = Lock::try_take(&self.folder, LockKind::Exclusive)? else { return Ok(false) };
        Repository::remove_work_tree(&self.folder.join(TREE));
        fs::remove_dir_all(&self.folder)?;
        lock.delete()?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_is_stored_until_the_next_attempt() {
        let dir = tempfile::tempdir().unwrap();
        let stored = || fs::read_to_string(dir.path().join(FAILED)).ok();
        note_failure(dir.path(), Some("cannot build dev: no compiler")).unwrap();
        assert_eq!(stored().as_deref(), Some("cannot build dev: no compiler"));
        for _ in 0..2 {
            note_failure(dir.path(), None).unwrap();
            assert_eq!(stored(), None);
        }
    }

    #[test]
    fn builds_in_use_cannot_be_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("abc");
        fs::create_dir(&folder).unwrap();
        let build = CachedBuild {
            name: "abc".to_owned(),
            folder: folder.clone(),
            record: None,
            failure: None,
            used: String::new(),
        };
        let user = Lock::try_take(&folder, LockKind::Shared).unwrap().unwrap();
        assert!(Lock::try_take(&folder, LockKind::Shared).unwrap().is_some(), "two runs may use it");
        assert!(build.is_in_use().unwrap() && !build.delete().unwrap() && folder.exists());
        drop(user);
        assert!(!build.is_in_use().unwrap());
        assert!(build.delete().unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
