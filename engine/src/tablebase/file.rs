//! A single table in a file or in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use thiserror::Error;

use super::checksum::crc32;
use super::codec::decode;
use super::header::{BlockEntry, FIXED, Header, HeaderError, head_length};
use super::{Index, Material, Metric, Outcome};
use crate::files;
use crate::sync::Mutex;
use crate::types::Color;

/// Error of a table, with its name.
#[derive(Debug, Error)]
#[error("endgame table `{name}`: {problem}")]
pub struct TableError {
    /// The file name, or the pieces of an embedded table.
    pub name: String,
    /// The reason why the table cannot be used.
    pub problem: TableProblem,
}

/// Problem of a table.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum TableProblem {
    #[error("{0}")]
    Read(#[from] io::Error),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error("contains {found}, expected {expected}")]
    Other {
        found: String,
        /// The table according to the name.
        expected: String,
    },
    #[error("block {block} is damaged: checksum mismatch")]
    Block {
        /// Number of the block among those of the side to move.
        block: usize,
    },
}

/// Storage of a table's bytes.
enum Source {
    /// A file, locked because its read position is shared.
    File(Mutex<File>),
    Bytes(&'static [u8]),
    Owned(Vec<u8>),
}

/// A table that is read block by block.
pub struct TableFile {
    name: String,
    source: Source,
    header: Header,
    index: Index,
}

impl TableFile {
    /// Opens a file with a name such as `KQvKR.dtm`. The header is verified now, each block when it
    /// is read.
    ///
    /// Errors: [`TableError`] if the file cannot be read, is not a valid table, or does not match
    /// its name.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let fail = |problem: TableProblem| TableError { name: name.clone(), problem };
        let (mut file, length) = files::open(path).map_err(|error| fail(error.into()))?;
        let header = Self::read_header(&mut file, length).map_err(fail)?;
        let table = Self::new(name.clone(), Source::File(Mutex::new(file)), header);
        let found = table.file_name();
        if path.file_name().is_some_and(|name| name == found.as_str()) {
            return Ok(table);
        }
        let expected = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Err(fail(TableProblem::Other { found, expected }))
    }

    fn read_header(file: &mut File, length: u64) -> Result<Header, TableProblem> {
        let mut head = vec![0; usize::try_from(length).unwrap_or(FIXED).min(FIXED)];
        file.read_exact(&mut head)?;
        let rest = head_length(&head, length)? - FIXED;
        head.resize(FIXED + rest, 0);
        file.read_exact(&mut head[FIXED..])?;
        Ok(Header::read(&head, length)?)
    }

    /// Opens an embedded table.
    ///
    /// Errors: [`TableError`] if the bytes are not a valid table.
    pub fn from_static(name: &str, bytes: &'static [u8]) -> Result<Self, TableError> {
        let header = Self::header_of(name, bytes)?;
        Ok(Self::new(name.to_owned(), Source::Bytes(bytes), header))
    }

    /// Opens a table in memory.
    ///
    /// Errors: [`TableError`] if the bytes are not a valid table.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, TableError> {
        let header = Self::header_of(name, &bytes)?;
        Ok(Self::new(name.to_owned(), Source::Owned(bytes), header))
    }

    fn header_of(name: &str, bytes: &[u8]) -> Result<Header, TableError> {
        Header::read(bytes, bytes.len() as u64)
            .map_err(|error| TableError { name: name.to_owned(), problem: error.into() })
    }

    fn new(name: String, source: Source, header: Header) -> Self {
        let index = Index::new(header.material);
        Self { name, source, header, index }
    }

    /// Returns the pieces of the table.
    pub fn material(&self) -> Material {
        self.header.material
    }

    /// Returns the metric of the distances.
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// Returns the mapping of positions to indices.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the file name for this table.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.header.material, self.header.metric)
    }

    /// Returns the values that the codes stand for, best last, for a side to move; `None` if that
    /// side is not stored.
    pub fn outcomes(&self, side: Color) -> Option<&[Outcome]> {
        self.header.sides[side.index()].as_ref().map(|(outcomes, _)| outcomes.as_slice())
    }

    /// Returns a side to move that is stored.
    pub fn stored_side(&self) -> Color {
        self.header.stored_side()
    }

    /// Returns the number of rows per block; the last block may have fewer.
    pub fn rows_in_block(&self) -> usize {
        self.header.rows_in_block
    }

    /// Returns the number of blocks per stored side.
    pub fn blocks(&self) -> usize {
        self.index.rows().div_ceil(self.header.rows_in_block)
    }

    /// Decodes a block of a stored side into codes, which index [`Self::outcomes`]. Codes of
    /// illegal positions and of duplicates by symmetry are meaningless.
    ///
    /// Errors: [`TableError`] if the block cannot be read or is damaged.
    pub fn block(&self, side: Color, block: usize) -> Result<Vec<u8>, TableError> {
        self.read_block(side, block).map_err(|problem| TableError { name: self.name.clone(), problem })
    }

    /// Verifies the checksum of a block without decoding it, which would take far longer.
    ///
    /// Errors: [`TableError`] if the block cannot be read or is damaged.
    pub fn check_block(&self, side: Color, block: usize) -> Result<(), TableError> {
        let checked = self.checked_bytes(side, block);
        checked.map(|_| ()).map_err(|problem| TableError { name: self.name.clone(), problem })
    }

    /// Returns the verified bytes of a block and the values that its codes stand for.
    fn checked_bytes(&self, side: Color, block: usize) -> Result<(Vec<u8>, &[Outcome]), TableProblem> {
        let damaged = || TableProblem::Block { block };
        let (outcomes, blocks) = self.header.sides[side.index()].as_ref().ok_or_else(damaged)?;
        let entry = blocks.get(block).ok_or_else(damaged)?;
        let bytes = self.bytes(entry)?;
        if crc32(&bytes) != entry.checksum {
            return Err(damaged());
        }
        Ok((bytes, outcomes))
    }

    fn read_block(&self, side: Color, block: usize) -> Result<Vec<u8>, TableProblem> {
        let (bytes, outcomes) = self.checked_bytes(side, block)?;
        let first = block * self.header.rows_in_block;
        let rows = self.header.rows_in_block.min(self.index.rows() - first);
        let mut values = vec![0; rows * self.index.row_len()];
        decode(&self.index, side, first, outcomes.len(), &bytes, &mut values);
        if values.iter().any(|&value| usize::from(value) >= outcomes.len()) {
            return Err(TableProblem::Block { block });
        }
        Ok(values)
    }

    fn bytes(&self, entry: &BlockEntry) -> Result<Vec<u8>, TableProblem> {
        let range = entry.bytes.start as usize..entry.bytes.end as usize;
        match &self.source {
            Source::Bytes(bytes) => Ok(bytes.get(range).unwrap_or(&[]).to_vec()),
            Source::Owned(bytes) => Ok(bytes.get(range).unwrap_or(&[]).to_vec()),
            Source::File(file) => {
                let mut bytes = vec![0; range.len()];
                let mut file = file.lock();
                file.seek(SeekFrom::Start(entry.bytes.start))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}
