//! The lines of a PGN file and the place of the reader in them. Lines end with LF, CR LF or CR.

use std::io::{self, BufRead, BufReader, Read};
use std::{fmt, mem};

use memchr::{memchr, memchr2};
use thiserror::Error;

/// Longest line. A longer one is no text of games. Units: bytes.
const LONGEST_LINE: usize = 1 << 26;
/// Bytes of a comment that are kept. A comment without its end may extend to the end of the file.
const LONGEST_COMMENT: usize = 1 << 16;

/// The reader of a file's lines.
pub(super) struct Lines<R> {
    from: BufReader<R>,
    /// The current line without its end.
    text: String,
    /// Index in `text` of the next character to read.
    at: usize,
    /// Number of the current line, from 1.
    number: usize,
    /// Whether the last line ended with CR, so that an LF belongs to it.
    is_after_cr: bool,
    /// Whether the file ends with the current line and without a line end.
    is_unterminated: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        let from = BufReader::with_capacity(1 << 16, from);
        Self { from, text: String::new(), at: 0, number: 0, is_after_cr: false, is_unterminated: false }
    }

    /// Skips white space and lines escaped with `%`. Returns whether the file has more.
    pub(super) fn seek_token(&mut self) -> io::Result<bool> {
        loop {
            let left = self.rest().trim_start_matches(is_blank).len();
            self.at = self.text.len() - left;
            if left > 0 && !(self.rest().starts_with('%') && self.is_at_start()) {
                return Ok(true);
            }
            if !self.advance()? {
                return Ok(false);
            }
        }
    }

    /// Returns the rest of the current line.
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Returns the number of the current line, from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Whether only white space precedes on the current line.
    pub(super) fn is_at_start(&self) -> bool {
        self.text[..self.at].chars().all(is_blank)
    }

    /// Whether the next `length` bytes are the last ones of a file that lacks the line end.
    pub(super) fn is_cut_after(&self, length: usize) -> bool {
        self.is_unterminated && self.at + length == self.text.len()
    }

    /// Moves over the next `length` bytes of the line.
    pub(super) fn skip(&mut self, length: usize) {
        self.at += length;
    }

    /// Reads the rest of a comment, up to `}`. Returns whether it ends. It does not where a game begins: the file was cut
    /// there, and another one appended.
    pub(super) fn read_comment(&mut self, comment: &mut String) -> io::Result<bool> {
        comment.clear();
        loop {
            let rest = &self.text[self.at..];
            let end = memchr(b'}', rest.as_bytes());
            if comment.len() < LONGEST_COMMENT {
                comment.push_str(&rest[..end.unwrap_or(rest.len())]);
            }
            if let Some(end) = end {
                self.at += end + 1;
                return Ok(true);
            }
            if !self.advance()? || self.text.starts_with("[Event \"") {
                return Ok(false);
            }
            comment.push('\n');
        }
    }

    /// Reads the next line; returns whether there is one. A line that is not UTF-8 is Latin-1.
    fn advance(&mut self) -> io::Result<bool> {
        let mut bytes = mem::take(&mut self.text).into_bytes();
        bytes.clear();
        self.at = 0;
        let is_line = self.read_line(&mut bytes)?;
        self.text = String::from_utf8(bytes)
            .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect());
        self.number += usize::from(is_line);
        Ok(is_line)
    }

    /// Reads a line without its end; returns whether there is one.
    fn read_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let buffer = self.from.fill_buf()?;
            if mem::take(&mut self.is_after_cr) && buffer.first() == Some(&b'\n') {
                self.from.consume(1);
                continue;
            }
            if buffer.is_empty() {
                self.is_unterminated = !line.is_empty();
                return Ok(self.is_unterminated);
            }
            let end = memchr2(b'\n', b'\r', buffer);
            let length = end.unwrap_or(buffer.len());
            line.extend_from_slice(&buffer[..length]);
            self.is_after_cr = buffer.get(length) == Some(&b'\r');
            self.from.consume(length + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(true);
            }
            if line.len() > LONGEST_LINE {
                let message = format!("line {} is longer than {LONGEST_LINE} bytes", self.number + 1);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
    }
}

/// Whether a character separates words: white space, the end-of-file mark of DOS, NUL and a byte order mark.
pub(super) fn is_blank(c: char) -> bool {
    c == ' ' || c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

/// A location in a file of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the game in the file, from 1.
    pub game: usize,
    /// The line of its error, else its first line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}", self.game, self.line)
    }
}

/// A game that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {what}")]
pub struct BadGame {
    /// Location of the error.
    pub place: Place,
    /// Description of the error.
    pub what: String,
}

/// The result of reading one game.
#[derive(Debug)]
pub enum NextGame<G> {
    /// A game with its result.
    Complete(G),
    /// A game without a result, from a reader that needs one.
    Unfinished,
    /// A game with a word that is no move, an illegal move or an invalid tag: the first error. Reading can continue.
    Bad(String),
    /// The file ends within a comment, a variation or a word: its description.
    Truncated(String),
    /// The file cannot be read. Reading cannot continue.
    Failed(io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte per call.
    struct SlowReader<'a>(&'a [u8]);

    impl Read for SlowReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            (&self.0[..self.0.len().min(1)]).read(buffer).inspect(|&count| self.0 = &self.0[count..])
        }
    }

    /// Returns the first word of each line with its number.
    fn words(from: impl Read) -> Vec<(usize, String)> {
        let mut lines = Lines::new(from);
        let mut words = Vec::new();
        while lines.seek_token().unwrap() {
            words.push((lines.number(), lines.rest().to_owned()));
            lines.skip(lines.rest().len());
        }
        words
    }

    #[test]
    fn lines_end_with_lf_cr_or_both() {
        let text = b"\xef\xbb\xbfa\r\nb\r\r\n c\n\n% no\n  %no\r\xa0d \xbd-\xbd\r\n\x1a";
        let expected = [(1, "a"), (2, "b"), (4, "c"), (8, "d ½-½")];
        let expected = expected.map(|(line, word)| (line, word.to_owned()));
        assert_eq!(words(&text[..]), expected);
        assert_eq!(words(SlowReader(text)), expected);
        assert_eq!(words(&b""[..]), []);
    }

    #[test]
    fn comments_continue_over_lines_and_are_kept_in_part() {
        let mut lines = Lines::new(&b"a\n% b } c"[..]);
        let mut comment = String::new();
        assert!(lines.read_comment(&mut comment).unwrap());
        assert_eq!((comment.as_str(), lines.rest(), lines.number()), ("\na\n% b ", " c", 2));
        let long = "x\n".repeat(LONGEST_COMMENT);
        let mut lines = Lines::new(long.as_bytes());
        assert!(!lines.read_comment(&mut comment).unwrap());
        assert!(comment.len() < 3 * LONGEST_COMMENT, "{}", comment.len());
    }

    #[test]
    fn endless_line_is_an_error() {
        let error = Lines::new(io::repeat(b'e')).seek_token().unwrap_err();
        assert_eq!(error.to_string(), "line 1 is longer than 67108864 bytes");
    }
}
