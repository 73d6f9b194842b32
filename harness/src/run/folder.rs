//! The folder of a run: its lock and the atomic replacement of its files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::StoreError;
use crate::base::system::files::sync_folder;

/// Maximum time that a lock outlives its process. If a harness is killed while it starts an engine,
/// its forked copy has the lock until it executes the engine.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// A locked run folder. The kernel releases the lock when the process ends.
#[derive(Debug)]
pub(crate) struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Creates a folder. Errors: it already has a manifest or journal.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(|error| StoreError::io("create", path, error))?;
        let folder = Self::lock(path)?;
        if folder.manifest().exists() || folder.journal().exists() {
            return Err(StoreError::Exists { path: path.to_path_buf() });
        }
        Ok(folder)
    }

    /// Opens the folder of an earlier run.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = Self::lock(path)?;
        if folder.manifest().exists() {
            return Ok(folder);
        }
        Err(StoreError::NoRun { path: path.to_path_buf() })
    }

    /// Opens or creates a subfolder for a part of the run. It has no manifest of its own.
    pub(crate) fn part(&self, name: &str) -> Result<Self, StoreError> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(|error| StoreError::io("create", &path, error))?;
        Self::lock(&path)
    }

    fn lock(path: &Path) -> Result<Self, StoreError> {
        if !path.is_dir() {
            return Err(StoreError::NoRun { path: path.to_path_buf() });
        }
        let file = path.join("lock");
        let options = OpenOptions::new().create(true).truncate(false).write(true).open(&file);
        let lock = options.map_err(|error| StoreError::io("open", &file, error))?;
        match lock_patiently(&lock) {
            Ok(()) => {
                remove_leftovers(path);
                Ok(Self { path: path.to_path_buf(), _lock: lock })
            }
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &file, error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join("manifest.yaml")
    }

    /// Path of the record of all finished games or positions.
    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// Path of the PGN file, computed from the journal.
    pub(crate) fn games(&self) -> PathBuf {
        self.path.join("games.pgn")
    }

    /// Path of the final positions of games, computed from the journal.
    pub(crate) fn final_positions(&self) -> PathBuf {
        self.path.join("final.epd")
    }

    /// Path of the statistics, computed from the journal.
    pub(crate) fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// Replaces `summary.json`, which nothing else writes.
    pub(crate) fn write_summary(&self, summary: &impl Serialize) -> Result<(), StoreError> {
        let path = self.summary();
        let mut text = serde_json::to_vec_pretty(summary)
            .map_err(|error| StoreError::io("write", &path, error.into()))?;
        text.push(b'\n');
        write_atomically(&path, &text).map_err(|error| StoreError::io("write", &path, error))
    }

    /// Creates and returns the folder of the complete UCI dialogues.
    pub(crate) fn logs(&self) -> Result<PathBuf, StoreError> {
        let dir = self.path.join("logs");
        fs::create_dir_all(&dir).map_err(|error| StoreError::io("create", &dir, error))?;
        Ok(dir)
    }

    /// Writes the evidence of a fault to the file `name`, which starts with the number of the game or
    /// position.
    pub(crate) fn write_fault(&self, name: &str, text: &str) -> Result<PathBuf, StoreError> {
        let dir = self.path.join("faults");
        fs::create_dir_all(&dir).map_err(|error| StoreError::io("create", &dir, error))?;
        let file = dir.join(name);
        write_atomically(&file, text.as_bytes()).map_err(|error| StoreError::io("write", &file, error))?;
        Ok(file)
    }
}

/// Takes the lock, waiting out [`LOCK_PATIENCE`] while another has it.
fn lock_patiently(file: &File) -> Result<(), TryLockError> {
    let deadline = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                std::thread::sleep(LOCK_PATIENCE / 20);
            }
            result => return result,
        }
    }
}

/// Removes temporary files of a killed process. This process has the lock, so no other one writes.
fn remove_leftovers(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file under construction beside the one it will replace; dropped before [`AtomicFile::commit`] it leaves no trace.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    writer: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
    is_committed: bool,
}

impl AtomicFile {
    /// Begins a new content for `target`.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(name);
        let writer = BufWriter::new(File::create(&temporary)?);
        Ok(Self { writer, temporary, target: target.to_path_buf(), is_committed: false })
    }

    /// Puts the new content in the place of the old: readers and crashes see the one or the other, whole.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.is_committed = true;
        let dir = self.target.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The new name is on disk only once its folder is.
        sync_folder(dir)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Replaces `file` as a whole.
pub(crate) fn write_atomically(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut new = AtomicFile::create(file)?;
    new.write_all(content)?;
    new.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let first = RunFolder::create(&path).unwrap();
        assert!(matches!(RunFolder::create(&path), Err(StoreError::Locked { .. })));
        fs::write(first.manifest(), "x").unwrap();
        drop(first);
        assert!(matches!(RunFolder::create(&path), Err(StoreError::Exists { .. })));
        RunFolder::open(&path).unwrap();
        assert!(matches!(RunFolder::open(dir.path()), Err(StoreError::NoRun { .. })));
    }

    #[test]
    fn atomic_writes_leave_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.json");
        write_atomically(&file, b"1").unwrap();
        write_atomically(&file, b"22").unwrap();
        let mut abandoned = AtomicFile::create(&file).unwrap();
        abandoned.write_all(b"333").unwrap();
        drop(abandoned);
        assert_eq!(fs::read(&file).unwrap(), b"22");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
