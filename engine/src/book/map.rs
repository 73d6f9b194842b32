//! Storage of a book's bytes: memory-mapped from its file, so that opening is fast and only
//! accessed pages are read, or held in memory.

#![expect(unsafe_code, reason = "the memory map of a book")]

use std::io;
use std::path::Path;

use memmap2::Mmap;

use crate::files;

/// The bytes of a book.
#[derive(Debug)]
pub(super) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    /// Maps a file.
    ///
    /// Errors: an I/O error, or the path is not a regular file.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        let (file, length) = files::open(path)?;
        if length == 0 {
            return Ok(Self::Owned(Vec::new()));
        }
        // SAFETY: the map is read-only, bounded by the file's length at creation, and outlives the
        // slices borrowed from it. No program can enforce that the file stays unmodified. The tools
        // of this project replace files by renaming a new one, which leaves the mapped file intact.
        // Any byte value is valid, and no reader relies on two reads of a byte being equal.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self::Mapped(map))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}
