//! Merging of books.
//!
//! An entry has the key of its position only, so its move may be castling or a move of another piece on the king's square.
//! Where the entries of a position have both encodings of castling, a walk from the start position finds the king.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::iter;
use std::path::Path;

use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Entry};
use stretto::position::{Game, Position};
use stretto::types::Color;

use super::traverse::Walk;
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
pub(crate) fn merge(books: &[Book], path: &Path) -> anyhow::Result<MergeSummary> {
    let mut writer = BookWriter::create(path)?;
    let mut summary = MergeSummary::default();
    let kings = castling_kings(books);
    for_each_position(books, |key, by_book| {
        let moves = joined(by_book, kings.get(&key).copied());
        let read = by_book.iter().map(Vec::len).sum::<usize>();
        summary.read += read as u64;
        summary.shared += (read - moves.len()) as u64;
        writer.write_weighed(moves)
    })?;
    (summary.positions, summary.entries) = (writer.positions, writer.entries);
    writer.finish("the books are empty")?;
    Ok(summary)
}

/// Passes the entries of each position, by book, to `visit`, in the order of the keys.
///
/// Errors: those of `visit`.
fn for_each_position<E>(
    books: &[Book],
    mut visit: impl FnMut(BookKey, &[Vec<Entry>]) -> Result<(), E>,
) -> Result<(), E> {
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
        visit(key, &by_book)?;
    }
    Ok(())
}

/// Returns the king's square of the side to move in each position that has both encodings of castling among its entries. Positions
/// that no player of one of the books reaches from the start position are left out.
///
/// The walk keeps the keys of the visited positions in memory. It is needed only if the books differ in their encoding.
fn castling_kings(books: &[Book]) -> HashMap<BookKey, u16> {
    let mut doubtful = HashSet::new();
    let Ok(()) = for_each_position(books, |key, by_book| {
        let has = |mv: BookMove| by_book.iter().flatten().any(|entry| entry.mv == mv);
        if by_book.iter().flatten().filter_map(|entry| castling_twin(entry.mv)).any(has) {
            doubtful.insert(key);
        }
        Ok::<_, Infallible>(())
    });
    let start = Game::new(Position::startpos());
    let mut kings = HashMap::new();
    let mut nodes =
        books.iter().flat_map(|book| Color::ALL.map(|color| Walk::new(book, color, &start))).flatten();
    while !doubtful.is_empty()
        && let Some(node) = nodes.next()
    {
        let (key, position) = (BookKey::of(&node.game), node.game.position());
        if doubtful.remove(&key) {
            kings.insert(key, position.king(position.side_to_move()).index() as u16);
        }
    }
    kings
}

/// Returns the moves of a position with their weights, from its entries by book. Both encodings of castling are one move if the
/// king is known to stand on the square that they start from.
fn joined(by_book: &[Vec<Entry>], king: Option<u16>) -> Vec<(Entry, u64)> {
    let mut moves: Vec<(Entry, u64)> = Vec::new();
    for &entry in by_book.iter().flatten() {
        let twin = castling_twin(entry.mv).filter(|twin| king == Some(twin.0 >> 6));
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
    use crate::books::traverse::tests::{lines, played};

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
        let books = [king.clone(), takes.clone()];
        assert_eq!(joined(&books, Some(4)), [(entry(5, short, 10, 1), 20)]);
        // The piece on e1 is another one, or unknown.
        for elsewhere in [Some(12), None] {
            let moves = joined(&books, elsewhere);
            assert_eq!(moves, [(entry(5, short, 10, 1), 10), (entry(5, rook, 10, 1), 10)]);
        }
    }

    /// Merges two books and returns the moves and weights after these moves.
    fn merged(books: &[Book], moves: &str) -> (Vec<(String, u16)>, MergeSummary) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("book.bin");
        let summary = merge(books, &out).unwrap();
        let book = Book::open(&out).unwrap();
        let entries = book.find(BookKey::of(&played(moves)));
        (entries.map(|entry| (entry.mv.to_string(), entry.weight)).collect(), summary)
    }

    #[test]
    fn castling_on_a_line_from_the_start_position_is_one_move() {
        let line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        let first = lines(&[(format!("{line} e1g1").as_str(), 10)]);
        // The other book has this position only, with the king's move instead of `e1h1`.
        let key = BookKey::of(&played(line));
        let second = Book::from_entries(vec![entry(key.0, 4 << 6 | 6, 5, 0)]).unwrap();
        let (moves, summary) = merged(&[first, second], line);
        assert_eq!(moves, [("e1h1".to_owned(), 15)]);
        assert_eq!((summary.read, summary.entries, summary.shared), (8, 7, 1));
    }

    #[test]
    fn moves_of_another_piece_on_the_king_square_are_kept() {
        // The queen stands on e1 and may move to c1 and to a1, the encodings of long castling.
        let line = "e2e4 e7e5 e1e2 g8f6 d1e1 f6g8 b1c3 g8f6 d2d3 f6g8 c1e3 g8f6 a2a4 f6g8 a1a3 g8f6";
        let books = ["e1c1", "e1a1"].map(|mv| lines(&[(format!("{line} {mv}").as_str(), 10)]));
        let (moves, _) = merged(&books, line);
        assert_eq!(moves, [("e1a1".to_owned(), 10), ("e1c1".to_owned(), 10)]);
    }
}
