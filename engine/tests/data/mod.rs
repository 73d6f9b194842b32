//! Access to the shared test data.

use std::path::PathBuf;
use std::{fs, io};

/// Returns the text of a file in the shared data folder; `None` with a note if it is missing.
///
/// # Panics
/// Panics if the file exists but cannot be read.
pub(crate) fn shared(path: &str) -> Option<String> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(path);
    match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!("skipped: {} does not exist", path.display());
            None
        }
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// Returns the lines that contain data.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
}
