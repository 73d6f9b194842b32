//! Book files: entries sorted by key, found by binary search.
//!
//! A book is read as a whole. A mapped one would be faster to open, but a program that shortens the file would
//! end the engine.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{BookKey, ENTRY_BYTES, Entry};
use crate::files;

/// Number of entries whose order is checked when a file is opened.
const SAMPLES: usize = 256;

/// Reason why a book cannot be opened.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum BookError {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{} is not a Polyglot book: {fault}", path.display())]
    NoBook { path: PathBuf, fault: BookFault },
}

/// Reason why bytes are not a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum BookFault {
    #[error("the file is empty, expected at least one entry of {ENTRY_BYTES} bytes")]
    Empty,
    #[error("the file has {bytes} bytes, expected a multiple of {ENTRY_BYTES}")]
    Length {
        /// The length of the file. Units: bytes.
        bytes: usize,
    },
    #[error("entry {entry} has a smaller key than an earlier entry, expected ascending keys")]
    Order {
        /// Number of the entry, counted from 1.
        entry: usize,
    },
}

/// The longest book read. Units: bytes.
const LONGEST: u64 = 1 << 32;

/// A Polyglot book.
#[derive(Debug)]
pub struct Book {
    bytes: Vec<u8>,
}

impl Book {
    /// Opens the book in a file.
    ///
    /// Checks the order of the keys by samples; [`Book::check_order`] checks all.
    ///
    /// Errors: [`BookError`] if the file cannot be read or is not a book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let book = Self::open_unsorted(path)?;
        book.check_samples().map_err(|fault| BookError::NoBook { path: path.to_path_buf(), fault })?;
        Ok(book)
    }

    /// Opens the book in a file without a check of the order of its keys. If they do not ascend, look-ups miss
    /// entries.
    ///
    /// Errors: [`BookError`] if the file cannot be read or has no whole number of entries.
    pub fn open_unsorted(path: &Path) -> Result<Self, BookError> {
        let bytes = files::read(path, LONGEST)
            .map_err(|error| BookError::Read { path: path.to_path_buf(), error })?;
        Self::unsorted(bytes).map_err(|fault| BookError::NoBook { path: path.to_path_buf(), fault })
    }

    /// Creates a book from the bytes of a file.
    ///
    /// Errors: [`BookFault`] if they are not a book.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, BookFault> {
        let book = Self::unsorted(bytes)?;
        book.check_samples()?;
        Ok(book)
    }

    fn unsorted(bytes: Vec<u8>) -> Result<Self, BookFault> {
        let len = bytes.len();
        if len == 0 {
            return Err(BookFault::Empty);
        }
        if !len.is_multiple_of(ENTRY_BYTES) {
            return Err(BookFault::Length { bytes: len });
        }
        Ok(Self { bytes })
    }

    fn check_samples(&self) -> Result<(), BookFault> {
        let step = self.len().div_ceil(SAMPLES).max(1);
        self.check_ascending((0..self.len()).step_by(step).chain([self.len() - 1]))
    }

    /// Creates a book from entries in any order.
    ///
    /// Errors: [`BookFault::Empty`] if there are none.
    pub fn from_entries(mut entries: Vec<Entry>) -> Result<Self, BookFault> {
        entries.sort_by_key(|entry| entry.key);
        Self::from_bytes(entries.into_iter().flat_map(Entry::to_bytes).collect())
    }

    /// Checks that all keys ascend.
    ///
    /// Errors: [`BookFault::Order`] with the first entry that does not.
    pub fn check_order(&self) -> Result<(), BookFault> {
        self.check_ascending(0..self.len())
    }

    fn check_ascending(&self, indices: impl Iterator<Item = usize>) -> Result<(), BookFault> {
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
        self.bytes.as_chunks().0
    }

    /// Returns the number of entries, including header lines.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> usize {
        self.chunks().len()
    }

    /// Returns all entries from this index on, including header lines.
    pub fn entries_from(&self, index: usize) -> impl Iterator<Item = Entry> {
        self.chunks().get(index..).unwrap_or_default().iter().map(|chunk| Entry::from_bytes(*chunk))
    }

    /// Returns the index of the first entry with this or a larger key.
    pub fn first_index(&self, key: BookKey) -> usize {
        self.chunks().partition_point(|chunk| key_of(chunk) < key)
    }

    /// Returns the entries of a position in file order, without header lines.
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
    fn find_returns_all_entries_of_a_key_in_order() {
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
    fn invalid_books_are_rejected() {
        let fault = |bytes: &[u8]| Book::from_bytes(bytes.to_vec()).expect_err("no book");
        assert_eq!(fault(&[]), BookFault::Empty);
        assert_eq!(fault(&[0; 20]), BookFault::Length { bytes: 20 });
        let falling = [entry(2, 1).to_bytes(), entry(1, 1).to_bytes()].concat();
        assert_eq!(fault(&falling), BookFault::Order { entry: 2 });
        assert_eq!(
            fault(&falling).to_string(),
            "entry 2 has a smaller key than an earlier entry, expected ascending keys"
        );
    }

    #[test]
    fn check_order_finds_disorder_between_samples() {
        let mut entries: Vec<Entry> = (1..=10_000).map(|key| entry(key, 1)).collect();
        entries.swap(5001, 5003);
        let bytes = entries.into_iter().flat_map(Entry::to_bytes).collect();
        let book = Book::from_bytes(bytes).expect("disorder between the samples");
        assert_eq!(book.check_order(), Err(BookFault::Order { entry: 5003 }));
    }

    #[test]
    fn book_stays_as_it_was_opened() {
        let path = std::env::temp_dir().join(format!("stretto-book-{}.bin", std::process::id()));
        let bytes: Vec<u8> = (1..=1000).flat_map(|key| entry(key, 1).to_bytes()).collect();
        std::fs::write(&path, bytes).expect("a folder to write to");
        let book = Book::open(&path).expect("a book");
        std::fs::write(&path, []).expect("the same file, now empty");
        assert_eq!(book.find(BookKey(999)).count(), 1);
        std::fs::remove_file(&path).expect("the same file");
    }

    #[test]
    fn file_errors_contain_the_path() {
        let message = |path: &Path| {
            let error = Book::open(path).expect_err("no book");
            // The message contains the cause, so printing the error chain must not repeat it.
            assert!(std::error::Error::source(&error).is_none());
            error.to_string()
        };
        assert!(message(Path::new("/no/such/book.bin")).starts_with("cannot read /no/such/book.bin: "));
        assert!(message(&std::env::temp_dir()).contains("expected a regular file"));
    }
}
