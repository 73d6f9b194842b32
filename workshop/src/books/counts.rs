//! Move counts and scores by position, for more moves than fit into memory.
//!
//! Moves are collected in a buffer of fixed size. When it is full, equal moves are merged. If that
//! does not free enough space, the sorted buffer is written to an unnamed temporary file. At the
//! end, all files and the buffer are merged in key order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use stretto::book::{BookKey, BookMove};

/// The games and score of a move in a position. Size: 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Count {
    pub(super) key: BookKey,
    pub(super) mv: BookMove,
    /// Number of times that the move was played.
    pub(super) games: u32,
    /// Half-points of the side that played it: 2 for a win, 1 for a draw.
    pub(super) half_points: u32,
}

/// Size of a count in a file. Units: bytes.
const RECORD: usize = 18;

impl Count {
    const fn id(&self) -> (BookKey, BookMove) {
        (self.key, self.mv)
    }

    const fn add(&mut self, other: &Self) {
        self.games = self.games.saturating_add(other.games);
        self.half_points = self.half_points.saturating_add(other.half_points);
    }

    fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.key.0.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.mv.0.to_le_bytes());
        bytes[10..14].copy_from_slice(&self.games.to_le_bytes());
        bytes[14..].copy_from_slice(&self.half_points.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; RECORD]) -> Self {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, g0, g1, g2, g3, p0, p1, p2, p3] = bytes;
        Self {
            key: BookKey(u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7])),
            mv: BookMove(u16::from_le_bytes([m0, m1])),
            games: u32::from_le_bytes([g0, g1, g2, g3]),
            half_points: u32::from_le_bytes([p0, p1, p2, p3]),
        }
    }
}

/// A collection of counts.
pub(super) struct Counts {
    buffer: Vec<Count>,
    capacity: usize,
    runs: Vec<File>,
    /// Folder of the unnamed temporary files.
    folder: PathBuf,
}

impl Counts {
    /// Returns an empty collection that keeps at most `capacity` counts in memory and the rest in
    /// `folder`.
    pub(super) fn new(capacity: usize, folder: &Path) -> Self {
        Self { buffer: Vec::new(), capacity: capacity.max(2), runs: Vec::new(), folder: folder.to_path_buf() }
    }

    /// Returns the number of temporary files used so far.
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Adds a move of one game.
    pub(super) fn add(&mut self, count: Count) -> io::Result<()> {
        if self.buffer.len() == self.capacity {
            self.make_room()?;
        } else if self.buffer.capacity() == 0 {
            // Reserved at once, since growing by doubling needs half as much again. Untouched pages
            // cost nothing.
            self.buffer.reserve_exact(self.capacity);
        }
        self.buffer.push(count);
        Ok(())
    }

    fn make_room(&mut self) -> io::Result<()> {
        self.compact();
        if self.buffer.len() > self.capacity / 2 {
            let mut writer = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
            for count in self.buffer.drain(..) {
                writer.write_all(&count.to_bytes())?;
            }
            let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            self.runs.push(file);
        }
        Ok(())
    }

    /// Sorts the buffer and merges equal moves.
    fn compact(&mut self) {
        self.buffer.sort_unstable();
        self.buffer.dedup_by(|next, kept| {
            let is_same = next.id() == kept.id();
            if is_same {
                kept.add(next);
            }
            is_same
        });
    }

    /// Returns all counts in order of key and move, each move of a position once.
    pub(super) fn finish(mut self) -> io::Result<Merged> {
        self.compact();
        let mut merged = Merged { sources: Vec::new(), heap: BinaryHeap::new() };
        merged.sources.push(Source::Memory(self.buffer.into_iter()));
        for run in self.runs {
            merged.sources.push(Source::Disk(BufReader::with_capacity(1 << 16, run)));
        }
        for index in 0..merged.sources.len() {
            merged.refill(index)?;
        }
        Ok(merged)
    }
}

/// A sorted run of counts.
enum Source {
    Memory(std::vec::IntoIter<Count>),
    Disk(BufReader<File>),
}

impl Source {
    fn next(&mut self) -> io::Result<Option<Count>> {
        match self {
            Self::Memory(counts) => Ok(counts.next()),
            Self::Disk(reader) => {
                let mut bytes = [0; RECORD];
                match reader.read_exact(&mut bytes) {
                    Ok(()) => Ok(Some(Count::from_bytes(bytes))),
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

/// A k-way merge of all runs.
pub(super) struct Merged {
    sources: Vec<Source>,
    /// The next count of each source.
    heap: BinaryHeap<Reverse<(Count, usize)>>,
}

impl Merged {
    fn refill(&mut self, source: usize) -> io::Result<()> {
        if let Some(count) = self.sources[source].next()? {
            self.heap.push(Reverse((count, source)));
        }
        Ok(())
    }

    fn pop(&mut self) -> io::Result<Option<Count>> {
        let Some(Reverse((count, source))) = self.heap.pop() else { return Ok(None) };
        self.refill(source)?;
        Ok(Some(count))
    }

    /// Returns the next move, summed over all runs.
    pub(super) fn next(&mut self) -> io::Result<Option<Count>> {
        let Some(mut count) = self.pop()? else { return Ok(None) };
        while self.heap.peek().is_some_and(|Reverse((next, _))| next.id() == count.id()) {
            if let Some(next) = self.pop()? {
                count.add(&next);
            }
        }
        Ok(Some(count))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use stretto::types::SplitMix64;

    use super::*;

    #[test]
    fn sums_do_not_depend_on_the_buffer_size() {
        let folder = tempfile::tempdir().unwrap();
        for capacity in [2, 50, 997, 100_000] {
            let mut counts = Counts::new(capacity, folder.path());
            let (mut random, mut expected) = (SplitMix64::new(5), BTreeMap::new());
            for _ in 0..20_000 {
                let key = BookKey(random.below(700) << 40);
                let (mv, half_points) = (BookMove(random.below(5) as u16), random.below(3) as u32);
                counts.add(Count { key, mv, games: 1, half_points }).unwrap();
                let known: &mut (u32, u32) = expected.entry((key, mv)).or_default();
                *known = (known.0 + 1, known.1 + half_points);
            }
            assert_eq!(counts.runs() > 0, capacity < 5000, "{capacity}");
            let (mut merged, mut found) = (counts.finish().unwrap(), Vec::new());
            while let Some(count) = merged.next().unwrap() {
                found.push(((count.key, count.mv), (count.games, count.half_points)));
            }
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{capacity}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "temporary files are unnamed");
    }

    #[test]
    fn count_is_24_bytes() {
        assert_eq!(size_of::<Count>(), 24);
    }
}
