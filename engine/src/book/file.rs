//! A book's file: entries in the order of their keys, looked up where they lie.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::map::Bytes;
use super::{BookKey, ENTRY_BYTES, Entry};

/// How many places of a file are looked at before it is taken for a book.
const SAMPLES: usize = 256;

/// Why a file is no book.
#[derive(Debug, Error)]
pub enum BookError {
    /// The system refuses.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It holds something else.
    #[error("{} is no Polyglot book: {fault}", path.display())]
    NoBook {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: BookFault,
    },
}

/// What is wrong with bytes that should be a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BookFault {
    /// There are none.
    #[error("it is empty, expected at least one entry of {ENTRY_BYTES} bytes")]
    Empty,
    /// An entry is cut off, or these are no entries.
    #[error("it has {bytes} bytes, expected a multiple of {ENTRY_BYTES}")]
    Length {
        /// How many there are.
        bytes: usize,
    },
    /// Keys fall.
    #[error("entry {entry} has a smaller key than one before it, expected keys in rising order")]
    Order {
        /// Counted from 1.
        entry: usize,
    },
}

/// A Polyglot book, in a file that is not read before it is needed, or in memory.
#[derive(Debug)]
pub struct Book {
    bytes: Bytes,
}

impl Book {
    /// The book in a file.
    ///
    /// Whether keys rise is tried at some places only; [`Book::check_order`] tries all.
    ///
    /// Errors: [`BookError`] when the file cannot be read or is no book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let bytes =
            Bytes::of_file(path).map_err(|error| BookError::Read { path: path.to_path_buf(), error })?;
        Self::new(bytes).map_err(|fault| BookError::NoBook { path: path.to_path_buf(), fault })
    }

    /// The book with these bytes.
    ///
    /// Errors: [`BookFault`] when they are none.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, BookFault> {
        Self::new(Bytes::Owned(bytes))
    }

    /// The book of some entries, which need no order.
    ///
    /// Errors: [`BookFault::Empty`] when there are none.
    pub fn from_entries(mut entries: Vec<Entry>) -> Result<Self, BookFault> {
        entries.sort_by_key(|entry| entry.key);
        Self::from_bytes(entries.into_iter().flat_map(Entry::to_bytes).collect())
    }

    fn new(bytes: Bytes) -> Result<Self, BookFault> {
        let len = bytes.as_slice().len();
        if len == 0 {
            return Err(BookFault::Empty);
        }
        if !len.is_multiple_of(ENTRY_BYTES) {
            return Err(BookFault::Length { bytes: len });
        }
        let book = Self { bytes };
        let step = book.len().div_ceil(SAMPLES).max(1);
        book.expect_rising((0..book.len()).step_by(step).chain([book.len() - 1]))?;
        Ok(book)
    }

    /// Checks that all keys rise.
    ///
    /// Errors: [`BookFault::Order`], naming the first that does not.
    pub fn check_order(&self) -> Result<(), BookFault> {
        self.expect_rising(0..self.len())
    }

    fn expect_rising(&self, indices: impl Iterator<Item = usize>) -> Result<(), BookFault> {
        let mut last = BookKey(0);
        for index in indices {
            let key = key_of(&self.chunks()[index]);
            if key < last {
                return Err(BookFault::Order { entry: index + 1 });
            }
            last = key;
        }
        Ok(())
    }

    fn chunks(&self) -> &[[u8; ENTRY_BYTES]] {
        self.bytes.as_slice().as_chunks().0
    }

    /// How many entries there are, header lines included.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> usize {
        self.chunks().len()
    }

    /// All entries from this index on, header lines included.
    pub fn entries_from(&self, index: usize) -> impl Iterator<Item = Entry> {
        self.chunks().get(index..).unwrap_or_default().iter().map(|chunk| Entry::from_bytes(*chunk))
    }

    /// The index of the first entry with this key or a higher one.
    pub fn first_index(&self, key: BookKey) -> usize {
        self.chunks().partition_point(|chunk| key_of(chunk) < key)
    }

    /// The entries of a position, in the order of the file. Header lines are none.
    pub fn find(&self, key: BookKey) -> impl Iterator<Item = Entry> {
        let first = if key == BookKey(0) { self.len() } else { self.first_index(key) };
        self.entries_from(first).take_while(move |entry| entry.key == key)
    }
}

#[inline]
fn key_of(chunk: &[u8; ENTRY_BYTES]) -> BookKey {
    let [a, b, c, d, e, f, g, h, ..] = *chunk;
    BookKey(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::BookMove;

    fn entry(key: u64, mv: u16) -> Entry {
        Entry { key: BookKey(key), mv: BookMove(mv), weight: 1, ..Entry::default() }
    }

    #[test]
    fn finds_all_entries_of_a_key_from_the_first() {
        let keys = [0, 0, 3, 3, 3, 7, u64::MAX, u64::MAX];
        let entries = keys.iter().zip(1..).map(|(&key, mv)| entry(key, mv)).collect();
        let book = Book::from_entries(entries).expect("a book");
        let moves = |key| book.find(BookKey(key)).map(|entry| entry.mv.0).collect::<Vec<_>>();
        assert_eq!(moves(3), [3, 4, 5]);
        assert_eq!(moves(7), [6]);
        assert_eq!(moves(u64::MAX), [7, 8]);
        assert!(moves(0).is_empty(), "header lines");
        assert!(moves(5).is_empty() && moves(1).is_empty() && moves(u64::MAX - 1).is_empty());
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let fault = |bytes: &[u8]| Book::from_bytes(bytes.to_vec()).expect_err("no book");
        assert_eq!(fault(&[]), BookFault::Empty);
        assert_eq!(fault(&[0; 20]), BookFault::Length { bytes: 20 });
        let falling = [entry(2, 1).to_bytes(), entry(1, 1).to_bytes()].concat();
        assert_eq!(fault(&falling), BookFault::Order { entry: 2 });
        assert_eq!(
            fault(&falling).to_string(),
            "entry 2 has a smaller key than one before it, expected keys in rising order"
        );
    }

    #[test]
    fn disorder_between_samples_is_found_by_a_whole_check() {
        let mut entries: Vec<Entry> = (1..=10_000).map(|key| entry(key, 1)).collect();
        entries.swap(5001, 5003);
        let bytes = entries.into_iter().flat_map(Entry::to_bytes).collect();
        let book = Book::from_bytes(bytes).expect("a book at first sight");
        assert_eq!(book.check_order(), Err(BookFault::Order { entry: 5003 }));
    }

    #[test]
    fn files_are_refused_by_name() {
        let message = |path: &Path| {
            let error = Book::open(path).expect_err("no book");
            // The cause is part of the text, so whoever prints the chain of causes has it once.
            assert!(std::error::Error::source(&error).is_none());
            error.to_string()
        };
        assert!(message(Path::new("/no/such/book.bin")).starts_with("cannot read /no/such/book.bin: "));
        assert!(message(&std::env::temp_dir()).contains("expected a file"));
    }
}
