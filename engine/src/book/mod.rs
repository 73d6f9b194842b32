//! Opening books in the Polyglot format.
//!
//! [`BookKey`] is the key of a position, [`Book`] the file, [`BookMove`] the encoding of a move,
//! and [`choose`] selects one of several moves. [`OwnBook`] combines these with the settings of an
//! engine. The engine consults it before a search; the workshop builds, edits and checks books with
//! the same types. The module knows neither searches nor options.

mod choice;
mod entry;
mod file;
mod key;
mod own;
mod random;

pub use choice::{Candidate, Selection, candidates, choose};
pub use entry::{BookMove, ENTRY_BYTES, Entry, Learned};
pub use file::{Book, BookError, BookFault};
pub use key::BookKey;
pub use own::{Choice, DEFAULT_DEPTH, OwnBook};
