//! Reading and writing of the file header. `FORMAT.md` in this folder is the specification.

use std::ops::Range;

use thiserror::Error;

use super::checksum::crc32;
use super::{Index, Material, Metric, Outcome};
use crate::types::Color;

/// The first bytes of every file.
const MAGIC: [u8; 8] = *b"STRETTO\x1A";
/// The only version that is written and read.
const VERSION: u16 = 1;
/// Size of the header before its lists. Units: bytes.
pub(super) const FIXED: usize = 40;
/// Size of the material name. Units: bytes.
const NAME: usize = 12;
/// Size of a block list entry. Units: bytes.
const ENTRY: usize = 6;
/// Maximum number of indices per block.
const MAX_BLOCK_ENTRIES: usize = 1 << 16;

/// Reason why bytes are not a valid table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum HeaderError {
    #[error("not a Stretto endgame table: wrong file signature")]
    Foreign,
    #[error("unsupported version {found}: expected version {VERSION}")]
    Version { found: u16 },
    #[error("the file has {found} bytes, expected {expected}: it is truncated or has trailing data")]
    Length {
        /// The actual length. Units: bytes.
        found: u64,
        /// The length according to the header. Units: bytes.
        expected: u64,
    },
    #[error("the header is damaged: checksum mismatch")]
    Head,
    #[error("the header is invalid: {what}")]
    Malformed { what: &'static str },
}

/// One side to move of a table in stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSide {
    /// Values that the codes in blocks stand for, best last.
    pub outcomes: Vec<Outcome>,
    /// The encoded blocks, in the order of their indices.
    pub blocks: Vec<Vec<u8>>,
}

/// Location and checksum of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockEntry {
    pub(super) bytes: Range<u64>,
    pub(super) checksum: u32,
}

/// The contents of a file header.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) material: Material,
    pub(super) metric: Metric,
    pub(super) rows_in_block: usize,
    /// By side to move: values and blocks, if that side is stored.
    pub(super) sides: [Option<(Vec<Outcome>, Vec<BlockEntry>)>; 2],
}

/// Assembles the bytes of a whole file.
///
/// Range: a block has at most 65,536 indices in at most 65,535 bytes; at least one side is stored.
pub fn assemble(
    material: Material,
    metric: Metric,
    rows_in_block: usize,
    sides: &[Option<StoredSide>; 2],
) -> Vec<u8> {
    let stored = || sides.iter().flatten();
    let lists: usize = stored().map(|side| 2 + 2 * side.outcomes.len() + ENTRY * side.blocks.len()).sum();
    let head = FIXED + lists + 4;
    let length = head + stored().flat_map(|side| &side.blocks).map(Vec::len).sum::<usize>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(metric_number(metric));
    bytes.push(u8::from(sides[0].is_some()) | u8::from(sides[1].is_some()) << 1);
    let mut name = material.to_string().into_bytes();
    name.resize(NAME, 0);
    bytes.extend(name);
    bytes.extend((rows_in_block as u32).to_le_bytes());
    bytes.extend((head as u32).to_le_bytes());
    bytes.extend((length as u64).to_le_bytes());
    for side in stored() {
        bytes.extend((side.outcomes.len() as u16).to_le_bytes());
        bytes.extend(side.outcomes.iter().flat_map(|&outcome| outcome_number(outcome).to_le_bytes()));
    }
    for block in stored().flat_map(|side| &side.blocks) {
        debug_assert!(u16::try_from(block.len()).is_ok(), "an encoded block exceeds 65,535 bytes");
        bytes.extend((block.len() as u16).to_le_bytes());
        bytes.extend(crc32(block).to_le_bytes());
    }
    let checksum = crc32(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(stored().flat_map(|side| &side.blocks).flatten());
    bytes
}

const fn metric_number(metric: Metric) -> u8 {
    match metric {
        Metric::Dtm => 0,
        Metric::Dtc => 1,
        Metric::Dtz => 2,
        Metric::Near => 3,
    }
}

const fn metric_of(number: u8) -> Option<Metric> {
    match number {
        0 => Some(Metric::Dtm),
        1 => Some(Metric::Dtc),
        2 => Some(Metric::Dtz),
        3 => Some(Metric::Near),
        _ => None,
    }
}

const fn outcome_number(outcome: Outcome) -> u16 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(plies) => plies << 2 | 1,
        Outcome::Loss(plies) => plies << 2 | 2,
    }
}

const fn outcome_of(number: u16) -> Option<Outcome> {
    match (number & 3, number >> 2) {
        (0, 0) => Some(Outcome::Draw),
        (1, plies) => Some(Outcome::Win(plies)),
        (2, plies) => Some(Outcome::Loss(plies)),
        _ => None,
    }
}

/// Returns the length of the header, from its first [`FIXED`] bytes and the length of the file.
pub(super) fn head_length(fixed: &[u8], file: u64) -> Result<usize, HeaderError> {
    let mut reader = Reader(fixed);
    if reader.take(MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
        return Err(HeaderError::Foreign);
    }
    let cut = HeaderError::Length { found: file, expected: FIXED as u64 };
    let version = reader.u16().ok_or_else(|| cut.clone())?;
    if version != VERSION {
        return Err(HeaderError::Version { found: version });
    }
    reader.take(2 + NAME + 4).ok_or_else(|| cut.clone())?;
    let head = reader.u32().ok_or_else(|| cut.clone())?;
    let length = reader.u64().ok_or(cut)?;
    if length != file {
        return Err(HeaderError::Length { found: file, expected: length });
    }
    if u64::from(head) > file || (head as usize) < FIXED + 4 {
        return Err(HeaderError::Head);
    }
    Ok(head as usize)
}

impl Header {
    /// Decodes the header of a file with the given length.
    pub(super) fn read(head: &[u8], file: u64) -> Result<Self, HeaderError> {
        let length = head_length(head, file)?;
        let (body, sum) =
            head.get(..length).and_then(|head| head.split_last_chunk::<4>()).ok_or(HeaderError::Head)?;
        if crc32(body) != u32::from_le_bytes(*sum) {
            return Err(HeaderError::Head);
        }
        let mut reader = Reader(body);
        reader.take(MAGIC.len() + 2);
        let mut next = || reader.u8();
        let metric = next().and_then(metric_of);
        let metric = metric.ok_or(malformed("unknown metric"))?;
        let stored = next().filter(|stored| (1..=3).contains(stored));
        let stored = stored.ok_or(malformed("no side to move is stored"))?;
        let material = reader.material().ok_or(malformed("invalid material"))?;
        let index = Index::new(material);
        let rows_in_block = reader.u32().unwrap_or(0) as usize;
        if rows_in_block == 0 || rows_in_block > MAX_BLOCK_ENTRIES / index.row_len() {
            return Err(malformed("invalid number of rows per block"));
        }
        reader.take(4 + 8);
        let is_stored = [0, 1].map(|side| stored >> side & 1 != 0);
        let mut outcomes = [None, None];
        for (outcomes, _) in outcomes.iter_mut().zip(is_stored).filter(|(_, is_stored)| *is_stored) {
            *outcomes = Some(reader.outcomes().ok_or(malformed("invalid list of outcomes"))?);
        }
        let blocks = index.rows().div_ceil(rows_in_block);
        let mut start = length as u64;
        let mut sides = [None, None];
        for (side, outcomes) in sides.iter_mut().zip(outcomes) {
            if let Some(outcomes) = outcomes {
                let entries = reader.blocks(blocks, &mut start);
                *side = Some((outcomes, entries.ok_or(malformed("the list of blocks is too short"))?));
            }
        }
        if !reader.0.is_empty() {
            return Err(malformed("the list of blocks is too long"));
        }
        if start != file {
            return Err(HeaderError::Length { found: file, expected: start });
        }
        Ok(Self { material, metric, rows_in_block, sides })
    }

    /// Returns a stored side: White if both are stored.
    pub(super) fn stored_side(&self) -> Color {
        if self.sides[0].is_some() { Color::White } else { Color::Black }
    }
}

const fn malformed(what: &'static str) -> HeaderError {
    HeaderError::Malformed { what }
}

/// A reader that takes numbers from the front of the bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn material(&mut self) -> Option<Material> {
        let name = std::str::from_utf8(self.take(NAME)?).ok()?.trim_end_matches('\0');
        let material: Material = name.parse().ok()?;
        let is_one = material.is_canonical() && material.piece_count() > 2 && material.to_string() == name;
        is_one.then_some(material)
    }

    fn outcomes(&mut self) -> Option<Vec<Outcome>> {
        let count = self.u16().filter(|count| (1..=256).contains(count))?;
        (0..count).map(|_| outcome_of(self.u16()?)).collect()
    }

    fn blocks(&mut self, count: usize, start: &mut u64) -> Option<Vec<BlockEntry>> {
        let mut entry = || {
            let (length, checksum) = (u64::from(self.u16()?), self.u32()?);
            let bytes = *start..*start + length;
            *start = bytes.end;
            Some(BlockEntry { bytes, checksum })
        };
        (0..count).map(|_| entry()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<u8> {
        let material: Material = "KQvK".parse().expect("a material");
        let rows = Index::new(material).rows();
        let side = StoredSide {
            outcomes: vec![Outcome::Loss(0), Outcome::Draw, Outcome::Win(1)],
            blocks: vec![vec![1, 2, 3]; rows.div_ceil(64)],
        };
        assemble(material, Metric::Dtc, 64, &[None, Some(side)])
    }

    #[test]
    fn numbers_of_metrics_and_outcomes_are_read_as_they_are_written() {
        for metric in [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Near] {
            assert_eq!(metric_of(metric_number(metric)), Some(metric));
        }
        assert_eq!(metric_of(4), None);
        let outcomes =
            [Outcome::Draw, Outcome::Win(0), Outcome::Loss(0), Outcome::Win(545), Outcome::Loss(544)];
        for outcome in outcomes {
            assert_eq!(outcome_of(outcome_number(outcome)), Some(outcome));
        }
        assert_eq!([4, 3].map(outcome_of), [None; 2]);
    }

    #[test]
    fn header_survives_encoding_and_decoding() {
        let bytes = some();
        let header = Header::read(&bytes, bytes.len() as u64).expect("a header");
        assert_eq!((header.material.to_string().as_str(), header.metric), ("KQvK", Metric::Dtc));
        let (outcomes, blocks) = header.sides[1].as_ref().expect("Black is stored");
        assert_eq!((outcomes.len(), blocks.len(), header.sides[0].is_none()), (3, 8, true));
        assert_eq!(blocks[7].bytes, bytes.len() as u64 - 3..bytes.len() as u64);
        assert_eq!(header.stored_side(), Color::Black);
    }

    #[test]
    fn any_changed_header_byte_is_detected() {
        let bytes = some();
        let head = head_length(&bytes, bytes.len() as u64).expect("a head");
        for place in 0..head {
            for flip in [1, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[place] ^= flip;
                assert!(Header::read(&damaged, damaged.len() as u64).is_err(), "{place} {flip}");
            }
        }
        for length in 0..bytes.len() {
            assert!(Header::read(&bytes[..length], length as u64).is_err(), "{length}");
        }
    }

    #[test]
    fn invalid_headers_with_a_correct_checksum_are_rejected() {
        let patched = |place: usize, byte: u8| {
            let mut bytes = some();
            let length = bytes.len() as u64;
            let head = head_length(&bytes, length).expect("a head");
            bytes[place] = byte;
            let sum = crc32(&bytes[..head - 4]);
            bytes[head - 4..head].copy_from_slice(&sum.to_le_bytes());
            Header::read(&bytes, length).err()
        };
        assert_eq!(patched(10, 9), Some(malformed("unknown metric")));
        assert_eq!(patched(11, 0), Some(malformed("no side to move is stored")));
        assert_eq!(patched(13, b'X'), Some(malformed("invalid material")));
        assert_eq!(patched(24, 0), Some(malformed("invalid number of rows per block")));
        assert_eq!(patched(24, 63), None, "the same number of slightly shorter blocks");
        assert_eq!(patched(24, 32), Some(malformed("the list of blocks is too short")));
        assert_eq!(patched(24, 128), Some(malformed("the list of blocks is too long")));
        assert_eq!(patched(40, 0), Some(malformed("invalid list of outcomes")));
        assert_eq!(patched(8, 2), Some(HeaderError::Version { found: 2 }));
        assert_eq!(patched(0, b'x'), Some(HeaderError::Foreign));
    }
}
