//! Where a book's bytes lie: mapped from its file, so that the largest book is there at once and only the pages looked
//! at are read; or in memory.

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
    /// Those of a file.
    pub(super) fn of_file(path: &Path) -> io::Result<Self> {
        let (file, length) = files::open(path)?;
        if length == 0 {
            return Ok(Self::Owned(Vec::new()));
        }
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
