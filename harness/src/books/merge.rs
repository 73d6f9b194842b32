//! Merging of books.

use std::iter;
use std::path::Path;

use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Entry};

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

/// Writes a book with all moves of the given books. Weights of the same move are added; encoding and
/// learning data are taken from the first book that has the move. Header lines are dropped.
///
/// Errors: the file cannot be written.
pub(crate) fn merge(books: &[Book], path: &Path) -> Result<MergeSummary, BookToolError> {
    let mut writer = BookWriter::create(path)?;
    let mut summary = MergeSummary::default();
    let mut next: Vec<_> = books
        .iter()
        .map(|book| book.entries_from(0).skip_while(|entry| entry.key == BookKey(0)).peekable())
        .collect();
    let mut by_book: Vec<Vec<Entry>> = vec![Vec::new(); books.len()];
    while let Some(key) = next.iter_mut().filter_map(|book| Some(book.peek()?.key)).min() {
        for (entries, book) in by_book.iter_mut().zip(&mut next) {
            entries.clear();
            entries.extend(iter::from_fn(|| book.next_if(|entry| entry.key == key)));
        }
        let moves = joined(&by_book);
        let read = by_book.iter().map(Vec::len).sum::<usize>();
        summary.read += read as u64;
        summary.shared += (read - moves.len()) as u64;
        writer.write_weighed(moves)?;
    }
    (summary.positions, summary.entries) = (writer.positions, writer.entries);
    writer.finish("the books are empty")?;
    Ok(summary)
}

/// Returns the moves of a position with their weights, from its entries by book.
///
/// Without the position, a king's move cannot be distinguished from that of another piece on the
/// king's square. A book encodes castling in one way, so both encodings in one book are two moves of
/// another piece.
fn joined(by_book: &[Vec<Entry>]) -> Vec<(Entry, u64)> {
    let has_both = |entries: &Vec<Entry>| {
        let mut twins = entries.iter().filter_map(|entry| castling_twin(entry.mv));
        twins.any(|twin| entries.iter().any(|entry| entry.mv == twin))
    };
    let joins_castling = !by_book.iter().any(has_both);
    let mut moves: Vec<(Entry, u64)> = Vec::new();
    for &entry in by_book.iter().flatten() {
        let twin = castling_twin(entry.mv).filter(|_| joins_castling);
        match moves.iter_mut().find(|(known, _)| known.mv == entry.mv || Some(known.mv) == twin) {
            Some((_, weight)) => *weight += u64::from(entry.weight),
            None => moves.push((entry, u64::from(entry.weight))),
        }
    }
    moves
}

/// Returns the other encoding of castling: the king takes its rook (`e1h1`), or moves to its target
/// (`e1g1`). `None` if the move cannot be castling from the usual squares.
fn castling_twin(mv: BookMove) -> Option<BookMove> {
    /// The king's square and the two targets, from e1 to g1 or h1, to c1 or a1, and the same for Black.
    const CASTLING: [(u16, [u16; 2]); 4] = [(4, [6, 7]), (4, [2, 0]), (60, [62, 63]), (60, [58, 56])];
    CASTLING.iter().find_map(|&(from, targets)| {
        let [king_move, king_takes_rook] = targets.map(|to| BookMove(from << 6 | to));
        match mv {
            mv if mv == king_move => Some(king_takes_rook),
            mv if mv == king_takes_rook => Some(king_move),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use stretto::book::Learned;

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

    #[test]
    fn castling_in_both_encodings_is_one_move() {
        // e1g1 and e1h1, e8c8 and e8a8; a king from e2 never castles.
        let code = |from: u16, to: u16| from << 6 | to;
        let (short, rook) = (code(4, 6), code(4, 7));
        assert_eq!(castling_twin(BookMove(short)), Some(BookMove(rook)));
        assert_eq!(castling_twin(BookMove(rook)), Some(BookMove(short)));
        assert_eq!(castling_twin(BookMove(code(60, 58))), Some(BookMove(code(60, 56))));
        assert_eq!(castling_twin(BookMove(code(12, 6))), None);
        assert_eq!(castling_twin(BookMove(code(4, 3))), None);
        let [king, takes] = [short, rook].map(|mv| vec![entry(5, mv, 10, 1)]);
        let both = joined(&[king.clone(), takes.clone()]);
        assert_eq!(both, [(entry(5, short, 10, 1), 20)]);
        // A single book with both has moves of another piece from e1.
        let ordinary = [king[0], takes[0]].to_vec();
        assert_eq!(joined(&[ordinary, king]), [(entry(5, short, 10, 1), 20), (entry(5, rook, 10, 1), 10)]);
    }
}
