//! Discovery and verification of Syzygy files.
//!
//! A damaged file must not return wrong values, so files are verified as far as their size permits.
//! Small files (all of up to four pieces) are verified by checksum when found, medium ones on first
//! use. The largest, of six and seven pieces, are checked by length and signature only. Files are
//! read, not mapped, so that truncation during use is an error instead of a crash.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use thiserror::Error;

use super::checksum;
use crate::files;
use crate::sync::Mutex;

/// Maximum size of files that are verified when found and kept in memory after first use. Units:
/// bytes.
const SMALL: u64 = 1 << 20;

/// File signatures of the two table kinds.
const WDL_MAGIC: [u8; 4] = [0x71, 0xE8, 0x23, 0x5D];
const DTZ_MAGIC: [u8; 4] = [0xD7, 0x66, 0x0C, 0xA5];

/// The content of a Syzygy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TableKind {
    /// Win, draw or loss (`.rtbw`).
    Wdl,
    /// Distance to zeroing (`.rtbz`).
    Dtz,
}

impl TableKind {
    /// Returns the kind according to the file extension.
    pub(super) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "rtbw" => Some(Self::Wdl),
            "rtbz" => Some(Self::Dtz),
            _ => None,
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => WDL_MAGIC,
            Self::Dtz => DTZ_MAGIC,
        }
    }
}

/// Reason why a file is not a valid table.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum FileFault {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("is not a Syzygy table: wrong signature {found:02x?}, expected {expected:02x?}")]
    Magic {
        /// The first bytes of the file.
        found: [u8; 4],
        expected: [u8; 4],
    },
    #[error("has {len} bytes, expected a multiple of 64 plus 16: the file is incomplete")]
    Length {
        /// The length of the file. Units: bytes.
        len: u64,
    },
    #[error("does not match its checksum: the file is damaged")]
    Checksum,
    #[error("has no valid table name, such as KQvKR.rtbw")]
    Name,
}

/// Verifies a file as far as its size permits.
pub(super) fn check(path: &Path, kind: TableKind) -> Result<(), FileFault> {
    let (mut file, len) = files::open(path)?;
    if len <= SMALL {
        let mut data = Vec::new();
        file.read_to_end(&mut data)?;
        return check_data(&data, kind);
    }
    let mut first = [0; 4];
    file.read_exact(&mut first)?;
    check_length(len).and_then(|()| check_magic(first, kind))
}

/// Verifies a Syzygy file as [`Syzygy::open`](super::Syzygy::open) does, for a reader with [`Files`].
///
/// Errors: [`FileFault`].
pub fn check_syzygy_file(path: &Path) -> Result<(), FileFault> {
    check(path, TableKind::of(path).ok_or(FileFault::Name)?)
}

/// Verifies the complete contents of a file.
fn check_data(data: &[u8], kind: TableKind) -> Result<(), FileFault> {
    let len = data.len() as u64;
    // Too short for a signature.
    let first = data.first_chunk().ok_or(FileFault::Length { len })?;
    check_magic(*first, kind)?;
    check_length(len)?;
    if checksum::matches(data) == Some(false) { Err(FileFault::Checksum) } else { Ok(()) }
}

fn check_magic(found: [u8; 4], kind: TableKind) -> Result<(), FileFault> {
    let expected = kind.magic();
    if found == expected { Ok(()) } else { Err(FileFault::Magic { found, expected }) }
}

fn check_length(len: u64) -> Result<(), FileFault> {
    if len % checksum::ALIGNMENT as u64 == checksum::LEN as u64 {
        Ok(())
    } else {
        Err(FileFault::Length { len })
    }
}

/// The file access of the table reader. Each file is verified when first opened; a damaged one is
/// not opened again.
#[derive(Default)]
pub struct Files {
    damaged: Mutex<HashSet<PathBuf>>,
}

impl Files {
    /// Opens a file, after verifying it if it is not too large.
    fn open_checked(path: &Path) -> Result<Box<dyn RandomAccessFile>, FileFault> {
        let kind = TableKind::of(path).ok_or(FileFault::Name)?;
        let len = std::fs::metadata(path)?.len();
        if len <= (checksum::CHUNK + checksum::LEN) as u64 {
            let data = files::read(path, len)?;
            check_data(&data, kind)?;
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
        let to_io_error = |fault: &FileFault| io::Error::other(format!("{} {fault}", path.display()));
        if self.damaged.lock().contains(path) {
            return Err(io::Error::other("known to be damaged"));
        }
        Self::open_checked(path).map_err(|fault| {
            self.damaged.lock().insert(path.to_path_buf());
            to_io_error(&fault)
        })
    }
}

/// The contents of a small file.
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

    /// Returns the contents of a valid WDL file with `len` bytes before the checksum.
    fn table(len: usize) -> Vec<u8> {
        let mut data: Vec<u8> = (0..len).map(|index| ((index * index) >> 7) as u8).collect();
        data[..4].copy_from_slice(&WDL_MAGIC);
        let checksum = checksum::of_one_chunk(&data);
        data.extend(checksum.iter().flat_map(|word| word.to_le_bytes()));
        data
    }

    #[test]
    fn medium_files_are_verified_when_opened() {
        let path = std::env::temp_dir().join(format!("stretto-{}-middling.rtbw", std::process::id()));
        let whole = table(3 << 20);
        std::fs::write(&path, &whole).expect("a file");
        let files = Files::default();
        check(&path, TableKind::Wdl).expect("a good beginning");
        let opened = files.open(&path).expect("a whole file");
        let mut read = [0; 64];
        opened.read_exact_at(&mut read, 1 << 20, ReadHint::Data).expect("what is there");
        assert_eq!(read, whole[1 << 20..][..64]);

        let mut damaged = whole.clone();
        damaged[2 << 20] ^= 1;
        std::fs::write(&path, &damaged).expect("a file");
        check(&path, TableKind::Wdl).expect("a good beginning");
        let refused =
            |files: &Files| files.open(&path).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused(&files).contains("does not match its checksum"));
        std::fs::write(&path, &whole).expect("a file");
        assert_eq!(refused(&files), "known to be damaged", "not read again");

        std::fs::write(&path, &whole[..whole.len() - 1]).expect("a file");
        assert!(matches!(check(&path, TableKind::Wdl), Err(FileFault::Length { .. })));
        assert!(matches!(
            check(&path, TableKind::Dtz),
            Err(FileFault::Length { .. } | FileFault::Magic { .. })
        ));
        for len in [0, 2] {
            let short = check_data(&whole[..len], TableKind::Wdl);
            assert!(
                matches!(short, Err(FileFault::Length { len: found }) if found == len as u64),
                "{short:?}"
            );
        }
        let _ = std::fs::remove_file(&path);
    }

    #[test]
    fn reads_beyond_the_end_of_a_small_file_return_no_bytes() {
        let file = InMemory(vec![1, 2, 3]);
        let mut buffer = [0; 2];
        assert_eq!(file.read_at(&mut buffer, 2, ReadHint::Data).expect("a read"), 1);
        assert_eq!(file.read_at(&mut buffer, 3, ReadHint::Data).expect("a read"), 0);
        assert_eq!(file.read_at(&mut buffer, u64::MAX, ReadHint::Data).expect("a read"), 0);
        assert!(file.read_exact_at(&mut buffer, 2, ReadHint::Data).is_err());
    }
}
