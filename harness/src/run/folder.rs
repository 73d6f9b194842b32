//! The folder of a run: its lock and the atomic replacement of its files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{StoreError, live};
use crate::base::system::files::sync_folder;

/// Name of the manifest in a run folder.
const MANIFEST: &str = "manifest.yaml";

/// Further files and folders that runs write, of any kind of run.
const WRITTEN: [&str; 14] = [
    "config.yaml",
    "summary.json",
    "report.md",
    "report.html",
    "games.pgn",
    "final.epd",
    "logs",
    "faults",
    live::FILE,
    // Results of a training, its state, and those of a tuning of the evaluation and of a generation of data.
    "stretto.network",
    "checkpoint.bin",
    "shards",
    "weights.rs",
    "games.vf",
];

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
    /// Creates a folder, or takes one that has other files only.
    ///
    /// Errors: it already has a manifest, a journal or another file that runs write.
    pub(crate) fn create(path: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(|error| StoreError::io("create", path, error))?;
        let folder = Self::lock(path)?;
        if folder.manifest().exists() {
            return Err(StoreError::Exists { path: path.to_path_buf() });
        }
        if folder.journal().exists() {
            return Err(StoreError::JournalOnly { path: path.to_path_buf() });
        }
        if let Some(file) = WRITTEN.into_iter().find(|file| path.join(file).exists()) {
            return Err(StoreError::Occupied { path: path.to_path_buf(), file });
        }
        remove_leftovers(path);
        Ok(folder)
    }

    /// Opens the folder of an earlier run. A folder without a manifest is left unchanged.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.join(MANIFEST).exists() {
            return Err(StoreError::NoRun { path: path.to_path_buf() });
        }
        let folder = Self::lock(path)?;
        remove_leftovers(path);
        Ok(folder)
    }

    /// Opens or creates a subfolder for a part of the run. It has no manifest of its own.
    pub(crate) fn part(&self, name: &str) -> Result<Self, StoreError> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(|error| StoreError::io("create", &path, error))?;
        let folder = Self::lock(&path)?;
        remove_leftovers(&path);
        Ok(folder)
    }

    fn lock(path: &Path) -> Result<Self, StoreError> {
        let file = path.join("lock");
        let options = OpenOptions::new().create(true).truncate(false).write(true).open(&file);
        let lock = options.map_err(|error| StoreError::io("open", &file, error))?;
        match lock_patiently(&lock) {
            Ok(()) => Ok(Self { path: path.to_path_buf(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &file, error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// Returns the path of the record of all finished games or positions.
    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// Returns the path of the PGN file, computed from the journal.
    pub(crate) fn games(&self) -> PathBuf {
        self.path.join("games.pgn")
    }

    /// Returns the path of the final positions of games, computed from the journal.
    pub(crate) fn final_positions(&self) -> PathBuf {
        self.path.join("final.epd")
    }

    /// Returns the path of the statistics, computed from the journal.
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

/// Removes temporary files of a killed harness. This process has the lock, so no other one writes.
fn remove_leftovers(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_leftover) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a harness writes temporary files of this name: those of [`AtomicFile`] end in their
/// process id.
fn is_leftover(name: &str) -> bool {
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let Some(stem) = name.strip_suffix(".tmp") else { return false };
    stem == live::FILE || stem.rsplit_once('.').is_some_and(|(file, id)| !file.is_empty() && is_id(id))
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

    /// Replaces the old content atomically: a reader, also after a crash, sees either content as a whole.
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
    fn create_and_open_remove_only_temporary_files_of_a_harness() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let ours = ["live.json.tmp", "summary.json.4711.tmp"];
        let foreign = ["notes.tmp", "notes.v2.tmp", "4711.tmp", ".4711.tmp"];
        let fill = || ours.iter().chain(&foreign).for_each(|name| fs::write(path.join(name), "x").unwrap());
        let expect_foreign_only = || {
            assert!(!ours.iter().any(|name| path.join(name).exists()));
            assert!(foreign.iter().all(|name| path.join(name).exists()));
        };
        fill();
        let folder = RunFolder::create(path).unwrap();
        expect_foreign_only();
        fs::write(folder.manifest(), "x").unwrap();
        drop(folder);
        fill();
        RunFolder::open(path).unwrap();
        expect_foreign_only();
    }

    #[test]
    fn folder_without_a_run_is_left_unchanged_by_open() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("summary.json.4711.tmp"), "x").unwrap();
        assert!(matches!(RunFolder::open(dir.path()), Err(StoreError::NoRun { .. })));
        let absent = dir.path().join("absent");
        assert!(matches!(RunFolder::open(&absent), Err(StoreError::NoRun { .. })));
        let names: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["summary.json.4711.tmp"]);
    }

    #[test]
    fn journal_without_manifest_is_reported_as_an_interrupted_merge() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("journal.jsonl"), "").unwrap();
        assert!(matches!(RunFolder::create(dir.path()), Err(StoreError::JournalOnly { .. })));
    }

    #[test]
    fn files_of_the_user_are_not_replaced_by_a_run() {
        let dir = tempfile::tempdir().unwrap();
        for name in WRITTEN {
            let path = dir.path().join(name).join("run");
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("match.yaml"), "games: 2").unwrap();
            fs::write(path.join(name), "mine").unwrap();
            let error = RunFolder::create(&path).unwrap_err().to_string();
            assert!(
                error.contains(&format!("run already has `{name}`, which the run would replace")),
                "{error}"
            );
            fs::remove_file(path.join(name)).unwrap();
            RunFolder::create(&path).unwrap();
        }
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
