//! Files of books: opening with a check of the order, and writing position by position.

use std::io::Write;
use std::path::Path;

use anyhow::ensure;
use stretto::book::{Book, BookError, BookFault, BookKey, Entry};

use stretto_harness::base::errors::FileResult;
use stretto_harness::run::AtomicFile;

/// Opens a book and checks that its keys are sorted.
pub(crate) fn open_checked(path: &Path) -> anyhow::Result<Book> {
    let book = Book::open(path)?;
    let fault = |fault: BookFault| BookError::NoBook { path: path.to_path_buf(), fault };
    book.check_order().map_err(fault)?;
    Ok(book)
}

/// Checks that a book can be written, to fail before long work instead of after it.
///
/// Errors: the file cannot be created.
pub(crate) fn expect_writable(path: &Path) -> anyhow::Result<()> {
    AtomicFile::create(path).map(drop).or_cannot("write", path)
}

/// A book under construction in a temporary file.
pub(super) struct BookWriter<'a> {
    path: &'a Path,
    file: AtomicFile,
    pub(super) positions: u64,
    pub(super) entries: u64,
}

impl<'a> BookWriter<'a> {
    pub(super) fn create(path: &'a Path) -> anyhow::Result<Self> {
        let file = AtomicFile::create(path).or_cannot("write", path)?;
        Ok(Self { path, file, positions: 0, entries: 0 })
    }

    /// Writes the entries of a position unchanged.
    pub(super) fn write(&mut self, entries: &[Entry]) -> anyhow::Result<()> {
        for entry in entries {
            self.file.write_all(&entry.to_bytes()).or_cannot("write", self.path)?;
        }
        // Header lines are no entries.
        if entries.first().is_some_and(|entry| entry.key != BookKey(0)) {
            self.positions += 1;
            self.entries += entries.len() as u64;
        }
        Ok(())
    }

    /// Writes the moves of a position in descending order of weight, scaled to 16 bits.
    pub(super) fn write_weighed(&mut self, mut moves: Vec<(Entry, u64)>) -> anyhow::Result<()> {
        scale(&mut moves);
        let mut entries: Vec<Entry> = moves.into_iter().map(|(entry, _)| entry).collect();
        entries.sort_by_key(|entry| (std::cmp::Reverse(entry.weight), entry.mv));
        self.write(&entries)
    }

    /// Replaces the output file; fails with `why` if no entry was written.
    pub(super) fn finish(self, why: &str) -> anyhow::Result<()> {
        let file = self.path.display();
        ensure!(self.entries > 0, "no entry left for {file}: {why}; nothing was written");
        self.file.commit().or_cannot("write", self.path)
    }
}

/// Assigns the weights of a position. If one exceeds 16 bits, all are scaled proportionally; a
/// nonzero weight stays nonzero.
fn scale(moves: &mut [(Entry, u64)]) {
    let most = moves.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
    let limit = u64::from(u16::MAX);
    for (entry, weight) in moves {
        let fitting = if most <= limit {
            *weight
        } else {
            let scaled = (u128::from(*weight) * u128::from(limit) + u128::from(most / 2)) / u128::from(most);
            (scaled as u64).max(u64::from(*weight > 0))
        };
        entry.weight = fitting as u16;
    }
}

/// Passes a sorted sequence of entries to `visit`, one position at a time.
///
/// Errors: those of `visit`.
pub(super) fn by_position(
    entries: impl Iterator<Item = Entry>,
    mut visit: impl FnMut(&mut Vec<Entry>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut group: Vec<Entry> = Vec::new();
    for entry in entries {
        if group.first().is_some_and(|first| first.key != entry.key) {
            visit(&mut group)?;
            group.clear();
        }
        group.push(entry);
    }
    if group.is_empty() { Ok(()) } else { visit(&mut group) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_scaled_together_if_one_exceeds_16_bits() {
        let scaled = |weights: &[u64]| {
            let mut moves: Vec<(Entry, u64)> =
                weights.iter().map(|&weight| (Entry::default(), weight)).collect();
            scale(&mut moves);
            moves.into_iter().map(|(entry, _)| entry.weight).collect::<Vec<_>>()
        };
        assert_eq!(scaled(&[65_535, 7, 0]), [65_535, 7, 0]);
        assert_eq!(scaled(&[131_070, 65_535, 1, 0]), [65_535, 32_768, 1, 0]);
        assert_eq!(scaled(&[u64::MAX, u64::MAX / 2, 1]), [65_535, 32_767, 1]);
    }
}
