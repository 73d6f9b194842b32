//! Opening books in the Polyglot format.
//!
//! Decides by which key a book knows a position ([`BookKey`]), what a file may hold ([`Book`]), which legal move an entry
//! means ([`BookMove`]), and which of several is taken ([`choose`]). [`OwnBook`] is all that with a player's settings: a
//! book says what to play before anything is searched, so its caller is `engine`. The harness makes, changes and checks
//! books with the same pieces. It must not know searches or options.

mod choice;
mod entry;
mod file;
mod key;
mod map;
mod own;
mod random;

pub use choice::{Candidate, Selection, candidates, choose};
pub use entry::{BookMove, ENTRY_BYTES, Entry, Learned};
pub use file::{Book, BookError, BookFault};
pub use key::BookKey;
pub use own::{Choice, DEFAULT_DEPTH, OwnBook};
