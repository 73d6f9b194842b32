//! Where the tests find positions.

use std::path::PathBuf;
use std::{fs, io};

/// The text of a file of the shared collection, or `None`, with a word about it, where the collection is not there.
///
/// # Panics
/// When the file is there and cannot be read.
pub(crate) fn shared(path: &str) -> Option<String> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(path);
    match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!("skipped: {} is not there", path.display());
            None
        }
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The lines that carry data.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
}
