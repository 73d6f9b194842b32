//! Files of Gaviota's tables, compressed by scheme 4 (`*.gtb.cp4`).
//!
//! A file starts with ten 32-bit words, little-endian: the third is the number of values per block,
//! the ninth the offset of the first block. Then follow the offsets of all blocks, first those of
//! White to move, then those of Black, and the end of the last one. A block is an LZMA stream with a
//! header of 15 bytes: two bytes, of which the second selects a filter for machine code, then the
//! properties, the size of the dictionary and that of the content. The file does not contain the
//! name of the table, and no checksum other than that each LZMA stream has to end as announced.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lzma_rust2::LzmaReader;
use rayon::prelude::*;
use stretto::types::Color;
use thiserror::Error;

/// Number of values per block.
const BLOCK: usize = 16_384;
/// LZMA properties of all blocks: 3 literal context bits, 0 literal position bits, 2 position bits.
const PROPERTIES: u8 = (2 * 5) * 9 + 3;
/// Size of the header of a file, and of a block. Units: bytes.
const HEADER: usize = 40;
const BLOCK_HEADER: usize = 15;
/// Offsets in the header: the number of values per block, and the offset of the first block.
const AT_BLOCK: usize = 8;
const AT_FIRST: usize = 32;

/// A file that cannot be read or is not a valid table.
#[derive(Debug, Error)]
#[error("{}: {problem}", file.display())]
pub(crate) struct GaviotaError {
    file: PathBuf,
    problem: GaviotaProblem,
}

/// The fault of a file.
#[derive(Debug, Error)]
enum GaviotaProblem {
    #[error("cannot read the file: {0}")]
    Unreadable(#[from] io::Error),
    #[error("has {found} bytes, expected at least {expected} for the header and the block index of {table}")]
    Short { found: usize, expected: usize, table: String },
    #[error(
        "the header announces {found} values per block, expected {BLOCK}: not a table of compression scheme 4"
    )]
    BlockSize { found: u32 },
    #[error(
        "the header puts the first block at byte {found}, expected {expected} for {table}: the table of other pieces, or damaged"
    )]
    FirstBlock { found: u32, expected: usize, table: String },
    #[error("the block index puts block {block} of {blocks} at bytes {from} to {to}, of {length}: damaged")]
    Bounds { block: usize, blocks: usize, from: u32, to: u32, length: usize },
    #[error("has {found} bytes, but the last block ends at byte {expected}: {}", if found < expected { "truncated" } else { "followed by other data" })]
    Length { found: usize, expected: usize },
    #[error("block {block} of {blocks}: {problem}: damaged")]
    Block { block: usize, blocks: usize, problem: BlockProblem },
}

/// The fault of a block.
#[derive(Debug, Error)]
enum BlockProblem {
    #[error("has {0} bytes, expected more than {BLOCK_HEADER}")]
    Short(usize),
    #[error("has the filter {0}, expected none")]
    Filter(u8),
    #[error("has the LZMA properties {0}, expected {PROPERTIES}")]
    Properties(u8),
    #[error("announces {found} values, expected {expected}")]
    Values { found: u64, expected: usize },
    #[error("cannot be decompressed ({0})")]
    Lzma(#[from] io::Error),
    #[error("has {0} bytes after the compressed values")]
    Rest(usize),
}

/// A table file in memory.
pub(super) struct TableBytes {
    file: PathBuf,
    bytes: Vec<u8>,
    /// Number of values per side to move.
    places: usize,
    /// Start of each block and the end of the last.
    bounds: Vec<usize>,
}

impl TableBytes {
    /// Reads the file of a table with this many places.
    pub(super) fn read(file: &Path, table: &str, places: usize) -> Result<Self, GaviotaError> {
        let bytes = std::fs::read(file).map_err(|error| fault(file, error.into()))?;
        Self::parse(file, bytes, table, places)
    }

    /// Parses the header and the block index.
    pub(super) fn parse(
        file: &Path,
        bytes: Vec<u8>,
        table: &str,
        places: usize,
    ) -> Result<Self, GaviotaError> {
        let bounds = bounds(&bytes, table, places).map_err(|problem| fault(file, problem))?;
        Ok(Self { file: file.to_owned(), bytes, places, bounds })
    }

    /// Returns the values of all places with this side to move.
    pub(super) fn values(&self, side: Color) -> Result<Vec<u8>, GaviotaError> {
        let mut values = vec![0; self.places];
        let first = side.index() * self.places.div_ceil(BLOCK);
        values.par_chunks_mut(BLOCK).enumerate().try_for_each(|(number, values)| {
            let (block, blocks) = (first + number, self.bounds.len() - 1);
            decompress(&self.bytes[self.bounds[block]..self.bounds[block + 1]], values).map_err(|problem| {
                fault(&self.file, GaviotaProblem::Block { block: block + 1, blocks, problem })
            })
        })?;
        Ok(values)
    }
}

fn fault(file: &Path, problem: GaviotaProblem) -> GaviotaError {
    GaviotaError { file: file.to_owned(), problem }
}

/// Returns the little-endian number at an offset. Range: four bytes must be there.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |&word| u32::from_le_bytes(word))
}

/// Returns the start of each block and the end of the last.
fn bounds(bytes: &[u8], table: &str, places: usize) -> Result<Vec<usize>, GaviotaProblem> {
    let (table, length) = (table.to_owned(), bytes.len());
    let blocks = 2 * places.div_ceil(BLOCK);
    let expected = HEADER + 4 * (blocks + 1);
    if length < HEADER {
        return Err(GaviotaProblem::Short { found: length, expected, table });
    }
    let found = word(bytes, AT_BLOCK);
    if found as usize != BLOCK {
        return Err(GaviotaProblem::BlockSize { found });
    }
    let found = word(bytes, AT_FIRST);
    if found as usize != expected {
        return Err(GaviotaProblem::FirstBlock { found, expected, table });
    }
    if length < expected {
        return Err(GaviotaProblem::Short { found: length, expected, table });
    }
    let bounds: Vec<u32> = (0..=blocks).map(|block| word(bytes, HEADER + 4 * block)).collect();
    if bounds[0] as usize != expected {
        return Err(GaviotaProblem::FirstBlock { found: bounds[0], expected, table });
    }
    for (number, pair) in bounds.windows(2).enumerate() {
        if pair[0] >= pair[1] {
            let (block, from, to) = (number + 1, pair[0], pair[1]);
            return Err(GaviotaProblem::Bounds { block, blocks, from, to, length });
        }
    }
    let end = bounds[blocks] as usize;
    if end != length {
        return Err(GaviotaProblem::Length { found: length, expected: end });
    }
    Ok(bounds.into_iter().map(|bound| bound as usize).collect())
}

/// Decompresses a block with exactly as many values as there is room for.
fn decompress(block: &[u8], values: &mut [u8]) -> Result<(), BlockProblem> {
    let Some((header, stream)) = block.split_first_chunk::<BLOCK_HEADER>() else {
        return Err(BlockProblem::Short(block.len()));
    };
    let [_, filter, properties, dictionary @ ..] = header;
    if *filter != 0 {
        return Err(BlockProblem::Filter(*filter));
    }
    if *properties != PROPERTIES {
        return Err(BlockProblem::Properties(*properties));
    }
    let dictionary_size = word(dictionary, 0);
    let found = u64::from(word(header, 7)) | u64::from(word(header, 11)) << 32;
    if found != values.len() as u64 {
        return Err(BlockProblem::Values { found, expected: values.len() });
    }
    let mut reader = LzmaReader::new_with_props(stream, found, *properties, dictionary_size, None)?;
    // The state of the decoder at the end serves as a checksum.
    reader.set_relaxed_end_condition(false);
    reader.read_exact(values)?;
    let (unread, buffered) = reader.into_parts();
    match unread.len() + buffered.len() {
        0 => Ok(()),
        rest => Err(BlockProblem::Rest(rest)),
    }
}
