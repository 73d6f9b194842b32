//! Merging of books.

use std::path::Path;

use serde::Serialize;
use stretto::book::{Book, BookKey, Entry};

use super::BookToolError;
use super::write::BookWriter;

/// The result of merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct MergeSummary {
    /// Entries of all input books.
    pub read: u64,
    /// Positions in the merged book.
    pub positions: u64,
    /// Entries in the merged book.
    pub entries: u64,
    /// Entries whose move an earlier book, or an earlier entry, already had.
    pub shared: u64,
}

/// Writes a book with all moves of the given books. Weights of the same move are added; learning
/// data is taken from the first book that has the move. Header lines are dropped.
///
/// Errors: the file cannot be written.
pub(crate) fn merge(books: &[Book], path: &Path) -> Result<MergeSummary, BookToolError> {
    let mut writer = BookWriter::create(path)?;
    let mut summary = MergeSummary::default();
    let mut next: Vec<_> = books
        .iter()
        .map(|book| book.entries_from(0).skip_while(|entry| entry.key == BookKey(0)).peekable())
        .collect();
    while let Some(key) = next.iter_mut().filter_map(|book| Some(book.peek()?.key)).min() {
        let mut moves: Vec<(Entry, u64)> = Vec::new();
        for book in &mut next {
            while let Some(entry) = book.next_if(|entry| entry.key == key) {
                summary.read += 1;
                match moves.iter_mut().find(|(known, _)| known.mv == entry.mv) {
                    Some((_, weight)) => {
                        *weight += u64::from(entry.weight);
                        summary.shared += 1;
                    }
                    None => moves.push((entry, u64::from(entry.weight))),
                }
            }
        }
        writer.write_weighed(moves)?;
    }
    (summary.positions, summary.entries) = (writer.positions, writer.entries);
    writer.finish("the books are empty")?;
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use stretto::book::{BookMove, Learned};

    use super::*;

    fn entry(key: u64, mv: u16, weight: u16, games: u16) -> Entry {
        let learned = Learned { games, half_points: games };
        Entry { key: BookKey(key), mv: BookMove(mv), weight, learned }
    }

    #[test]
    fn weights_are_added_and_learning_data_is_kept_from_the_first_book() {
        let book = |entries: &[Entry]| Book::from_entries(entries.to_vec()).unwrap();
        let first = book(&[entry(0, 9, 9, 9), entry(5, 1, 10, 3), entry(5, 2, 60_000, 0), entry(9, 1, 1, 0)]);
        let second = book(&[entry(3, 7, 4, 1), entry(5, 1, 30, 8), entry(5, 2, 60_000, 2)]);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("book.bin");
        let summary = merge(&[first, second], &out).unwrap();
        assert_eq!(summary, MergeSummary { read: 6, positions: 3, entries: 4, shared: 2 });
        let found: Vec<Entry> = Book::open(&out).unwrap().entries_from(0).collect();
        // 120,000 exceeds 16 bits: both moves of the position are scaled.
        assert_eq!(found, [entry(3, 7, 4, 1), entry(5, 2, 65_535, 0), entry(5, 1, 22, 3), entry(9, 1, 1, 0)]);
    }
}
