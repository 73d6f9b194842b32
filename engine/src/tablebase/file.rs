//! One table in a file, or in bytes that are part of the program.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use thiserror::Error;

use super::checksum::crc32;
use super::codec::decode;
use super::layout::{BlockEntry, FIXED, Layout, LayoutError, head_length};
use super::{Index, Material, Metric, Outcome};
use crate::files;
use crate::sync::Mutex;
use crate::types::Color;

/// What is wrong with a table.
#[derive(Debug, Error)]
#[error("endgame table `{name}`: {problem}")]
pub struct TableError {
    /// Its file, or the men of one that is part of the program.
    pub name: String,
    /// What it is.
    pub problem: TableProblem,
}

/// What may be wrong with a table.
#[derive(Debug, Error)]
pub enum TableProblem {
    /// The system does not let it be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// It is no table, or a damaged one.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Its name promises another.
    #[error("holds {found}, expected {expected}")]
    Other {
        /// What is in it.
        found: String,
        /// What its name says.
        expected: String,
    },
    /// A block is damaged.
    #[error("block {block} is damaged: its checksum is wrong")]
    Block {
        /// Its number among those of the side to move.
        block: usize,
    },
}

/// Where the bytes are.
enum Source {
    /// A position in a file is shared by all who read it.
    File(Mutex<File>),
    Bytes(&'static [u8]),
    Owned(Vec<u8>),
}

/// A table that is read block by block.
pub struct Table {
    name: String,
    source: Source,
    layout: Layout,
    index: Index,
}

impl Table {
    /// Opens a file named as `KQvKR.dtm`. Its head is checked now, each block when it is read.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let fail = |problem: TableProblem| TableError { name: name.clone(), problem };
        let (mut file, length) = files::open(path).map_err(|error| fail(error.into()))?;
        let layout = Self::read_layout(&mut file, length).map_err(fail)?;
        let table = Self::new(name.clone(), Source::File(Mutex::new(file)), layout);
        let found = table.file_name();
        if path.file_name().is_some_and(|name| name == found.as_str()) {
            return Ok(table);
        }
        let expected = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Err(fail(TableProblem::Other { found, expected }))
    }

    fn read_layout(file: &mut File, length: u64) -> Result<Layout, TableProblem> {
        let mut head = vec![0; usize::try_from(length).unwrap_or(FIXED).min(FIXED)];
        file.read_exact(&mut head)?;
        let rest = head_length(&head, length)? - FIXED;
        head.resize(FIXED + rest, 0);
        file.read_exact(&mut head[FIXED..])?;
        Ok(Layout::read(&head, length)?)
    }

    /// A table that is part of the program.
    pub fn from_static(name: &str, bytes: &'static [u8]) -> Result<Self, TableError> {
        let layout = Self::layout_of(name, bytes)?;
        Ok(Self::new(name.to_owned(), Source::Bytes(bytes), layout))
    }

    /// A table in memory.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, TableError> {
        let layout = Self::layout_of(name, &bytes)?;
        Ok(Self::new(name.to_owned(), Source::Owned(bytes), layout))
    }

    fn layout_of(name: &str, bytes: &[u8]) -> Result<Layout, TableError> {
        Layout::read(bytes, bytes.len() as u64)
            .map_err(|error| TableError { name: name.to_owned(), problem: error.into() })
    }

    fn new(name: String, source: Source, layout: Layout) -> Self {
        let index = Index::new(layout.material);
        Self { name, source, layout, index }
    }

    /// The men.
    pub fn material(&self) -> Material {
        self.layout.material
    }

    /// What distances count to.
    pub fn metric(&self) -> Metric {
        self.layout.metric
    }

    /// Where positions stand in it.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How a file of this table is called.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.layout.material, self.layout.metric)
    }

    /// What values stand for with this side to move, the best outcome last; `None` if that side is not stored.
    pub fn outcomes(&self, side: Color) -> Option<&[Outcome]> {
        self.layout.sides[side.index()].as_ref().map(|(outcomes, _)| outcomes.as_slice())
    }

    /// A side to move that is stored.
    pub fn stored_side(&self) -> Color {
        self.layout.stored_side()
    }

    /// Rows of a block; the last may have fewer.
    pub fn rows_in_block(&self) -> usize {
        self.layout.rows_in_block
    }

    /// How many blocks each stored side has.
    pub fn blocks(&self) -> usize {
        self.index.rows().div_ceil(self.layout.rows_in_block)
    }

    /// The values of a block of a stored side, by place: numbers of [`Self::outcomes`]. Where no legal position stands, or the
    /// same as at another place, they mean nothing.
    pub fn block(&self, side: Color, block: usize) -> Result<Vec<u8>, TableError> {
        self.read_block(side, block).map_err(|problem| TableError { name: self.name.clone(), problem })
    }

    /// Is a block of a stored side as it was written? Its values are not computed, which takes far longer.
    pub fn check_block(&self, side: Color, block: usize) -> Result<(), TableError> {
        let checked = self.checked_bytes(side, block);
        checked.map(|_| ()).map_err(|problem| TableError { name: self.name.clone(), problem })
    }

    /// The bytes of a block, which have the right checksum, and what its values stand for.
    fn checked_bytes(&self, side: Color, block: usize) -> Result<(Vec<u8>, &[Outcome]), TableProblem> {
        let damaged = || TableProblem::Block { block };
        let (outcomes, blocks) = self.layout.sides[side.index()].as_ref().ok_or_else(damaged)?;
        let entry = blocks.get(block).ok_or_else(damaged)?;
        let bytes = self.bytes(entry)?;
        if crc32(&bytes) != entry.checksum {
            return Err(damaged());
        }
        Ok((bytes, outcomes))
    }

    fn read_block(&self, side: Color, block: usize) -> Result<Vec<u8>, TableProblem> {
        let (bytes, outcomes) = self.checked_bytes(side, block)?;
        let first = block * self.layout.rows_in_block;
        let rows = self.layout.rows_in_block.min(self.index.rows() - first);
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
