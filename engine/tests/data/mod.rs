//! Access to test data: files of the repository, and the larger collections of `make test-data`.

#![allow(dead_code, reason = "each test program uses its part")]

use std::fs;
use std::path::PathBuf;

/// Returns the text of a file in the repository's `testdata`.
///
/// # Panics
/// Panics if the file cannot be read.
pub(crate) fn carried(path: &str) -> String {
    read(&carried_path(path))
}

/// Returns the path of a file in the repository's `testdata`.
pub(crate) fn carried_path(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata")).join(path)
}

/// Returns the path of a file or folder in the collections that `STRETTO_TEST_DATA` names.
///
/// # Panics
/// Panics if the variable is not set or the path does not exist. Only ignored tests call this.
pub(crate) fn collection(path: &str) -> PathBuf {
    let folder =
        std::env::var_os("STRETTO_TEST_DATA").expect("`make test-data DATA=FOLDER` names the folder");
    let path = PathBuf::from(folder).join(path);
    assert!(path.exists(), "{} does not exist", path.display());
    path
}

/// Returns the text of a file in the collections.
///
/// # Panics
/// As [`collection`], and if the file cannot be read.
pub(crate) fn collected(path: &str) -> String {
    read(&collection(path))
}

fn read(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the lines that contain data.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
}
