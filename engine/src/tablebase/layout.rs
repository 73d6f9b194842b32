//! The head of a table's file, in both directions. `FORMAT.md` beside this file is the specification.

use std::ops::Range;

use thiserror::Error;

use super::checksum::crc32;
use super::{Index, Material, Metric, Outcome};
use crate::types::Color;

/// What every file begins with.
const MAGIC: [u8; 8] = *b"STRETTO\x1A";
/// The version that is written, and the only one that is read.
const VERSION: u16 = 1;
/// Bytes of the head before its lists.
pub(super) const FIXED: usize = 40;
/// Bytes of the name of the material.
const NAME: usize = 12;
/// Bytes of an entry in the list of blocks.
const ENTRY: usize = 6;
/// Places of a block, at most.
const MAX_PLACES: usize = 1 << 16;

/// Why bytes are no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// Something else.
    #[error("this is no endgame table of Stretto: it does not begin with its mark")]
    Foreign,
    /// Another version.
    #[error("version {found}; this program reads version {VERSION}")]
    Version {
        /// What it says.
        found: u16,
    },
    /// Something is missing, or too much.
    #[error("{found} bytes, expected {expected}: the file is cut off or something was added")]
    Length {
        /// What there is.
        found: u64,
        /// What it says there should be.
        expected: u64,
    },
    /// The head is damaged.
    #[error("the head is damaged: its checksum is wrong")]
    Head,
    /// The head is whole and makes no sense.
    #[error("the head makes no sense: {what}")]
    Malformed {
        /// What is wrong with it.
        what: &'static str,
    },
}

/// One side to move of a table, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSide {
    /// What the values of blocks stand for, the best outcome last.
    pub outcomes: Vec<Outcome>,
    /// The blocks, coded.
    pub blocks: Vec<Vec<u8>>,
}

/// Where a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockEntry {
    pub(super) bytes: Range<u64>,
    pub(super) checksum: u32,
}

/// What the head of a file says.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) material: Material,
    pub(super) metric: Metric,
    pub(super) rows_in_block: usize,
    /// By side to move: the outcomes and blocks, if that side is stored.
    pub(super) sides: [Option<(Vec<Outcome>, Vec<BlockEntry>)>; 2],
}

/// The bytes of a whole file.
///
/// Range: a block codes at most 65,536 places in at most 65,535 bytes; at least one side is stored.
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
        debug_assert!(u16::try_from(block.len()).is_ok(), "a block is longer than its places");
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

/// How long the head is, by its first [`FIXED`] bytes, in a file of so many bytes.
pub(super) fn head_length(fixed: &[u8], file: u64) -> Result<usize, LayoutError> {
    let mut reader = Reader(fixed);
    if reader.take(MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
        return Err(LayoutError::Foreign);
    }
    let cut = LayoutError::Length { found: file, expected: FIXED as u64 };
    let version = reader.u16().ok_or_else(|| cut.clone())?;
    if version != VERSION {
        return Err(LayoutError::Version { found: version });
    }
    reader.take(2 + NAME + 4).ok_or_else(|| cut.clone())?;
    let head = reader.u32().ok_or_else(|| cut.clone())?;
    let length = reader.u64().ok_or(cut)?;
    if length != file {
        return Err(LayoutError::Length { found: file, expected: length });
    }
    if u64::from(head) > file || (head as usize) < FIXED + 4 {
        return Err(LayoutError::Head);
    }
    Ok(head as usize)
}

impl Layout {
    /// By the whole head of a file of so many bytes.
    pub(super) fn read(head: &[u8], file: u64) -> Result<Self, LayoutError> {
        let length = head_length(head, file)?;
        let (body, sum) =
            head.get(..length).and_then(|head| head.split_last_chunk::<4>()).ok_or(LayoutError::Head)?;
        if crc32(body) != u32::from_le_bytes(*sum) {
            return Err(LayoutError::Head);
        }
        let mut reader = Reader(body);
        reader.take(MAGIC.len() + 2);
        let mut next = || reader.u8();
        let metric = next().and_then(metric_of);
        let metric = metric.ok_or(malformed("the metric has no name"))?;
        let stored = next().filter(|stored| (1..=3).contains(stored));
        let stored = stored.ok_or(malformed("no side to move is stored"))?;
        let material = reader.material().ok_or(malformed("the material is none"))?;
        let index = Index::new(material);
        let rows_in_block = reader.u32().unwrap_or(0) as usize;
        if rows_in_block == 0 || rows_in_block > MAX_PLACES / index.row_len() {
            return Err(malformed("blocks are empty or too long"));
        }
        reader.take(4 + 8);
        let is_stored = [0, 1].map(|side| stored >> side & 1 != 0);
        let mut outcomes = [None, None];
        for (outcomes, _) in outcomes.iter_mut().zip(is_stored).filter(|(_, is_stored)| *is_stored) {
            *outcomes = Some(reader.outcomes().ok_or(malformed("the list of outcomes is broken"))?);
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
            return Err(LayoutError::Length { found: file, expected: start });
        }
        Ok(Self { material, metric, rows_in_block, sides })
    }

    /// A side that is stored: White if both are.
    pub(super) fn stored_side(&self) -> Color {
        if self.sides[0].is_some() { Color::White } else { Color::Black }
    }
}

const fn malformed(what: &'static str) -> LayoutError {
    LayoutError::Malformed { what }
}

/// Takes numbers from the front.
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
        let is_one = material.is_canonical() && material.men() > 2 && material.to_string() == name;
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
    fn a_head_is_read_as_it_was_written() {
        let bytes = some();
        let layout = Layout::read(&bytes, bytes.len() as u64).expect("a layout");
        assert_eq!((layout.material.to_string().as_str(), layout.metric), ("KQvK", Metric::Dtc));
        let (outcomes, blocks) = layout.sides[1].as_ref().expect("Black is stored");
        assert_eq!((outcomes.len(), blocks.len(), layout.sides[0].is_none()), (3, 8, true));
        assert_eq!(blocks[7].bytes, bytes.len() as u64 - 3..bytes.len() as u64);
        assert_eq!(layout.stored_side(), Color::Black);
    }

    #[test]
    fn any_changed_byte_of_the_head_is_found() {
        let bytes = some();
        let head = head_length(&bytes, bytes.len() as u64).expect("a head");
        for place in 0..head {
            for flip in [1, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[place] ^= flip;
                assert!(Layout::read(&damaged, damaged.len() as u64).is_err(), "{place} {flip}");
            }
        }
        for length in 0..bytes.len() {
            assert!(Layout::read(&bytes[..length], length as u64).is_err(), "{length}");
        }
    }

    #[test]
    fn nonsense_with_a_right_checksum_is_refused() {
        let patched = |place: usize, byte: u8| {
            let mut bytes = some();
            let length = bytes.len() as u64;
            let head = head_length(&bytes, length).expect("a head");
            bytes[place] = byte;
            let sum = crc32(&bytes[..head - 4]);
            bytes[head - 4..head].copy_from_slice(&sum.to_le_bytes());
            Layout::read(&bytes, length).err()
        };
        assert_eq!(patched(10, 9), Some(malformed("the metric has no name")));
        assert_eq!(patched(11, 0), Some(malformed("no side to move is stored")));
        assert_eq!(patched(13, b'X'), Some(malformed("the material is none")));
        assert_eq!(patched(24, 0), Some(malformed("blocks are empty or too long")));
        assert_eq!(patched(24, 63), None, "as many blocks, a little shorter");
        assert_eq!(patched(24, 32), Some(malformed("the list of blocks is too short")));
        assert_eq!(patched(24, 128), Some(malformed("the list of blocks is too long")));
        assert_eq!(patched(40, 0), Some(malformed("the list of outcomes is broken")));
        assert_eq!(patched(8, 2), Some(LayoutError::Version { found: 2 }));
        assert_eq!(patched(0, b'x'), Some(LayoutError::Foreign));
    }
}
