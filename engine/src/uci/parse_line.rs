//! Splits bytes into lines of text.
//!
//! LF, CR and CR LF all end a line. A line is returned as soon as its end is read; the reader never
//! waits for a second byte. A line longer than [`MAX_LINE`] is dropped completely.

use std::borrow::Cow;
use std::io::{self, BufRead};

/// The longest line accepted. The longest possible game takes about 60 kB. Units: bytes.
pub const MAX_LINE: usize = 1 << 20;

/// The next item of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line, without its line end.
    Text(Cow<'a, str>),
    /// A line longer than [`MAX_LINE`], dropped.
    TooLong,
    /// The end of the input.
    End,
}

/// Splits a byte stream into lines.
pub struct LineReader<R> {
    input: R,
    line: Vec<u8>,
}

impl<R: BufRead> LineReader<R> {
    /// Creates a reader of `input`.
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new() }
    }

    /// Waits for the next line. CR LF gives an empty line after the real one, which
    /// [`super::parse()`] skips. A last line without a line end counts as a line.
    pub fn next_line(&mut self) -> io::Result<Line<'_>> {
        self.line.clear();
        let mut too_long = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                let at_end = self.line.is_empty() && !too_long;
                return Ok(if at_end { Line::End } else { self.finished(too_long) });
            }
            let end = buffer.iter().position(|&byte| byte == b'\n' || byte == b'\r');
            let text = &buffer[..end.unwrap_or(buffer.len())];
            too_long |= self.line.len() + text.len() > MAX_LINE;
            if !too_long {
                self.line.extend_from_slice(text);
            }
            let used = text.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(self.finished(too_long));
            }
        }
    }

    fn finished(&self, too_long: bool) -> Line<'_> {
        if too_long { Line::TooLong } else { Line::Text(decode(&self.line)) }
    }
}

/// Converts bytes to text. Invalid UTF-8 becomes U+FFFD. A leading byte order mark, which some
/// shells send, is dropped.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn lines(bytes: &[u8], capacity: usize) -> Vec<String> {
        let mut reader = LineReader::new(BufReader::with_capacity(capacity, bytes));
        let mut all = Vec::new();
        loop {
            match reader.next_line().unwrap() {
                Line::Text(text) => all.push(text.into_owned()),
                Line::TooLong => all.push("<too long>".to_owned()),
                Line::End => return all,
            }
        }
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        for capacity in [1, 3, 100] {
            assert_eq!(lines(b"uci\nisready\rgo\r\nquit", capacity), ["uci", "isready", "go", "", "quit"]);
        }
        assert_eq!(lines(b"", 8), Vec::<String>::new());
        assert_eq!(lines(b"\n", 8), [""]);
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        assert_eq!(decode(b"\xEF\xBB\xBFuci"), "uci");
        assert_eq!(decode(b"\xFFuci\x00"), "\u{FFFD}uci\0");
    }

    #[test]
    fn too_long_lines_are_dropped_completely() {
        let mut bytes = vec![b'x'; MAX_LINE];
        bytes.push(b'\n');
        bytes.extend(vec![b'y'; MAX_LINE + 1]);
        bytes.extend(b"\nisready\n");
        let read = lines(&bytes, 4096);
        assert_eq!(read[0].len(), MAX_LINE);
        assert_eq!(read[1..], ["<too long>", "isready"]);
    }

    proptest! {
        #[test]
        fn buffer_size_does_not_change_the_lines(bytes in prop::collection::vec(any::<u8>(), 0..200), capacity in 1..32_usize) {
            prop_assert_eq!(lines(&bytes, capacity), lines(&bytes, 1000));
        }
    }
}
