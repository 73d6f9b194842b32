//! The folder of a run: its lock and the atomic replacement of its files.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;
use serde::Serialize;

use super::live;
use crate::base::errors::FileResult;
use crate::base::system::files::{LockFile, has_locked, if_exists, sync_folder};

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

/// Files that only the harness gives these names, in a folder that has a run.
const OWN: [&str; 4] = [MANIFEST, "journal.jsonl", "checkpoint.previous.bin", LOCK];

/// Name of the file that is locked.
const LOCK: &str = "lock";

/// Maximum time that a lock outlives its process. If a harness is killed while it starts an engine,
/// its forked copy has the lock until it executes the engine.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// Maximum number of symbolic links from a name to its file, as on Linux.
const MAX_LINKS: usize = 40;

/// A locked run folder. The kernel releases the lock when the process ends.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: LockFile,
}

impl RunFolder {
    /// Creates a folder, or takes one that has other files only.
    ///
    /// Errors: it already has a manifest, a journal or another file that runs write.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(path).or_cannot("create", path)?;
        let folder = Self::lock(path)?;
        if folder.manifest().exists() {
            let why = "holds a run already; resume it with --resume, or choose another folder";
            return refuse(path, why);
        }
        if folder.journal().exists() {
            // A merge writes the manifest last.
            let why = "holds a journal but no manifest.yaml, so a merge into it was interrupted; delete the folder, or \
                       name another one";
            return refuse(path, why);
        }
        if let Some(file) = WRITTEN.into_iter().find(|file| path.join(file).exists()) {
            let why = format!(
                "already has `{file}`, which the run would replace; move it away, or choose another folder"
            );
            return refuse(path, &why);
        }
        remove_leftovers(path);
        Ok(folder)
    }

    /// Opens the folder of an earlier run. A folder without a manifest is left unchanged.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if !path.join(MANIFEST).exists() {
            return refuse(path, "holds no run (no manifest.yaml)");
        }
        let folder = Self::lock(path)?;
        remove_leftovers(path);
        Ok(folder)
    }

    /// Opens or creates a subfolder for a part of the run. It has a manifest of its own only if it is the stage of a test.
    pub(crate) fn part(&self, name: &str) -> anyhow::Result<Self> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).or_cannot("create", &path)?;
        let folder = Self::lock(&path)?;
        remove_leftovers(&path);
        Ok(folder)
    }

    fn lock(path: &Path) -> anyhow::Result<Self> {
        let file = path.join(LOCK);
        let lock = LockFile::open(&file).or_cannot("open", &file)?;
        if !lock_patiently(&lock).or_cannot("lock", &file)? {
            return refuse(path, "is in use by another harness");
        }
        Ok(Self { path: path.to_path_buf(), _lock: lock })
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the manifest.
    pub fn manifest(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    /// Returns the path of the record of all finished games or positions.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// Returns the path of the PGN file, computed from the journal.
    pub(crate) fn games(&self) -> PathBuf {
        self.path.join("games.pgn")
    }

    /// Returns the path of the statistics, computed from the journal.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// Replaces `summary.json`, which nothing else writes.
    pub fn write_summary(&self, summary: &impl Serialize) -> anyhow::Result<()> {
        let path = self.summary();
        let mut text = serde_json::to_vec_pretty(summary).or_cannot("write", &path)?;
        text.push(b'\n');
        write_atomically(&path, &text).or_cannot("write", &path)
    }

    /// Creates and returns the folder of the complete UCI dialogues.
    pub(crate) fn logs(&self) -> anyhow::Result<PathBuf> {
        let dir = self.path.join("logs");
        fs::create_dir_all(&dir).or_cannot("create", &dir)?;
        Ok(dir)
    }

    /// Writes the evidence of a fault to the file `name`, which contains the number of the game or
    /// position.
    pub(crate) fn write_fault(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let dir = self.path.join("faults");
        fs::create_dir_all(&dir).or_cannot("create", &dir)?;
        let file = dir.join(name);
        write_atomically(&file, text.as_bytes()).or_cannot("write", &file)?;
        Ok(file)
    }

    /// Writes the dialogue of a start that failed to a free file `start-N.txt`; earlier sessions have some.
    pub(crate) fn write_failed_start(&self, text: &str) -> anyhow::Result<PathBuf> {
        let is_taken = |number: u32| self.path.join(format!("faults/start-{number}.txt")).exists();
        // Bisection: a flaky engine leaves thousands of files.
        let taken = (0..31).rev().map(|bit| 1 << bit);
        let taken = taken.fold(0, |low, step| if is_taken(low + step) { low + step } else { low });
        self.write_fault(&format!("start-{}.txt", taken + 1), text)
    }
}

/// Returns the error that a folder cannot be used: why, and the way out.
fn refuse<T>(path: &Path, why: &str) -> anyhow::Result<T> {
    bail!("{} {why}", path.display())
}

/// Takes the lock, waiting out [`LOCK_PATIENCE`] while another has it. Returns whether it was taken.
fn lock_patiently(file: &File) -> io::Result<bool> {
    let deadline = Instant::now() + LOCK_PATIENCE;
    while !has_locked(file.try_lock())? {
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(LOCK_PATIENCE / 20);
    }
    Ok(true)
}

/// Removes temporary files of a killed harness. This process has the lock, so no other one writes.
fn remove_leftovers(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_leftover) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a harness writes temporary files of this name in the folder of a run: those of
/// [`AtomicFile`] end in their process id.
fn is_leftover(name: &str) -> bool {
    let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let is_own = |file: &str| OWN.contains(&file) || WRITTEN.contains(&file);
    let Some(stem) = name.strip_suffix(".tmp") else { return false };
    stem == live::FILE || stem.rsplit_once('.').is_some_and(|(file, id)| is_own(file) && is_id(id))
}

/// A file under construction beside the one it will replace; dropped before [`AtomicFile::commit`] it leaves no trace.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
    is_committed: bool,
}

impl AtomicFile {
    /// Begins a new content for `target`, or for the file that it links to.
    ///
    /// Errors: `target` is a folder, a device, a pipe or a socket, or the file cannot be created beside it.
    pub fn create(target: &Path) -> io::Result<Self> {
        let target = file_to_replace(target)?;
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(name);
        Ok(Self { writer: BufWriter::new(File::create(&temporary)?), temporary, target, is_committed: false })
    }

    /// Replaces the old content atomically: a reader, also after a crash, sees either content as a whole.
    pub fn commit(mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.is_committed = true;
        let dir = self.target.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The new name is on disk only once its folder is.
        sync_folder(dir)
    }
}

/// Returns the file that new content for `target` replaces: `target` itself, or the file that it links to.
///
/// Errors: there is something other than a regular file, or the path has no file name.
fn file_to_replace(target: &Path) -> io::Result<PathBuf> {
    let refuse = |found: &str| {
        Err(io::Error::new(ErrorKind::InvalidInput, format!("expected the path of a file, found {found}")))
    };
    match if_exists(fs::metadata(target))? {
        Some(found) if found.is_dir() => return refuse("a folder"),
        Some(found) if !found.is_file() => return refuse("a device, pipe or socket"),
        _ => {}
    }
    if target.file_name().is_none() || target.to_string_lossy().ends_with(std::path::is_separator) {
        return refuse("a path without a file name");
    }
    let mut file = target.to_path_buf();
    for _ in 0..MAX_LINKS {
        if !file.is_symlink() {
            return Ok(file);
        }
        let link = fs::read_link(&file)?;
        // A relative link starts from its folder; an absolute one replaces the path.
        file.pop();
        file.push(link);
    }
    refuse("too many symbolic links")
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
pub fn write_atomically(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut new = AtomicFile::create(file)?;
    new.write_all(content)?;
    new.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message on a folder that cannot be used.
    fn refused(folder: anyhow::Result<RunFolder>) -> String {
        folder.unwrap_err().to_string()
    }

    #[test]
    fn one_writer_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let first = RunFolder::create(&path).unwrap();
        assert!(refused(RunFolder::create(&path)).contains("in use by another harness"));
        fs::write(first.manifest(), "x").unwrap();
        drop(first);
        assert!(refused(RunFolder::create(&path)).contains("holds a run already"));
        RunFolder::open(&path).unwrap();
        assert!(refused(RunFolder::open(dir.path())).contains("holds no run"));
    }

    #[test]
    fn create_and_open_remove_only_temporary_files_of_a_harness() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let ours = ["live.json.tmp", "summary.json.4711.tmp"];
        let foreign = ["notes.tmp", "notes.v2.tmp", "4711.tmp", ".4711.tmp", "backup.20261127.tmp"];
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
    fn failed_starts_replace_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(&dir.path().join("run")).unwrap();
        let path = |number: u32| folder.path().join(format!("faults/start-{number}.txt"));
        for number in 1..=9 {
            assert_eq!(folder.write_failed_start("x").unwrap(), path(number));
        }
        for deleted in [1, 4, 5, 8] {
            fs::remove_file(path(deleted)).unwrap();
            let count = fs::read_dir(folder.path().join("faults")).unwrap().count();
            folder.write_failed_start("y").unwrap();
            assert_eq!(fs::read_dir(folder.path().join("faults")).unwrap().count(), count + 1);
        }
    }

    #[test]
    fn folder_without_a_run_is_left_unchanged_by_open() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("summary.json.4711.tmp"), "x").unwrap();
        assert!(refused(RunFolder::open(dir.path())).contains("holds no run"));
        let absent = dir.path().join("absent");
        assert!(refused(RunFolder::open(&absent)).contains("holds no run"));
        let names: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["summary.json.4711.tmp"]);
    }

    #[test]
    fn journal_without_manifest_is_reported_as_an_interrupted_merge() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("journal.jsonl"), "").unwrap();
        assert!(refused(RunFolder::create(dir.path())).contains("holds a journal but no manifest.yaml"));
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

    #[test]
    fn only_regular_files_are_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let error = |path: &Path| AtomicFile::create(path).unwrap_err().to_string();
        assert_eq!(error(dir.path()), "expected the path of a file, found a folder");
        assert_eq!(error(&dir.path().join("..")), "expected the path of a file, found a folder");
        assert_eq!(error(Path::new("")), "expected the path of a file, found a path without a file name");
        assert_eq!(
            error(&dir.path().join("new/")),
            "expected the path of a file, found a path without a file name"
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        #[cfg(unix)]
        assert_eq!(
            error(Path::new("/dev/null")),
            "expected the path of a file, found a device, pipe or socket"
        );
    }

    #[cfg(unix)]
    #[test]
    fn target_of_a_link_is_replaced_and_the_link_is_kept() {
        use std::os::unix::fs::symlink;

        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        fs::write(path("folder/book"), "old").unwrap();
        symlink("folder/book", path("relative")).unwrap();
        symlink(path("relative"), path("absolute")).unwrap();
        for (link, content) in [("relative", "one"), ("absolute", "two")] {
            write_atomically(&path(link), content.as_bytes()).unwrap();
            assert!(path(link).is_symlink());
            assert_eq!(fs::read_to_string(path("folder/book")).unwrap(), content);
        }
        // A link to a file that does not exist yet creates it.
        symlink("folder/new", path("dangling")).unwrap();
        write_atomically(&path("dangling"), b"new").unwrap();
        assert!(path("dangling").is_symlink() && path("folder/new").is_file());
        assert_eq!(fs::read_dir(path("folder")).unwrap().count(), 2);
        symlink("loop", path("loop")).unwrap();
        assert!(AtomicFile::create(&path("loop")).is_err());
        symlink("folder", path("to-folder")).unwrap();
        assert!(AtomicFile::create(&path("to-folder")).is_err());
    }
}
