//! The files of Syzygy tables: found, checked, read.
//!
//! A damaged file must not answer with wrong values, so every file is checked as far as it can be at a bearable price:
//! small ones (all of up to four men are) by their checksum when they are found, middling ones when they are first asked,
//! the largest, of six and seven men, by length and first bytes only. Files are read, not mapped: one that shrinks while it
//! is in use then is an error and not the end of the process.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use thiserror::Error;

use super::checksum;
use crate::files;
use crate::sync::Mutex;

/// Files up to this size are checked when they are found, and kept in memory once they are asked. Units: bytes.
const SMALL: u64 = 1 << 20;

/// The first bytes of the two sorts of files.
const MAGIC_RESULTS: [u8; 4] = [0x71, 0xE8, 0x23, 0x5D];
const MAGIC_DISTANCES: [u8; 4] = [0xD7, 0x66, 0x0C, 0xA5];

/// What a table tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    /// Who wins.
    Results,
    /// How far the next capture or pawn move is.
    Distances,
}

impl Sort {
    /// By the extension of a file's name.
    pub(super) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "rtbw" => Some(Self::Results),
            "rtbz" => Some(Self::Distances),
            _ => None,
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Results => MAGIC_RESULTS,
            Self::Distances => MAGIC_DISTANCES,
        }
    }
}

/// What is wrong with a file that should hold a table.
#[derive(Debug, Error)]
pub enum FileFault {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It begins otherwise than such files do.
    #[error("is no Syzygy table: it begins with {found:02x?}, expected {expected:02x?}")]
    Magic {
        /// The first bytes.
        found: [u8; 4],
        /// What they should be.
        expected: [u8; 4],
    },
    /// It was cut off, or something was added.
    #[error("has {len} bytes, expected a multiple of 64 and 16: it is not whole")]
    Length {
        /// Units: bytes.
        len: u64,
    },
    /// It is not what its maker wrote.
    #[error("does not match its checksum: it is damaged")]
    Checksum,
    /// Its name names no men that tables are made for.
    #[error("is not named after the men of a table, such as KQvKR.rtbw")]
    Name,
}

/// Checks a file as far as that costs little.
pub(super) fn check(path: &Path, sort: Sort) -> Result<(), FileFault> {
    let (mut file, len) = files::open(path)?;
    if len <= SMALL {
        let mut data = Vec::new();
        file.read_to_end(&mut data)?;
        return check_data(&data, sort);
    }
    let mut first = [0; 4];
    file.read_exact(&mut first)?;
    check_length(len).and_then(|()| check_magic(first, sort))
}

/// Checks a file that was read whole.
fn check_data(data: &[u8], sort: Sort) -> Result<(), FileFault> {
    let first = data.first_chunk().copied().unwrap_or_default();
    check_magic(first, sort)?;
    check_length(data.len() as u64)?;
    if checksum::matches(data) == Some(false) { Err(FileFault::Checksum) } else { Ok(()) }
}

fn check_magic(found: [u8; 4], sort: Sort) -> Result<(), FileFault> {
    let expected = sort.magic();
    if found == expected { Ok(()) } else { Err(FileFault::Magic { found, expected }) }
}

fn check_length(len: u64) -> Result<(), FileFault> {
    if len % checksum::ALIGNMENT as u64 == checksum::LEN as u64 {
        Ok(())
    } else {
        Err(FileFault::Length { len })
    }
}

/// Files as the reader of tables sees them. It opens each when it is first asked; one that then proves to be damaged is
/// not opened again.
#[derive(Default)]
pub(super) struct Files {
    damaged: Mutex<HashSet<PathBuf>>,
}

impl Files {
    /// Reads a file of middling size once, to check it.
    fn open_checked(path: &Path) -> Result<Box<dyn RandomAccessFile>, FileFault> {
        let sort = Sort::of(path).ok_or(FileFault::Name)?;
        let len = std::fs::metadata(path)?.len();
        if len <= (checksum::CHUNK + checksum::LEN) as u64 {
            let data = files::read(path, len)?;
            check_data(&data, sort)?;
            if len <= SMALL {
                return Ok(Box::new(InMemory(data)));
            }
        }
        Ok(OsFilesystem::new().open(path)?)
    }
}

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        OsFilesystem::new().regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        OsFilesystem::new().read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let told = |fault: &FileFault| io::Error::other(format!("{} {fault}", path.display()));
        if self.damaged.lock().contains(path) {
            return Err(io::Error::other("known to be damaged"));
        }
        Self::open_checked(path).map_err(|fault| {
            self.damaged.lock().insert(path.to_path_buf());
            told(&fault)
        })
    }
}

/// A small file, all of it.
struct InMemory(Vec<u8>);

impl RandomAccessFile for InMemory {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that begins like a table of results and ends with its checksum. Units of `len`: bytes before that.
    fn table(len: usize) -> Vec<u8> {
        let mut data: Vec<u8> = (0..len).map(|index| ((index * index) >> 7) as u8).collect();
        data[..4].copy_from_slice(&MAGIC_RESULTS);
        let checksum = checksum::of_one_chunk(&data);
        data.extend(checksum.iter().flat_map(|word| word.to_le_bytes()));
        data
    }

    #[test]
    fn middling_files_are_checked_when_they_are_opened() {
        let path = std::env::temp_dir().join(format!("stretto-{}-middling.rtbw", std::process::id()));
        let whole = table(3 << 20);
        std::fs::write(&path, &whole).expect("a file");
        let files = Files::default();
        check(&path, Sort::Results).expect("a good beginning");
        let opened = files.open(&path).expect("a whole file");
        let mut read = [0; 64];
        opened.read_exact_at(&mut read, 1 << 20, ReadHint::Data).expect("what is there");
        assert_eq!(read, whole[1 << 20..][..64]);

        let mut damaged = whole.clone();
        damaged[2 << 20] ^= 1;
        std::fs::write(&path, &damaged).expect("a file");
        check(&path, Sort::Results).expect("a good beginning");
        let refused =
            |files: &Files| files.open(&path).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused(&files).contains("does not match its checksum"));
        std::fs::write(&path, &whole).expect("a file");
        assert_eq!(refused(&files), "known to be damaged", "not read again");

        std::fs::write(&path, &whole[..whole.len() - 1]).expect("a file");
        assert!(matches!(check(&path, Sort::Results), Err(FileFault::Length { .. })));
        assert!(matches!(
            check(&path, Sort::Distances),
            Err(FileFault::Length { .. } | FileFault::Magic { .. })
        ));
        let _ = std::fs::remove_file(&path);
    }

    #[test]
    fn reads_beyond_the_end_of_a_small_file_are_none() {
        let file = InMemory(vec![1, 2, 3]);
        let mut buffer = [0; 2];
        assert_eq!(file.read_at(&mut buffer, 2, ReadHint::Data).expect("a read"), 1);
        assert_eq!(file.read_at(&mut buffer, 3, ReadHint::Data).expect("a read"), 0);
        assert_eq!(file.read_at(&mut buffer, u64::MAX, ReadHint::Data).expect("a read"), 0);
        assert!(file.read_exact_at(&mut buffer, 2, ReadHint::Data).is_err());
    }
}
