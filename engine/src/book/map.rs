//! Where a book's bytes lie: mapped from its file, so that the largest book is there at once and only the pages looked
//! at are read; or in memory.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a book.
#[derive(Debug)]
pub(super) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    /// Those of a file.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        // Asked before it is opened: opening a pipe waits for a writer.
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file"));
        }
        if metadata.len() == 0 {
            return Ok(Self::Owned(Vec::new()));
        }
        let file = File::open(path)?;
        // SAFETY: the map is read only, is bounded by the file's length when it is made, and lives as long as the slices
        // lent from it. That nobody writes to the file meanwhile is the condition no program can enforce: every
        // tool of this project puts a new file in the old one's place (rename), which leaves the mapped one as it is.
        // Bytes are plain integers, of which any value is valid, and no reader keeps a decision on them across two reads.
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
