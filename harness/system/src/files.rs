//! Files: executables, identity, and the durability of a rename.

use std::collections::HashSet;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

#[cfg(unix)]
use rustix::process::{Resource, getrlimit, setrlimit};

/// Extensions of programs on Windows.
const EXECUTABLE_EXTENSIONS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Size, modification time and, on Unix, inode of a file, which differ between builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    len: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl FileStamp {
    /// Returns the stamp of a file; `None` if it does not exist.
    pub fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Some(Self { len: meta.len(), modified: meta.modified().ok(), inode: inode(&meta) })
    }
}

#[cfg(unix)]
fn inode(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

/// Windows has no inodes; the creation time differs in a file that replaced another one.
#[cfg(windows)]
fn inode(meta: &Metadata) -> u64 {
    std::os::windows::fs::MetadataExt::creation_time(meta)
}

/// Returns the result of an operation on a file; `None` if there is no such file.
pub fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// The open file of a lock. Dropping it releases the lock at once. Closing the file would not while a process that another
/// thread starts has a copy of it, which it has until it executes its program. Without a drop the kernel releases the lock
/// when the processes that have the file open end.
#[derive(Debug)]
pub struct LockFile(File);

impl LockFile {
    /// Opens the file of a lock, and creates it if it is missing.
    pub fn open(path: &Path) -> io::Result<Self> {
        OpenOptions::new().create(true).truncate(false).write(true).open(path).map(Self)
    }
}

impl Deref for LockFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Should this fail, closing the file releases the lock.
        let _ = self.0.unlock();
    }
}

/// Returns whether an attempt took the lock, false if another process has it.
///
/// Errors: the lock cannot be taken for another reason.
pub fn has_locked(attempt: Result<(), TryLockError>) -> io::Result<bool> {
    match attempt {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether another process has the lock of this file.
pub fn is_locked(path: &Path) -> bool {
    File::open(path)
        .map(LockFile)
        .is_ok_and(|lock| has_locked(lock.try_lock_shared()).is_ok_and(|is_free| !is_free))
}

/// Whether `path` still leads to this open file.
pub fn is_same(file: &File, path: &Path) -> bool {
    let open = file.try_clone().and_then(same_file::Handle::from_file);
    open.is_ok_and(|open| same_file::Handle::from_path(path).is_ok_and(|now| now == open))
}

/// Whether two paths lead to one existing file.
pub fn are_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns the index of the first file that is given twice, perhaps by two paths.
pub fn repeated(files: &[impl AsRef<Path>]) -> Option<usize> {
    let mut seen = HashSet::new();
    files.iter().position(|file| file.as_ref().canonicalize().is_ok_and(|path| !seen.insert(path)))
}

/// Checks the input files of a command, and its output. Errors: a file that is given twice, or one that the output replaces.
pub fn check_inputs(files: &[impl AsRef<Path>], out: Option<&Path>) -> Result<(), String> {
    if let Some(index) = repeated(files) {
        return Err(format!("{}: this file is given twice", files[index].as_ref().display()));
    }
    match out.filter(|out| files.iter().any(|file| are_same(file.as_ref(), out))) {
        Some(out) => Err(format!("{}: expected another output than an input file", out.display())),
        None => Ok(()),
    }
}

/// Whether this process may execute the file at `path`.
#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use rustix::fs::{Access, access};

    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// Whether this process may execute the file at `path`.
#[cfg(windows)]
pub fn is_executable(path: &Path) -> bool {
    path.is_file() && has_extension_of_program(path)
}

/// Whether the file is a script, which starts other programs.
pub fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

/// Whether Windows executes a file of this name.
fn has_extension_of_program(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| EXECUTABLE_EXTENSIONS.iter().any(|known| own.eq_ignore_ascii_case(known)))
}

/// Returns the paths under which a program of this name may lie: on Windows also with `.exe`.
pub fn program_paths(path: PathBuf) -> Vec<PathBuf> {
    with_suffix(path, std::env::consts::EXE_SUFFIX)
}

fn with_suffix(path: PathBuf, suffix: &str) -> Vec<PathBuf> {
    if suffix.is_empty() || has_extension_of_program(&path) {
        return vec![path];
    }
    let mut name = path.clone().into_os_string();
    name.push(suffix);
    vec![path, name.into()]
}

/// Returns the last component of a path; empty if it has none.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes the names in a folder durable after a rename. Windows cannot sync folders.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}

/// Most open files that a program here asks for: three for each of thousands of engines. Engines inherit the limit where
/// [`super::launch`] does not start them, and some walk through all possible files when they start, so it is not the most that
/// the system allows.
#[cfg(unix)]
const MOST_FILES: u64 = 16_384;

/// Raises the limit of open files of this process as far as its user may, because systems start programs with 1024 at most.
/// Returns the limit before, if it was lower.
pub fn allow_many_files() -> Option<u64> {
    static FORMER: OnceLock<Option<u64>> = OnceLock::new();
    *FORMER.get_or_init(raise_file_limit)
}

#[cfg(unix)]
fn raise_file_limit() -> Option<u64> {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(MOST_FILES).min(MOST_FILES);
    let former = limit.current.filter(|&current| current < wanted)?;
    limit.current = Some(wanted);
    setrlimit(Resource::Nofile, limit).ok().map(|()| former)
}

#[cfg(windows)]
fn raise_file_limit() -> Option<u64> {
    None
}

/// Returns the number of files that this process may have open; `None` if the system sets no limit.
pub fn file_limit() -> Option<u64> {
    #[cfg(unix)]
    return getrlimit(Resource::Nofile).current;
    #[cfg(windows)]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_get_the_suffix_of_the_system() {
        let paths = |name: &str, suffix: &str| -> Vec<String> {
            with_suffix(name.into(), suffix).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths("a/engine", ""), ["a/engine"]);
        assert_eq!(paths("a/engine-1.2", ".exe"), ["a/engine-1.2", "a/engine-1.2.exe"]);
        assert_eq!(paths("a/engine.EXE", ".exe"), ["a/engine.EXE"]);
        assert_eq!(paths("engine.bat", ".exe"), ["engine.bat"]);
    }

    #[test]
    fn dropped_locks_are_released_although_a_copy_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = LockFile::open(&path).unwrap();
        lock.lock().unwrap();
        let copy = lock.try_clone().unwrap();
        assert!(is_locked(&path));
        drop(lock);
        assert!(!is_locked(&path));
        drop(copy);
    }

    #[test]
    fn one_file_by_two_paths_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        fs::write(path("a"), "").unwrap();
        fs::write(path("b"), "").unwrap();
        assert!(are_same(&path("a"), &path("folder/../a")));
        assert!(!are_same(&path("a"), &path("b")) && !are_same(&path("none"), &path("none")));
        let files = |names: &[&str]| names.iter().map(|name| path(name)).collect::<Vec<_>>();
        assert_eq!(repeated(&files(&["a", "b", "none", "none"])), None);
        let checked = |out: &str| check_inputs(&files(&["a", "b"]), Some(&path(out)));
        assert_eq!((checked("c"), checked("none")), (Ok(()), Ok(())));
        assert!(
            checked("folder/../b")
                .is_err_and(|error| error.ends_with("b: expected another output than an input file"))
        );
        let twice = check_inputs(&files(&["a", "folder/../a"]), None);
        assert!(twice.is_err_and(|error| error.ends_with("a: this file is given twice")));
        assert_eq!(repeated(&files(&["a", "b", "folder/../a"])), Some(2));
    }

    #[test]
    fn replaced_files_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
        fs::write(&old, "one").unwrap();
        fs::write(&new, "two").unwrap();
        let (file, stamp) = (File::open(&old).unwrap(), FileStamp::of(&old));
        assert!(is_same(&file, &old) && stamp == FileStamp::of(&old) && stamp.is_some());
        fs::rename(&new, &old).unwrap();
        assert!(!is_same(&file, &old));
        assert_ne!(FileStamp::of(&old), stamp);
        assert!(!is_same(&file, &new) && FileStamp::of(&new).is_none(), "it is gone");
        sync_folder(dir.path()).unwrap();
    }
}
